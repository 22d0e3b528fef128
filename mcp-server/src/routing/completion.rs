//! What could stand in a place that is still to be filled in.

use mcp_session::Answering;
use mcp_types::completion::{CompleteParams, CompletionReference};
use mcp_types::jsonrpc::{ErrorObject, Request};

use super::{Asker, Routes, answering, expected, invalid};
use crate::call::{Asked, Ending, to_json};
use crate::completion::{Completers, CompletionEnding, of_type};
use crate::schema::Member;
use crate::uri::shortened;

impl Routes {
    /// Whether anything is completed: a function was given for something, or a type names all that it can be.
    pub(super) fn completes(&self) -> bool {
        let says_more = |completers: &Completers, members: &[Member]| {
            !completers.is_empty() || members.iter().any(|member| !member.values.is_empty())
        };
        self.conversation
            .prompts
            .0
            .all(|prompts| prompts.iter().any(|prompt| says_more(prompt.completers(), prompt.members())))
            || self
                .conversation
                .resources
                .templates
                .all(|templates| templates.iter().any(|template| says_more(template.completers(), template.members())))
    }

    pub(super) fn complete(&self, asker: Asker<'_>) -> Answering {
        self.start_completion(asker).unwrap_or_else(|error| Answering::Ready(Err(error)))
    }

    //= 2026-07-28/server/utilities/completion#error-handling
    //# - Invalid prompt name: `-32602` (Invalid params)
    fn start_completion(&self, asker: Asker<'_>) -> Result<Answering, ErrorObject> {
        let params = params(asker.request)?;
        let place = &*params.argument.name;
        match &params.r#ref {
            CompletionReference::Prompt(reference) => {
                let name = &reference.name;
                let prompt = self.conversation.prompts.0.find(name);
                let prompt = prompt.ok_or_else(|| invalid(format!("Unknown prompt: {name}")))?;
                if !prompt.arguments().any(|argument| argument.name == place) {
                    return Err(invalid(format!("the prompt `{name}` has no argument `{place}`")));
                }
                Ok(self.complete_by(prompt.completers(), prompt.members(), asker, &params))
            }
            CompletionReference::Resource(reference) => {
                let uri = &reference.uri;
                let resources = &self.conversation.resources;
                let no_variable = || invalid(format!("the resource `{}` has no variable `{place}`", shortened(uri)));
                let Some(template) = resources.templates.find(uri) else {
                    let is_fixed = resources.fixed.contains(uri);
                    let unknown = || invalid(format!("Unknown resource template: {}", shortened(uri)));
                    return Err(if is_fixed { no_variable() } else { unknown() });
                };
                if !template.template().variables().any(|variable| variable == place) {
                    return Err(no_variable());
                }
                Ok(self.complete_by(template.completers(), template.members(), asker, &params))
            }
            _ => Err(invalid("`ref` is neither a prompt by its name nor a resource template by its URI")),
        }
    }

    /// Has a place completed by its function or, if it has none, by its type.
    fn complete_by(
        &self,
        completers: &Completers,
        members: &[Member],
        asker: Asker<'_>,
        params: &CompleteParams,
    ) -> Answering {
        let (place, prefix) = (&*params.argument.name, &*params.argument.value);
        let filled = params.context.as_ref().and_then(|context| context.arguments.clone()).unwrap_or_default();
        let arguments = to_json(&filled);
        let call = self.call(asker, Asked::Completion { prefix, filled: &filled }, &arguments);
        match completers.call(place, &call) {
            Some(started) => answering(started),
            None => Answering::Ready(CompletionEnding::of(&call).answer(of_type(members, place, prefix))),
        }
    }
}

/// Reads the params. What is wrong with them is said by name.
fn params(request: &Request<'_>) -> Result<CompleteParams, ErrorObject> {
    let raw = request.params.raw.unwrap_or("{}");
    let mut decoder = serde_json::Deserializer::from_str(raw);
    serde_path_to_error::deserialize(&mut decoder).map_err(|error| {
        let path = error.path().to_string();
        let inner = error.inner().to_string();
        let why = inner.rsplit_once(" at line ").map_or(&*inner, |(why, _)| why);
        match &*path {
            "." if why.starts_with("missing field `ref`") => expected("ref", "an object", None),
            "." if why.starts_with("missing field `argument`") => expected("argument", "an object", None),
            "." => invalid(format!("invalid params: {why}")),
            path => invalid(format!("invalid `{path}`: {why}")),
        }
    })
}
