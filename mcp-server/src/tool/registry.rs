//! The tools of a server, which may change while it runs.

use mcp_session::engine::Change;
use mcp_types::version::Version;

use super::Tool;
use crate::changes::Live;
use crate::identity::encode;
use crate::registry::{Listed, Registry};
use crate::state::Need;

/// The tools of a server: a handle, to add and to remove some while it runs. Clients are told by themselves.
///
/// ```
/// use mcp_server::{Server, Tool};
///
/// let server = Server::new("s", "1.0.0").tool("one", "The first.", async || "1");
/// let tools = server.tools();
/// tools.add(Tool::new("two", async || "2"));
/// assert!(tools.contains("two"));
/// assert!(tools.remove("one"));
/// assert!(!tools.remove("one"));
/// ```
#[derive(Clone, Debug)]
pub struct Tools(pub(crate) Registry<Tool>);

impl Tools {
    pub(crate) fn new(live: Live) -> Self {
        Self(Registry::new(live))
    }

    /// Adds a tool. One of the same name is replaced and leaves its place in the list to it; whether there was one is
    /// returned.
    ///
    /// Calls that are under way keep the tool that they began with.
    pub fn add(&self, tool: Tool) -> bool {
        if !tool.has_good_name() {
            let name = tool.name();
            tracing::warn!(tool = name, "clients may not accept a tool of this name");
        }
        self.0.add(tool)
    }

    /// Removes a tool, and says whether there was one of this name.
    ///
    /// Calls that are under way run to their end.
    pub fn remove(&self, name: &str) -> bool {
        self.0.remove(name)
    }

    /// Whether there is a tool of this name.
    #[must_use]
    pub fn contains(&self, name: &str) -> bool {
        self.0.contains(name)
    }
}

impl Listed for Tool {
    const CHANGE: Change = Change::Tools;
    const MEMBER: &'static str = "tools";

    fn key(&self) -> &str {
        self.name()
    }

    fn needs(&self) -> Vec<Need> {
        self.signature.parameters.needs.clone()
    }

    fn told(&self, version: Version) -> Vec<u8> {
        encode(&self.told(version))
    }
}
