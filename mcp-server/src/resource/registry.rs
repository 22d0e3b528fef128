//! The resources of a server, which may change while it runs.

use std::cmp::Reverse;
use std::sync::Arc;

use mcp_session::HandlerFuture;
use mcp_session::engine::Change;
use mcp_types::version::Version;

use super::{Read, Resource, ResourceTemplate};
use crate::call::{Call, Rejection, Texts};
use crate::changes::Live;
use crate::identity::encode;
use crate::registry::{Listed, Registry};
use crate::state::Need;
use crate::uri;

/// The resources of a server: a handle, to add and to remove some while it runs, and to say that one of them has
/// changed. Clients are told by themselves.
///
/// ```
/// use mcp_server::{Resource, Server};
///
/// let server = Server::new("s", "1.0.0").resource("app://one", "one", async || "1");
/// let resources = server.resources();
/// resources.add(Resource::new("app://two", "two", async || "2"));
/// assert!(resources.contains("app://two"));
/// // Whoever subscribed to it hears of this.
/// resources.updated("app://two");
/// assert!(resources.remove("app://one"));
/// assert!(!resources.remove("app://one"));
/// ```
#[derive(Clone, Debug)]
pub struct Resources {
    pub(crate) fixed: Registry<Resource>,
    pub(crate) templates: Registry<ResourceTemplate>,
    live: Live,
}

impl Resources {
    pub(crate) fn new(live: Live) -> Self {
        Self { fixed: Registry::new(live.clone()), templates: Registry::new(live.clone()), live }
    }

    /// Adds a resource. One at the same URI is replaced and leaves its place in the list to it; whether there was one
    /// is returned.
    pub fn add(&self, resource: Resource) -> bool {
        if !resource.has_good_uri() {
            tracing::warn!(uri = resource.uri(), "clients may not accept this as a URI");
        }
        self.fixed.add(resource)
    }

    /// Adds the resources of a template. One of the same text is replaced and leaves its place in the list to it;
    /// whether there was one is returned.
    pub fn add_template(&self, template: ResourceTemplate) -> bool {
        self.templates.add(template)
    }

    /// Removes a resource, and says whether there was one at this URI.
    pub fn remove(&self, uri: &str) -> bool {
        self.fixed.remove(uri)
    }

    /// Removes the resources of a template, and says whether there was one of this text.
    pub fn remove_template(&self, template: &str) -> bool {
        self.templates.remove(template)
    }

    /// Whether there is a resource at this URI: a fixed one, or one whose URI fits a template. Whether it can be read
    /// is for its function to say.
    #[must_use]
    pub fn contains(&self, uri: &str) -> bool {
        self.fixed.contains(uri) || self.find_template(uri).is_some()
    }

    /// Says that what is read at this URI has changed: whoever subscribed to it is told.
    ///
    /// Changes of one resource that come together are told once.
    pub fn updated(&self, uri: &str) {
        self.live.resource_updated(uri);
    }

    /// What is at a URI.
    pub(crate) fn find(&self, uri: &str) -> Option<Found> {
        if let Some(resource) = self.fixed.find(uri) {
            return Some(Found::Fixed(resource));
        }
        let (template, variables) = self.find_template(uri)?;
        Some(Found::Template(template, variables))
    }

    /// The template that fits a URI and says most of it literally, the first added of several.
    fn find_template(&self, uri: &str) -> Option<(Arc<ResourceTemplate>, Texts)> {
        uri::check(uri).ok()?;
        self.templates.all(|templates| {
            let fitting = templates.iter().filter_map(|template| Some((template, template.matches(uri)?)));
            let rank = |template: &ResourceTemplate, variables: &Texts| {
                Reverse((template.template().literal_len(), Reverse(variables.len())))
            };
            let best = fitting.min_by_key(|(template, variables)| rank(template, variables));
            best.map(|(template, variables)| (Arc::clone(template), variables))
        })
    }

    /// Whether clients are told that this server has resources: it has, or had, or may have.
    pub(crate) fn is_declared(&self) -> bool {
        self.fixed.is_declared() || self.templates.is_declared()
    }
}

/// What is at a URI.
#[derive(Debug)]
pub(crate) enum Found {
    Fixed(Arc<Resource>),
    Template(Arc<ResourceTemplate>, Texts),
}

impl Found {
    pub(crate) fn read(&self) -> &Read {
        match self {
            Self::Fixed(resource) => resource.read(),
            Self::Template(template, _) => template.read(),
        }
    }

    pub(crate) fn call(&self, call: &Call<'_>) -> Result<HandlerFuture, Rejection> {
        match self {
            Self::Fixed(resource) => resource.call(call),
            Self::Template(template, _) => template.call(call),
        }
    }
}

impl Listed for Resource {
    const CHANGE: Change = Change::Resources;
    const MEMBER: &'static str = "resources";

    fn key(&self) -> &str {
        self.uri()
    }

    fn needs(&self) -> Vec<Need> {
        self.parameters.needs.clone()
    }

    fn told(&self, _: Version) -> Vec<u8> {
        encode(self.description())
    }
}

impl Listed for ResourceTemplate {
    const CHANGE: Change = Change::Resources;
    const MEMBER: &'static str = "resourceTemplates";

    fn key(&self) -> &str {
        self.template().as_str()
    }

    fn needs(&self) -> Vec<Need> {
        self.parameters().needs.iter().copied().chain(self.completers().needs()).collect()
    }

    fn told(&self, _: Version) -> Vec<u8> {
        encode(self.description())
    }
}
