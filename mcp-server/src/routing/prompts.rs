//! Prompts that are asked for.

use mcp_session::Answering;
use mcp_types::jsonrpc::ErrorObject;

use super::{Asker, Routes, answering, arguments, invalid, text};
use crate::call::{Asked, from_json};

impl Routes {
    pub(super) fn get_prompt(&self, asker: Asker<'_>) -> Answering {
        self.start_prompt(asker).unwrap_or_else(|error| Answering::Ready(Err(error)))
    }

    fn start_prompt(&self, asker: Asker<'_>) -> Result<Answering, ErrorObject> {
        let name = text("name", asker.request.params.name)?;
        let prompt = self.conversation.prompts.0.find(&name);
        let prompt = prompt.ok_or_else(|| invalid(format!("Unknown prompt: {name}")))?;
        let raw = arguments(asker.request)?;
        let filled = from_json(raw).map_err(invalid)?;
        //= 2026-07-28/server/prompts#implementation-considerations
        //# Servers **SHOULD** validate prompt arguments before processing
        let missing =
            prompt.arguments().find(|argument| argument.is_required() && !filled.contains_key(&argument.name));
        if let Some(argument) = missing {
            return Err(invalid(format!("the prompt `{name}` needs the argument `{}`", argument.name)));
        }
        let call = self.call(asker, Asked::Prompt { prompt: &prompt, filled: &filled }, raw);
        Ok(answering(prompt.call(&call)))
    }
}
