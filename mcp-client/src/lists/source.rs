//! Where pages come from.

use std::fmt;
use std::pin::Pin;
use std::sync::Arc;
use std::time::Duration;

use crate::error::CallError;
use mcp_types::RawJson;

use super::cache::Cache;

/// A page under way.
pub(crate) type PageFuture = Pin<Box<dyn Future<Output = Result<RawJson, CallError>> + Send>>;

/// Which page is asked for, and how long that may take.
#[derive(Clone, Debug, Default)]
pub(crate) struct Ask {
    pub(crate) cursor: Option<String>,
    pub(crate) timeout: Option<Duration>,
}

/// Where the pages of a list come from.
pub(crate) struct Source {
    fetch: Box<dyn Fn(Ask) -> PageFuture + Send + Sync>,
    pub(super) is_offered: bool,
    pub(super) cache: Option<Arc<Cache>>,
}

impl Source {
    pub(crate) fn new(fetch: impl Fn(Ask) -> PageFuture + Send + Sync + 'static) -> Self {
        Self { fetch: Box::new(fetch), is_offered: true, cache: None }
    }

    /// Whether the server offers the list, as far as it has said.
    pub(crate) fn with_offered(mut self, is_offered: bool) -> Self {
        self.is_offered = is_offered;
        self
    }

    /// Where pages are kept.
    pub(crate) fn with_cache(mut self, cache: Option<Arc<Cache>>) -> Self {
        self.cache = cache;
        self
    }

    pub(super) fn fetch(&self, ask: Ask) -> PageFuture {
        (self.fetch)(ask)
    }
}

impl fmt::Debug for Source {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Source").field("is_offered", &self.is_offered).finish_non_exhaustive()
    }
}
