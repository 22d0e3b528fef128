//! Lists, whole or in pages.

use mcp_session::Answer;

use super::{Asker, Routes, invalid, text};
use crate::identity::Cache;
use crate::registry::{Cursor, Listed, Registry};

impl Routes {
    /// Lists what there is of one kind.
    //= 2026-07-28/server/utilities/pagination#error-handling
    //# Invalid cursors **SHOULD** result in an error with code -32602 (Invalid params).
    pub(super) fn list<T: Listed>(&self, registry: &Registry<T>, asker: Asker<'_>, cache: &Cache) -> Answer {
        let after = match asker.request.params.cursor {
            None | Some("null") => None,
            raw => Some(Cursor::parse(&text("cursor", raw)?).ok_or_else(|| invalid("unknown `cursor`"))?),
        };
        let list = registry.list(asker.version);
        let page = list.page(after, self.config().page_size).ok_or_else(|| invalid("unknown `cursor`"))?;
        let mut open = Vec::with_capacity(page.json.len() + AROUND);
        open.extend_from_slice(b"{\"");
        open.extend_from_slice(T::MEMBER.as_bytes());
        open.extend_from_slice(b"\":[");
        open.extend_from_slice(page.json);
        open.push(b']');
        if let Some(next) = page.next {
            open.extend_from_slice(b",\"nextCursor\":\"");
            open.extend_from_slice(next.text().as_bytes());
            open.push(b'"');
        }
        Ok(self.conversation.identity.end_cacheable(open, asker.version, cache))
    }
}

/// Room for what stands around a list.
const AROUND: usize = 320;
