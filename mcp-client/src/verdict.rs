//! Which era a server speaks, and what was found out about that.

use mcp_types::Version;
use mcp_types::version;
use serde::{Deserialize, Serialize};

/// Which era a client speaks.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub enum Era {
    /// Whichever the server does: the modern one if it answers `server/discover` as a modern server, else the legacy
    /// one.
    #[default]
    Detect,
    /// The modern era, without asking first. A server of the legacy era is then not noticed before the first call.
    Modern,
    /// The legacy era, with a handshake that asks for this revision.
    Legacy(Version),
}

/// What was found out about a server: which era, and which revision of it.
///
/// It can be kept, as a small piece of JSON, and given to a later client of the same server by
/// [`Client::with_verdict`](crate::Client::with_verdict), which then does not have to find out again.
///
/// ```
/// use mcp_client::Verdict;
///
/// let kept = r#"{"version":"2025-06-18"}"#;
/// let verdict: Verdict = serde_json::from_str(kept)?;
/// assert!(!verdict.is_modern());
/// assert_eq!(serde_json::to_string(&verdict)?, kept);
/// # Ok::<_, serde_json::Error>(())
/// ```
///
/// Spec: [Protocol versioning](https://modelcontextprotocol.io/specification/2026-07-28/basic/versioning)
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Verdict {
    version: Version,
}

impl Verdict {
    pub(crate) const fn new(version: Version) -> Self {
        Self { version }
    }

    /// The revision.
    #[must_use]
    pub const fn version(self) -> Version {
        self.version
    }

    /// Whether the server is of the modern era.
    #[must_use]
    pub fn is_modern(self) -> bool {
        self.version.era() == version::Era::Modern
    }
}
