//! What a server has.

use std::sync::Arc;

use mcp_types::prompts::Prompt;
use mcp_types::resources::{Resource, ResourceTemplate};
use mcp_types::tools::ListParams;
use mcp_types::{ServerCapabilities, Tool};

use crate::connection::Connection;
use crate::lists::{Ask, Element, Kind, Pages, Source};

impl Connection {
    /// The tools of the server, page by page: see [`Pages`].
    ///
    /// ```
    /// # async fn example(connection: mcp_client::Connection) -> Result<(), mcp_client::ListError> {
    /// for tool in connection.tools().all().await? {
    ///     println!("{}: {}", tool.name, tool.description.unwrap_or_default());
    /// }
    /// # Ok(())
    /// # }
    /// ```
    pub fn tools(&self) -> Pages<Tool> {
        self.pages()
    }

    /// The prompts of the server, page by page: see [`Pages`].
    pub fn prompts(&self) -> Pages<Prompt> {
        self.pages()
    }

    /// The resources of the server, page by page: see [`Pages`].
    pub fn resources(&self) -> Pages<Resource> {
        self.pages()
    }

    /// The resource templates of the server, page by page: see [`Pages`].
    pub fn resource_templates(&self) -> Pages<ResourceTemplate> {
        self.pages()
    }

    fn pages<T: Element>(&self) -> Pages<T> {
        let shared = self.shared();
        let link = shared.link();
        let offers = |link: &crate::link::Link| {
            link.agreed.capabilities.as_ref().is_none_or(|capabilities| is_offered(capabilities, T::KIND))
        };
        // Only modern servers say how long a list is good for.
        let cache = link.as_deref().filter(|link| link.is_modern() && shared.config.keeps_lists);
        let cache = cache.map(|link| shared.hub.cache(link.number));
        // The pages do not keep the connection open.
        let connection = Self::unowned(Arc::clone(shared));
        let fetch = move |Ask { cursor, timeout }| {
            let mut params = ListParams::new();
            params.cursor = cursor;
            let call = connection.request_raw(T::KIND.method(), &params);
            let call = match timeout {
                Some(timeout) => call.timeout(timeout),
                None => call,
            };
            Box::pin(call) as _
        };
        Pages::new(Source::new(fetch).with_offered(link.as_deref().is_none_or(offers)).with_cache(cache))
    }
}

/// Whether a server that can do this has such a list.
const fn is_offered(capabilities: &ServerCapabilities, kind: Kind) -> bool {
    match kind {
        Kind::Tools => capabilities.tools.is_some(),
        Kind::Prompts => capabilities.prompts.is_some(),
        Kind::Resources | Kind::ResourceTemplates => capabilities.resources.is_some(),
    }
}
