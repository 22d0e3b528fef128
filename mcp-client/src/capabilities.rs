//! What a client can do for a server, which follows from its callbacks.

use mcp_types::capabilities::{ElicitationCapability, SamplingCapability};
use mcp_types::{ClientCapabilities, Version};

use crate::callbacks::Callbacks;

/// The capabilities of a client, as each era is told of them.
#[derive(Clone, Debug, Default)]
pub(crate) struct Capabilities {
    /// As each modern request says them.
    pub(crate) modern: ClientCapabilities,
}

impl Capabilities {
    pub(crate) fn new(callbacks: &Callbacks, declared: &ClientCapabilities) -> Self {
        let mut modern = declared.clone();
        if callbacks.roots.is_some() {
            modern.roots.get_or_insert_default();
        }
        if callbacks.sample.is_some() {
            let sampling: &mut SamplingCapability = modern.sampling.get_or_insert_default();
            if callbacks.samples_with_tools {
                sampling.tools.get_or_insert_default();
            }
            if callbacks.samples_with_context {
                sampling.context.get_or_insert_default();
            }
        }
        let modes = (callbacks.elicit_form.is_some(), callbacks.elicit_url.is_some());
        if modes != (false, false) {
            // What an earlier `{}` means must not be lost when a mode is named beside it.
            let form = modes.0 || modern.elicitation.as_ref().is_some_and(ElicitationCapability::supports_form);
            let elicitation = modern.elicitation.get_or_insert_default();
            if form {
                elicitation.form.get_or_insert_default();
            }
            if modes.1 {
                elicitation.url.get_or_insert_default();
            }
        }
        Self { modern }
    }

    /// As the handshake of a revision says them.
    pub(crate) fn legacy(&self, version: Version) -> ClientCapabilities {
        let mut capabilities = self.modern.clone();
        capabilities.roots = capabilities.roots.map(|roots| roots.with_list_changed(true));
        if version < Version::V2025_11_25 {
            if let Some(sampling) = &mut capabilities.sampling {
                (sampling.tools, sampling.context) = (None, None);
            }
            // A `{}` means forms; before there were modes, nothing says "pages only".
            capabilities.elicitation = capabilities
                .elicitation
                .filter(ElicitationCapability::supports_form)
                .map(|_| ElicitationCapability::new());
        }
        if version < Version::V2025_06_18 {
            capabilities.elicitation = None;
        }
        capabilities.extensions = None;
        capabilities
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Client;
    use mcp_types::Object;
    use mcp_types::elicitation::ElicitResult;
    use mcp_types::jsonrpc::{ErrorCode, ErrorObject};
    use mcp_types::roots::Root;
    use serde_json::{Value, json};

    fn json(capabilities: &ClientCapabilities) -> Value {
        serde_json::to_value(capabilities).unwrap_or_default()
    }

    fn of(client: Client) -> Capabilities {
        client.capabilities()
    }

    #[test]
    fn capabilities_follow_from_callbacks() {
        let new = || Client::new("c", "1");
        let accept = |_| async { ElicitResult::decline() };
        let refuse = |_| async { Err(ErrorObject::new(ErrorCode(-1), "no")) };
        #[rustfmt::skip]
        let rows = [
            (new(),                                              json!({})),
            (new().with_roots([Root::new("file:///a")]),         json!({ "roots": {} })),
            (new().on_elicit(accept),                            json!({ "elicitation": { "form": {} } })),
            (new().on_elicit(|_| async { ElicitResult::decline() }).on_elicit_url(|_| async { ElicitResult::decline() }),
                                                                 json!({ "elicitation": { "form": {}, "url": {} } })),
            (new().on_elicit_url(|_| async { ElicitResult::decline() }),
                                                                 json!({ "elicitation": { "url": {} } })),
            (new().on_sample(refuse),                            json!({ "sampling": {} })),
            (new().with_sampling_tools(),                        json!({})),
            (new().on_sample(|_| async { Err(ErrorObject::new(ErrorCode(-1), "no")) }).with_sampling_tools().with_sampling_context(),
                                                                 json!({ "sampling": { "tools": {}, "context": {} } })),
        ];
        for (client, expected) in rows {
            assert_eq!(json(&of(client).modern), expected);
        }
    }

    #[test]
    fn a_handshake_says_what_its_revision_knows() {
        let client = Client::new("c", "1")
            .with_roots([])
            .on_elicit(|_| async { ElicitResult::decline() })
            .on_elicit_url(|_| async { ElicitResult::decline() })
            .on_sample(|_| async { Err(ErrorObject::new(ErrorCode(-1), "no")) })
            .with_sampling_tools()
            .with_capabilities(ClientCapabilities::new().with_extensions(Object::new()));
        let capabilities = of(client);
        let roots = json!({ "listChanged": true });
        #[rustfmt::skip]
        let rows = [
            (Version::V2024_11_05, json!({ "roots": roots, "sampling": {} })),
            (Version::V2025_06_18, json!({ "roots": roots, "sampling": {}, "elicitation": {} })),
            (Version::V2025_11_25, json!({ "roots": roots, "sampling": { "tools": {} }, "elicitation": { "form": {}, "url": {} } })),
        ];
        for (version, expected) in rows {
            assert_eq!(json(&capabilities.legacy(version)), expected, "{version}");
        }
        let pages_only = of(Client::new("c", "1").on_elicit_url(|_| async { ElicitResult::decline() }));
        assert_eq!(json(&pages_only.legacy(Version::V2025_06_18)), json!({}));
    }
}
