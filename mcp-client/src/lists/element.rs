//! What can be listed.

use mcp_types::prompts::Prompt;
use mcp_types::resources::{Resource, ResourceTemplate};
use mcp_types::{RawJson, Tool, method};
use serde::de::DeserializeOwned;

/// One of the lists of a server.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Kind {
    Tools,
    Prompts,
    Resources,
    ResourceTemplates,
}

impl Kind {
    /// How many there are.
    pub(crate) const COUNT: usize = 4;

    /// The method that lists it.
    pub(crate) const fn method(self) -> &'static str {
        match self {
            Self::Tools => method::TOOLS_LIST,
            Self::Prompts => method::PROMPTS_LIST,
            Self::Resources => method::RESOURCES_LIST,
            Self::ResourceTemplates => method::RESOURCES_TEMPLATES_LIST,
        }
    }

    /// The member of a result in which its elements stand.
    pub(crate) const fn member(self) -> &'static str {
        match self {
            Self::Tools => "tools",
            Self::Prompts => "prompts",
            Self::Resources => "resources",
            Self::ResourceTemplates => "resourceTemplates",
        }
    }
}

/// What can be listed: a [`Tool`], a [`Prompt`], a [`Resource`] or a [`ResourceTemplate`].
pub trait Element: DeserializeOwned + Unpin + Send + 'static + Listed {}

impl<T: DeserializeOwned + Unpin + Send + 'static + Listed> Element for T {}

/// What this crate knows of an element, and nobody else needs to.
#[expect(unnameable_types, reason = "so that nobody else implements it")]
pub trait Listed {
    #[doc(hidden)]
    #[expect(private_interfaces, reason = "the trait cannot be named outside")]
    const KIND: Kind;

    /// The member that breaks a rule which its type does not show, and the rule.
    #[doc(hidden)]
    fn broken_rule(&self) -> Option<(&'static str, &'static str)> {
        None
    }
}

#[expect(private_interfaces, reason = "as in the trait")]
impl Listed for Tool {
    const KIND: Kind = Kind::Tools;

    fn broken_rule(&self) -> Option<(&'static str, &'static str)> {
        let schemas = [("inputSchema", Some(&self.input_schema)), ("outputSchema", self.output_schema.as_ref())];
        let broken = schemas.into_iter().find(|(_, schema)| schema.is_some_and(|schema| !RawJson::is_object(schema)));
        broken.map(|(member, _)| (member, "a schema is an object"))
    }
}

#[expect(private_interfaces, reason = "as in the trait")]
impl Listed for Prompt {
    const KIND: Kind = Kind::Prompts;
}

#[expect(private_interfaces, reason = "as in the trait")]
impl Listed for Resource {
    const KIND: Kind = Kind::Resources;
}

#[expect(private_interfaces, reason = "as in the trait")]
impl Listed for ResourceTemplate {
    const KIND: Kind = Kind::ResourceTemplates;
}
