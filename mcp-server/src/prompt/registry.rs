//! The prompts of a server, which may change while it runs.

use mcp_session::engine::Change;
use mcp_types::version::Version;

use super::Prompt;
use crate::changes::Live;
use crate::identity::encode;
use crate::registry::{Listed, Registry};
use crate::state::Need;

/// The prompts of a server: a handle, to add and to remove some while it runs. Clients are told by themselves.
///
/// ```
/// use mcp_server::{Prompt, Server};
///
/// let server = Server::new("s", "1.0.0").prompt("one", "The first.", async || "1");
/// let prompts = server.prompts();
/// prompts.add(Prompt::new("two", async || "2"));
/// assert!(prompts.contains("two"));
/// assert!(prompts.remove("one"));
/// assert!(!prompts.remove("one"));
/// ```
#[derive(Clone, Debug)]
pub struct Prompts(pub(crate) Registry<Prompt>);

impl Prompts {
    pub(crate) fn new(live: Live) -> Self {
        Self(Registry::new(live))
    }

    /// Adds a prompt. One of the same name is replaced and leaves its place in the list to it; whether there was one
    /// is returned.
    pub fn add(&self, prompt: Prompt) -> bool {
        self.0.add(prompt)
    }

    /// Removes a prompt, and says whether there was one of this name.
    pub fn remove(&self, name: &str) -> bool {
        self.0.remove(name)
    }

    /// Whether there is a prompt of this name.
    #[must_use]
    pub fn contains(&self, name: &str) -> bool {
        self.0.contains(name)
    }
}

impl Listed for Prompt {
    const CHANGE: Change = Change::Prompts;
    const MEMBER: &'static str = "prompts";

    fn key(&self) -> &str {
        self.name()
    }

    fn needs(&self) -> Vec<Need> {
        self.parameters.needs.iter().copied().chain(self.completers.needs()).collect()
    }

    fn told(&self, _: Version) -> Vec<u8> {
        encode(self.description())
    }
}
