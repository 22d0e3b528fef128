//! Who the server is, in the forms in which results say so.

use std::borrow::BorrowMut;
use std::time::Duration;

use mcp_session::{Answer, Body};
use mcp_types::gate::Gated;
use mcp_types::jsonrpc::write_string;
use mcp_types::meta::SERVER_INFO;
use mcp_types::prompts::GetPromptResult;
use mcp_types::result::CacheScope;
use mcp_types::version::{Era, Version};
use mcp_types::{Implementation, Object};
use serde::Serialize;
use serde_json::Value;

use crate::content;
use crate::prompt::{self, PromptOutcome};
use crate::tool::{Form, ToolOutcome, open_text};

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

    /// Names the server in the `_meta` of a result, as the revision wants it.
    pub(crate) fn sign<M: Default + BorrowMut<Object>>(&self, meta: &mut Option<M>, version: Version) {
        if version.era() == Era::Modern {
            meta.get_or_insert_default().borrow_mut().insert(SERVER_INFO.to_owned(), self.value.clone());
        }
    }

    /// The answer that the outcome of a prompt is, as the revision wants it. `description` is that of the prompt.
    pub(crate) fn finish_prompt(&self, outcome: PromptOutcome, description: Option<&str>, version: Version) -> Answer {
        let mut result = match outcome.0 {
            prompt::Form::Messages(messages) => GetPromptResult::new(messages),
            prompt::Form::Full(result) => *result,
            prompt::Form::Error(error) => return Err(*error),
        };
        result.description = result.description.or_else(|| description.map(str::to_owned));
        result.messages.iter_mut().for_each(|message| content::fit(&mut message.content, version));
        self.sign(&mut result.meta, version);
        result.fit(version);
        Ok(Body::from_json(encode(&result)))
    }

    /// The answer that the outcome of a tool is, as the revision wants it.
    pub(crate) fn finish(&self, outcome: ToolOutcome, version: Version) -> Answer {
        match outcome.0 {
            Form::Text(open) | Form::Failure(open) => Ok(self.end(open, version)),
            Form::Json(json) => {
                let mut open = open_text(&String::from_utf8_lossy(&json));
                if version.era() == Era::Modern || json.starts_with(b"{") {
                    open.extend_from_slice(b",\"structuredContent\":");
                    open.extend_from_slice(&json);
                }
                Ok(self.end(open, version))
            }
            Form::Full(mut result) => {
                self.sign(&mut result.meta, version);
                result.fit(version);
                result.content.iter_mut().for_each(|block| content::fit(block, version));
                Ok(Body::from_json(encode(&result)))
            }
            Form::Error(error) => Err(*error),
        }
    }
}

/// How long and by whom something may be cached.
#[derive(Clone, Debug)]
pub(crate) struct Cache {
    pub(crate) ttl_ms: u64,
    pub(crate) scope: CacheScope,
}

impl Cache {
    pub(crate) fn new(ttl: Duration, scope: CacheScope) -> Self {
        Self { ttl_ms: u64::try_from(ttl.as_millis()).unwrap_or(u64::MAX), scope }
    }
}

impl Default for Cache {
    fn default() -> Self {
        Self { ttl_ms: 0, scope: CacheScope::Private }
    }
}

/// What clients of a server may cache.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Cached {
    /// What the server says of itself: `server/discover`.
    Discovery,
    /// The list of tools.
    Tools,
    /// The list of prompts.
    Prompts,
    /// The list of resources.
    Resources,
    /// The list of resource templates.
    ResourceTemplates,
    /// What is read of resources, where the resource itself says nothing of it.
    Contents,
}

/// How long and by whom what a server says may be cached. By default not at all.
#[derive(Clone, Debug, Default)]
pub(crate) struct Caches {
    pub(crate) discovery: Cache,
    pub(crate) tools: Cache,
    pub(crate) prompts: Cache,
    pub(crate) resources: Cache,
    pub(crate) templates: Cache,
    pub(crate) contents: Cache,
}

impl Caches {
    pub(crate) const fn of(&mut self, what: Cached) -> &mut Cache {
        match what {
            Cached::Discovery => &mut self.discovery,
            Cached::Tools => &mut self.tools,
            Cached::Prompts => &mut self.prompts,
            Cached::Resources => &mut self.resources,
            Cached::ResourceTemplates => &mut self.templates,
            Cached::Contents => &mut self.contents,
        }
    }
}

/// The JSON of a protocol type.
pub(crate) fn encode<T: Serialize>(value: &T) -> Vec<u8> {
    serde_json::to_vec(value).expect("protocol types have string keys only, so they can always be JSON")
}
