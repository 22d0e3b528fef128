//! Resources at many URIs.

use std::fmt;
use std::sync::{Arc, OnceLock};
use std::time::Duration;

use mcp_session::HandlerFuture;
use mcp_types::Icon;
use mcp_types::content::Annotations;
use mcp_types::result::CacheScope;

use super::{BlockingResourceHandler, Read, ResourceHandler, Signature, paths};
use crate::call::{Call, Handler, Parameters, Rejection, Texts, paced};
use crate::completion::{Completers, CompletionHandler};
use crate::identity::Cache;
use crate::schema::{Member, members};
use crate::template::{TemplateError, UriTemplate};

/// Resources at all URIs that a [template](UriTemplate) fits: a function that reads them, and what clients are told of
/// them.
///
/// The function takes the variables by [`Args`](crate::Args), typed, and the URI by [`Uri`](crate::Uri).
///
/// Values cannot lead out of a folder: a URI does not fit, and there is no such resource, when the decoded value of a
/// variable has a backslash or a control character in it, begins with a slash, or has `.` or `..` for one of its
/// segments; and a value that is one segment has no slash in it at all. So a function may put a value behind the path
/// of a folder. [`with_any_values`](Self::with_any_values) turns that off.
///
/// A fixed resource goes before a template, and of two templates that a URI fits the one that has more literal text.
///
/// ```
/// use mcp_server::{Args, ResourceTemplate, Server, TemplateError};
/// use schemars::JsonSchema;
/// use serde::Deserialize;
///
/// #[derive(Deserialize, JsonSchema)]
/// struct Page {
///     book: String,
///     number: u32,
/// }
///
/// async fn page(Args(page): Args<Page>) -> String {
///     format!("page {} of {}", page.number, page.book)
/// }
///
/// let template = ResourceTemplate::new("book://{book}/{number}", "page", page).with_description("A page of a book.");
/// let server = Server::new("library", "1.0.0").add_resource_template(template);
/// # drop(server);
/// let broken = ResourceTemplate::parse("book://{book", "page", page);
/// assert!(matches!(broken, Err(TemplateError::Brace { at: 7 })));
/// ```
pub struct ResourceTemplate {
    description: mcp_types::resources::ResourceTemplate,
    template: UriTemplate,
    parameters: Parameters,
    /// What its function says of the variables.
    members: OnceLock<Vec<Member>>,
    read: Read,
    takes_any_values: bool,
    completers: Completers,
    handler: Box<Handler>,
}

impl ResourceTemplate {
    /// Resources at the URIs of a template, with this name for programs, that call a function to be read.
    ///
    /// # Panics
    ///
    /// When the text is no template, or none that can be matched; [`parse`](Self::parse) says what is wrong instead.
    #[must_use]
    #[track_caller]
    pub fn new<H: ResourceHandler<M>, M>(template: &str, name: impl Into<String>, handler: H) -> Self {
        Self::parse(template, name, handler).unwrap_or_else(|error| panic!("the template `{template}`: {error}"))
    }

    /// The same, of a text that may be wrong.
    ///
    /// # Errors
    ///
    /// [`TemplateError`] says what is wrong.
    pub fn parse<H: ResourceHandler<M>, M>(
        template: &str,
        name: impl Into<String>,
        handler: H,
    ) -> Result<Self, TemplateError> {
        let template = template.parse()?;
        Ok(Self::from_signature(template, name.into(), H::signature(), paced(move |call| handler.call(call))))
    }

    /// Resources at the URIs of a template that call a function which blocks, on a thread of its own. What is said of
    /// [blocking tools](crate::Tool::blocking) holds for it.
    ///
    /// # Panics
    ///
    /// When the text is no template, or none that can be matched.
    #[must_use]
    #[track_caller]
    pub fn blocking<H: BlockingResourceHandler<M>, M>(template: &str, name: impl Into<String>, handler: H) -> Self {
        let handler = Arc::new(handler);
        let handler = Box::new(move |call: &Call<'_>| Arc::clone(&handler).call(call));
        match template.parse() {
            Ok(template) => Self::from_signature(template, name.into(), H::signature(), handler),
            Err(error) => panic!("the template `{template}`: {error}"),
        }
    }

    fn from_signature(template: UriTemplate, name: String, signature: Signature, handler: Box<Handler>) -> Self {
        let mut description = mcp_types::resources::ResourceTemplate::new(template.as_str(), name);
        description.mime_type = signature.mime_type.map(str::to_owned);
        Self {
            description,
            template,
            parameters: signature.parameters,
            members: OnceLock::new(),
            read: Read::default(),
            takes_any_values: false,
            completers: Completers::default(),
            handler,
        }
    }

    /// Sets their name for people.
    #[must_use]
    pub fn with_title(self, title: impl Into<String>) -> Self {
        self.with(|template| template.title = Some(title.into()))
    }

    /// Says what they are, for a language model.
    #[must_use]
    pub fn with_description(self, description: impl Into<String>) -> Self {
        self.with(|template| template.description = Some(description.into()))
    }

    /// Says what kind all of them are: `text/html`, `image/png`. By default this follows from what the function
    /// returns.
    #[must_use]
    pub fn with_mime_type(mut self, mime_type: impl Into<String>) -> Self {
        let mime_type = mime_type.into();
        self.read.mime_type = Some(mime_type.clone());
        self.with(|template| template.mime_type = Some(mime_type))
    }

    /// Sets the pictures to show.
    #[must_use]
    pub fn with_icons(self, icons: impl Into<Vec<Icon>>) -> Self {
        self.with(|template| template.icons = Some(icons.into()))
    }

    /// Says for whom they are.
    #[must_use]
    pub fn with_annotations(self, annotations: Annotations) -> Self {
        self.with(|template| template.annotations = Some(annotations))
    }

    /// Sets for how long, in whole milliseconds, and by whom their contents may be cached (from 2026-07-28). By
    /// default as the server says of all contents.
    #[must_use]
    pub fn with_cache(mut self, ttl: Duration, scope: CacheScope) -> Self {
        self.read.cache = Some(Cache::new(ttl, scope));
        self
    }

    /// Lets values through that could lead out of a folder, for variables that never become part of a path.
    #[must_use]
    pub const fn with_any_values(mut self) -> Self {
        self.takes_any_values = true;
        self
    }

    /// Says what could stand in a variable, by a function: async, with up to four parameters such as
    /// [`Prefix`](crate::Prefix), [`Filled`](crate::Filled) and [`State`](crate::State).
    ///
    /// A variable whose type is an enum or a `bool` is completed by itself.
    #[must_use]
    pub fn complete<H: CompletionHandler<M>, M>(mut self, variable: impl Into<String>, handler: H) -> Self {
        self.completers.add(variable.into(), handler);
        self
    }

    /// The template.
    #[must_use]
    pub const fn template(&self) -> &UriTemplate {
        &self.template
    }

    /// What clients are told of them.
    #[must_use]
    pub const fn description(&self) -> &mcp_types::resources::ResourceTemplate {
        &self.description
    }

    /// The values of its variables in a URI, if it fits and they may be let through.
    //= 2026-07-28/server/resources#security-considerations
    //# Servers **MUST** sanitize file paths to prevent directory traversal attacks
    pub(crate) fn matches(&self, uri: &str) -> Option<Texts> {
        let is_harmless =
            |(name, value): (&String, &String)| paths::is_harmless(value, self.template.may_have_slashes(name));
        self.template.matches(uri).filter(|values| self.takes_any_values || values.iter().all(is_harmless))
    }

    pub(crate) const fn read(&self) -> &Read {
        &self.read
    }

    /// The variables, as its function wants them.
    pub(crate) fn members(&self) -> &[Member] {
        self.members.get_or_init(|| members(&self.parameters.schema()))
    }

    pub(crate) const fn completers(&self) -> &Completers {
        &self.completers
    }

    pub(crate) const fn parameters(&self) -> &Parameters {
        &self.parameters
    }

    pub(crate) fn call(&self, call: &Call<'_>) -> Result<HandlerFuture, Rejection> {
        (self.handler)(call)
    }

    fn with(mut self, set: impl FnOnce(&mut mcp_types::resources::ResourceTemplate)) -> Self {
        set(&mut self.description);
        self
    }
}

impl fmt::Debug for ResourceTemplate {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("ResourceTemplate").field("description", &self.description).finish_non_exhaustive()
    }
}
