//! Who the server is, in the forms in which results say so.

use mcp_session::Body;
use mcp_types::Implementation;
use mcp_types::gate::Gated;
use mcp_types::jsonrpc::write_string;
use mcp_types::meta::SERVER_INFO;
use mcp_types::result::CacheScope;
use mcp_types::version::{Era, Version};
use serde::Serialize;
use serde_json::Value;

use crate::tool::{Form, ToolOutcome};

/// The name and version of a server, ready to be written into each modern result.
#[derive(Debug)]
pub(crate) struct Identity {
    value: Value,
    member: Box<[u8]>,
    ending: Box<[u8]>,
}

impl Identity {
    pub(crate) fn new(info: &Implementation) -> Self {
        let value = serde_json::to_value(info).unwrap_or_default();
        let mut member = Vec::new();
        write_string(&mut member, SERVER_INFO);
        member.push(b':');
        member.extend_from_slice(&encode(info));
        let mut ending = br#","resultType":"complete","_meta":{"#.to_vec();
        ending.extend_from_slice(&member);
        ending.extend_from_slice(b"}}");
        Self { value, member: member.into(), ending: ending.into() }
    }

    /// The member of `_meta` that names the server: `"key":value`.
    pub(crate) fn member(&self) -> &[u8] {
        &self.member
    }

    /// Ends an object that has members and is still open, as the revision wants a result to end.
    pub(crate) fn end(&self, mut open: Vec<u8>, version: Version) -> Body {
        match version.era() {
            Era::Legacy => open.push(b'}'),
            Era::Modern => open.extend_from_slice(&self.ending),
        }
        Body::from_json(open)
    }

    /// As [`end`](Self::end), for a result that may be cached.
    pub(crate) fn end_cacheable(&self, mut open: Vec<u8>, version: Version, cache: &Cache) -> Body {
        if version.era() == Era::Modern {
            open.extend_from_slice(b",\"ttlMs\":");
            open.extend_from_slice(cache.ttl_ms.to_string().as_bytes());
            open.extend_from_slice(b",\"cacheScope\":");
            write_string(&mut open, cache.scope.as_str());
        }
        self.end(open, version)
    }

    /// The result of a tool, as the revision wants it.
    pub(crate) fn finish(&self, outcome: ToolOutcome, version: Version) -> Body {
        match outcome.0 {
            Form::Open(open) => self.end(open, version),
            Form::Full(mut result) => {
                if version.era() == Era::Modern {
                    result.meta.get_or_insert_default().insert(SERVER_INFO.to_owned(), self.value.clone());
                }
                result.fit(version);
                Body::from_json(encode(&result))
            }
        }
    }
}

/// How long and by whom the lists of a server may be cached.
#[derive(Clone, Debug)]
pub(crate) struct Cache {
    pub(crate) ttl_ms: u64,
    pub(crate) scope: CacheScope,
}

impl Default for Cache {
    fn default() -> Self {
        Self { ttl_ms: 0, scope: CacheScope::Private }
    }
}

/// The JSON of a protocol type.
pub(crate) fn encode<T: Serialize>(value: &T) -> Vec<u8> {
    serde_json::to_vec(value).expect("protocol types have string keys only, so they can always be JSON")
}
