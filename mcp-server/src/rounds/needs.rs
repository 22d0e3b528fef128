//! What a question needs of the revision and of the client.

use mcp_types::capabilities::{ElicitationCapability, RootsCapability, SamplingCapability};
use mcp_types::elicitation::{ElicitParams, FormSchema};
use mcp_types::gate::Gated;
use mcp_types::input::InputRequest;
use mcp_types::version::Version;
use mcp_types::{ClientCapabilities, Object};

use crate::content;

/// What a client has to be able to do to answer one question.
#[derive(Debug)]
pub(super) struct Needs {
    /// In words.
    pub(super) what: &'static str,
    /// As the client would declare it.
    pub(super) capabilities: ClientCapabilities,
    /// The first revision that has it.
    since: Version,
}

impl Needs {
    pub(super) fn of(request: &InputRequest) -> Self {
        let none = ClientCapabilities::new();
        match request {
            InputRequest::Elicit(params) => of_elicitation(params),
            InputRequest::CreateMessage(params) if params.needs_tools() => Self {
                what: "sampling with tools",
                capabilities: none.with_sampling(SamplingCapability::new().with_tools(Object::new())),
                since: Version::V2025_11_25,
            },
            InputRequest::CreateMessage(_) => Self {
                what: "sampling",
                capabilities: none.with_sampling(SamplingCapability::new()),
                since: Version::V2024_11_05,
            },
            _ => Self {
                what: "roots",
                capabilities: none.with_roots(RootsCapability::new()),
                since: Version::V2024_11_05,
            },
        }
    }

    /// Whether a client that speaks this revision and declared this can answer.
    pub(super) fn are_met(&self, version: Version, client: &ClientCapabilities) -> bool {
        let needed = &self.capabilities;
        let elicitation = needed.elicitation.as_ref().is_none_or(|needed| {
            client
                .elicitation
                .as_ref()
                .is_some_and(|client| if needed.url.is_some() { client.supports_url() } else { client.supports_form() })
        });
        let sampling = needed.sampling.as_ref().is_none_or(|needed| {
            client.sampling.as_ref().is_some_and(|client| needed.tools.is_none() || client.tools.is_some())
        });
        let roots = needed.roots.is_none() || client.roots.is_some();
        version >= self.since && elicitation && sampling && roots
    }
}

fn of_elicitation(params: &ElicitParams) -> Needs {
    let elicitation = |capability| ClientCapabilities::new().with_elicitation(capability);
    match params {
        ElicitParams::Url(_) => Needs {
            what: "elicitation by a page",
            capabilities: elicitation(ElicitationCapability::new().with_url(Object::new())),
            since: Version::V2025_11_25,
        },
        ElicitParams::Form(form)
            if FormSchema::read(&form.requested_schema).is_ok_and(|form| !form.is_known_to(Version::V2025_06_18)) =>
        {
            Needs {
                what: "elicitation by a form with several choices in one field",
                capabilities: elicitation(ElicitationCapability::new().with_form(Object::new())),
                since: Version::V2025_11_25,
            }
        }
        _ => Needs {
            what: "elicitation by a form",
            capabilities: elicitation(ElicitationCapability::new().with_form(Object::new())),
            since: Version::V2025_06_18,
        },
    }
}

/// Adds what one question needs to what others need.
pub(super) fn merge(all: &mut ClientCapabilities, more: ClientCapabilities) {
    if let Some(more) = more.elicitation {
        let elicitation = all.elicitation.get_or_insert_default();
        elicitation.form = elicitation.form.take().or(more.form);
        elicitation.url = elicitation.url.take().or(more.url);
    }
    if let Some(more) = more.sampling {
        let sampling = all.sampling.get_or_insert_default();
        sampling.tools = sampling.tools.take().or(more.tools);
    }
    all.roots = all.roots.take().or(more.roots);
}

/// Makes a question fit for a revision and a client.
pub(super) fn fit(request: &mut InputRequest, version: Version, client: &ClientCapabilities) {
    match request {
        InputRequest::Elicit(params) => params.fit(version),
        InputRequest::CreateMessage(params) => {
            params.fit(version);
            for message in &mut params.messages {
                message.content.iter_mut().for_each(|block| content::fit(block, version));
            }
            //= 2026-07-28/schema#createmessagerequestparams
            //# SHOULD only use the deprecated values if the client declares
            if client.sampling.as_ref().is_none_or(|sampling| sampling.context.is_none()) && params.needs_context() {
                params.include_context = None;
            }
        }
        _ => {}
    }
}
