//! What scripts start from: configurations, and heads of requests.

use mcp_session::engine::{AtReadEnd, Claim, Config, MethodKind, RequestHead, Role};
use mcp_session::limits::Limits;
use mcp_types::version::Version;

/// A server on a pipe that drains at read end.
pub(crate) fn server() -> Config {
    Config::new(Role::Server).with_at_read_end(AtReadEnd::Drain)
}

/// A server on a pipe that cancels at read end.
pub(crate) fn cancelling_server() -> Config {
    Config::new(Role::Server)
}

/// A client on a pipe.
pub(crate) fn client() -> Config {
    Config::new(Role::Client)
}

/// `config` with these limits changed.
pub(crate) fn limited(config: Config, change: impl FnOnce(&mut Limits)) -> Config {
    let mut limits = Limits::default();
    change(&mut limits);
    config.with_limits(limits)
}

/// An ordinary legacy request.
pub(crate) fn tools_call(id: i64) -> RequestHead {
    let mut head = RequestHead::new(id, "tools/call", MethodKind::Both);
    head.bytes = 100;
    head
}

/// A request that negotiates the latest legacy revision.
pub(crate) fn initialize(id: i64) -> RequestHead {
    let mut head = RequestHead::new(id, "initialize", MethodKind::Initialize);
    head.version = Some(Version::LATEST_LEGACY);
    head
}

/// A request with complete modern metadata.
pub(crate) fn modern(id: i64, kind: MethodKind) -> RequestHead {
    let mut head = RequestHead::new(id, "subscriptions/listen", kind);
    head.claim = Claim::Modern;
    head
}
