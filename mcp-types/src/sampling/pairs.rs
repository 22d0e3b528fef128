//! Each use of a tool is followed by its result.

use std::collections::BTreeSet;

use super::{CreateMessageParams, SamplingMessage};
use crate::content::{Content, Role};

/// Messages in which uses of tools and their results do not belong together.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum UnpairedTool {
    /// A message has a result of a tool and something else.
    #[error("message {message} mixes results of tools with other content")]
    Mixed {
        /// Which message, from 0.
        message: usize,
    },
    /// A use of a tool has no result in the message that follows.
    #[error("the tool use `{id}` has no result in the message that follows")]
    NoResult {
        /// The id of the use.
        id: String,
    },
    /// A result has no use in the message before, or is the second for one.
    #[error("the tool result `{id}` has no use in the message before")]
    NoUse {
        /// The id that it names.
        id: String,
    },
}

impl CreateMessageParams {
    /// Looks whether each use of a tool is followed at once by its result.
    ///
    /// # Errors
    ///
    /// [`UnpairedTool`] names the first that does not.
    ///
    /// ```
    /// use mcp_types::content::{Content, Role, ToolResultContent, ToolUseContent};
    /// use mcp_types::sampling::{CreateMessageParams, SamplingMessage};
    /// use serde_json::json;
    ///
    /// let call = SamplingMessage::new(Role::Assistant, vec![ToolUseContent::new("1", "now", json!({})).into()]);
    /// let result = ToolResultContent::new("1", vec![Content::text("noon")]);
    /// let answer = SamplingMessage::new(Role::User, vec![result.into()]);
    /// assert!(CreateMessageParams::new(vec![call.clone(), answer], 10).check_tools().is_ok());
    /// assert!(CreateMessageParams::new(vec![call], 10).check_tools().is_err());
    /// ```
    //= 2026-07-28/client/sampling#tool-use-and-result-balance
    //# every assistant message containing `ToolUseContent` blocks
    //# **MUST** be followed by a user message that consists entirely of `ToolResultContent` blocks
    pub fn check_tools(&self) -> Result<(), UnpairedTool> {
        let mut open: BTreeSet<&str> = BTreeSet::new();
        for (at, message) in self.messages.iter().enumerate() {
            check_unmixed(at, message)?;
            for id in results(message) {
                if !open.remove(id) {
                    return Err(UnpairedTool::NoUse { id: id.to_owned() });
                }
            }
            if let Some(id) = open.first() {
                return Err(UnpairedTool::NoResult { id: (*id).to_owned() });
            }
            open.extend(uses(message));
        }
        match open.first() {
            Some(id) => Err(UnpairedTool::NoResult { id: (*id).to_owned() }),
            None => Ok(()),
        }
    }
}

fn check_unmixed(at: usize, message: &SamplingMessage) -> Result<(), UnpairedTool> {
    let results = results(message).count();
    if results > 0 && (results < message.content.len() || message.role != Role::User) {
        return Err(UnpairedTool::Mixed { message: at });
    }
    Ok(())
}

fn results(message: &SamplingMessage) -> impl Iterator<Item = &str> {
    message.content.iter().filter_map(|block| match block {
        Content::ToolResult(result) => Some(&*result.tool_use_id),
        _ => None,
    })
}

fn uses(message: &SamplingMessage) -> impl Iterator<Item = &str> {
    message.content.iter().filter_map(|block| match block {
        Content::ToolUse(call) => Some(&*call.id),
        _ => None,
    })
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;
    use crate::content::{ToolResultContent, ToolUseContent};

    fn call(ids: &[&str]) -> SamplingMessage {
        let blocks = ids.iter().map(|id| ToolUseContent::new(*id, "t", json!({})).into());
        SamplingMessage::new(Role::Assistant, blocks.collect())
    }

    fn answer(ids: &[&str]) -> SamplingMessage {
        let blocks = ids.iter().map(|id| ToolResultContent::new(*id, Vec::new()).into());
        SamplingMessage::new(Role::User, blocks.collect())
    }

    #[test]
    fn tool_uses_without_results_are_found() {
        let (user, mut mixed) = (SamplingMessage::user("x"), answer(&["a"]));
        mixed.content.push(Content::text("and"));
        let mut of_assistant = answer(&["a"]);
        of_assistant.role = Role::Assistant;
        let no_result = |id: &str| Err(UnpairedTool::NoResult { id: id.to_owned() });
        let no_use = |id: &str| Err(UnpairedTool::NoUse { id: id.to_owned() });
        #[rustfmt::skip]
        let rows: [(&[&SamplingMessage], Result<(), UnpairedTool>); 11] = [
            (&[],                                               Ok(())),
            (&[&user],                                          Ok(())),
            (&[&user, &call(&["a"]), &answer(&["a"]), &user],   Ok(())),
            (&[&call(&["a", "b"]), &answer(&["b", "a"])],       Ok(())),
            (&[&call(&["a"])],                                  no_result("a")),
            (&[&call(&["a"]), &user, &answer(&["a"])],          no_result("a")),
            (&[&call(&["a", "b"]), &answer(&["a"])],            no_result("b")),
            (&[&user, &answer(&["a"])],                         no_use("a")),
            (&[&call(&["a"]), &answer(&["a", "a"])],            no_use("a")),
            (&[&call(&["a"]), &mixed],                          Err(UnpairedTool::Mixed { message: 1 })),
            (&[&call(&["a"]), &of_assistant],                   Err(UnpairedTool::Mixed { message: 1 })),
        ];
        for (messages, expected) in rows {
            let messages: Vec<_> = messages.iter().map(|message| (*message).clone()).collect();
            assert_eq!(CreateMessageParams::new(messages.clone(), 1).check_tools(), expected, "{messages:?}");
        }
    }
}
