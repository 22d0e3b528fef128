//! Resources: what clients can read.

mod error;
mod handler;
mod outcome;
mod paths;
mod registry;
mod template;

use std::fmt;
use std::sync::Arc;
use std::time::Duration;

use mcp_session::HandlerFuture;
use mcp_types::Icon;
use mcp_types::content::Annotations;
use mcp_types::result::CacheScope;

pub use self::error::ResourceError;
pub(crate) use self::error::{about, not_found};
pub use self::handler::{BlockingResourceHandler, ResourceHandler, Signature};
pub use self::outcome::{Blob, IntoResourceOutcome, ResourceOutcome};
pub(crate) use self::registry::Found;
pub use self::registry::Resources;
pub use self::template::ResourceTemplate;
use crate::call::{Call, Handler, Parameters, Rejection, paced};
use crate::identity::Cache;
use crate::uri;

/// A resource at one URI: a function that reads it, and what clients are told of it.
///
/// ```
/// use mcp_server::{Resource, Server};
/// use mcp_types::content::Annotations;
///
/// let motd = Resource::new("app://motd", "motd", async || "Be kind.")
///     .with_description("The message of the day.")
///     .with_annotations(Annotations::new().with_priority(0.8));
/// let server = Server::new("app", "1.0.0").add_resource(motd);
/// # drop(server);
/// ```
pub struct Resource {
    description: mcp_types::resources::Resource,
    parameters: Parameters,
    read: Read,
    handler: Box<Handler>,
}

/// What is said of the contents of a resource, whenever it is read.
#[derive(Clone, Debug, Default)]
pub(crate) struct Read {
    pub(crate) mime_type: Option<String>,
    pub(crate) cache: Option<Cache>,
}

impl Resource {
    /// A resource at this URI, with this name for programs, that calls a function to be read.
    ///
    /// It is found by exactly this text. Clients may not accept a text that is no URI by RFC 3986: adding one is logged.
    #[must_use]
    pub fn new<H: ResourceHandler<M>, M>(uri: impl Into<String>, name: impl Into<String>, handler: H) -> Self {
        Self::from_signature(uri.into(), name.into(), H::signature(), paced(move |call| handler.call(call)))
    }

    /// A resource at this URI that calls a function which blocks, on a thread of its own. What is said of
    /// [blocking tools](crate::Tool::blocking) holds for it.
    #[must_use]
    pub fn blocking<H: BlockingResourceHandler<M>, M>(
        uri: impl Into<String>,
        name: impl Into<String>,
        handler: H,
    ) -> Self {
        let handler = Arc::new(handler);
        let handler = Box::new(move |call: &Call<'_>| Arc::clone(&handler).call(call));
        Self::from_signature(uri.into(), name.into(), H::signature(), handler)
    }

    fn from_signature(uri: String, name: String, signature: Signature, handler: Box<Handler>) -> Self {
        let mut description = mcp_types::resources::Resource::new(uri, name);
        description.mime_type = signature.mime_type.map(str::to_owned);
        Self { description, parameters: signature.parameters, read: Read::default(), handler }
    }

    /// Sets its name for people.
    #[must_use]
    pub fn with_title(self, title: impl Into<String>) -> Self {
        self.with(|resource| resource.title = Some(title.into()))
    }

    /// Says what it is, for a language model.
    #[must_use]
    pub fn with_description(self, description: impl Into<String>) -> Self {
        self.with(|resource| resource.description = Some(description.into()))
    }

    /// Says what kind it is: `text/html`, `image/png`. By default this follows from what the function returns.
    #[must_use]
    pub fn with_mime_type(mut self, mime_type: impl Into<String>) -> Self {
        let mime_type = mime_type.into();
        self.read.mime_type = Some(mime_type.clone());
        self.with(|resource| resource.mime_type = Some(mime_type))
    }

    /// Says how many bytes it has.
    #[must_use]
    pub fn with_size(self, size: u64) -> Self {
        self.with(|resource| resource.size = Some(size))
    }

    /// Sets the pictures to show.
    #[must_use]
    pub fn with_icons(self, icons: impl Into<Vec<Icon>>) -> Self {
        self.with(|resource| resource.icons = Some(icons.into()))
    }

    /// Says for whom it is.
    #[must_use]
    pub fn with_annotations(self, annotations: Annotations) -> Self {
        self.with(|resource| resource.annotations = Some(annotations))
    }

    /// Sets for how long, in whole milliseconds, and by whom its contents may be cached (from 2026-07-28). By default
    /// as the server says of all contents.
    #[must_use]
    pub fn with_cache(mut self, ttl: Duration, scope: CacheScope) -> Self {
        self.read.cache = Some(Cache::new(ttl, scope));
        self
    }

    /// Where it is.
    #[must_use]
    pub fn uri(&self) -> &str {
        &self.description.uri
    }

    /// What clients are told of it.
    #[must_use]
    pub const fn description(&self) -> &mcp_types::resources::Resource {
        &self.description
    }

    pub(crate) fn has_good_uri(&self) -> bool {
        uri::check(self.uri()).is_ok()
    }

    pub(crate) const fn read(&self) -> &Read {
        &self.read
    }

    pub(crate) fn call(&self, call: &Call<'_>) -> Result<HandlerFuture, Rejection> {
        (self.handler)(call)
    }

    fn with(mut self, set: impl FnOnce(&mut mcp_types::resources::Resource)) -> Self {
        set(&mut self.description);
        self
    }
}

impl fmt::Debug for Resource {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Resource").field("description", &self.description).finish_non_exhaustive()
    }
}
