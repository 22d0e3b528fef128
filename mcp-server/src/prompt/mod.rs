//! Prompts: messages that a person can pick, with places to fill in.

mod error;
mod handler;
mod outcome;
mod registry;

use std::fmt;
use std::sync::{Arc, OnceLock};

use mcp_session::HandlerFuture;
use mcp_types::Icon;
use mcp_types::prompts::PromptArgument;

pub use self::error::PromptError;
pub use self::handler::{BlockingPromptHandler, PromptHandler, Signature};
pub(crate) use self::outcome::Form;
pub use self::outcome::{IntoPromptOutcome, PromptOutcome};
pub use self::registry::Prompts;
use crate::call::{Call, Handler, Parameters, Rejection, paced};
use crate::completion::{Completers, CompletionHandler};
use crate::schema::{Member, members};

/// A prompt: a function, and what clients are told of it.
///
/// What can be filled in follows from the [`Args`](crate::Args) of the function: names, doc comments, and what may be
/// left out. On the wire these are texts; the type says how they are read.
///
/// ```
/// use mcp_server::{Args, Prefix, Prompt, Server};
/// use schemars::JsonSchema;
/// use serde::Deserialize;
///
/// #[derive(Deserialize, JsonSchema)]
/// struct Review {
///     /// The language of the code.
///     language: String,
///     lines: Option<u32>,
/// }
///
/// async fn review(Args(review): Args<Review>) -> String {
///     format!("Review the {} code below in at most {} lines.", review.language, review.lines.unwrap_or(10))
/// }
///
/// async fn languages(Prefix(prefix): Prefix) -> Vec<&'static str> {
///     ["c", "python", "rust"].into_iter().filter(|language| language.starts_with(&*prefix)).collect()
/// }
///
/// let prompt = Prompt::new("review", review).with_description("Reviews code.").complete("language", languages);
/// let server = Server::new("reviewer", "1.0.0").add_prompt(prompt);
/// # drop(server);
/// ```
pub struct Prompt {
    /// What was said of it, without what its function says.
    draft: mcp_types::prompts::Prompt,
    parameters: Parameters,
    /// What its function says of its arguments.
    members: OnceLock<Vec<Member>>,
    /// All together.
    description: OnceLock<mcp_types::prompts::Prompt>,
    completers: Completers,
    handler: Box<Handler>,
}

impl Prompt {
    /// A prompt of this name that calls a function.
    #[must_use]
    pub fn new<H: PromptHandler<M>, M>(name: impl Into<String>, handler: H) -> Self {
        Self::from_signature(name.into(), H::signature(), paced(move |call| handler.call(call)))
    }

    /// A prompt of this name that calls a function which blocks, on a thread of its own. What is said of
    /// [blocking tools](crate::Tool::blocking) holds for it.
    #[must_use]
    pub fn blocking<H: BlockingPromptHandler<M>, M>(name: impl Into<String>, handler: H) -> Self {
        let handler = Arc::new(handler);
        Self::from_signature(name.into(), H::signature(), Box::new(move |call| Arc::clone(&handler).call(call)))
    }

    fn from_signature(name: String, Signature(parameters): Signature, handler: Box<Handler>) -> Self {
        Self {
            draft: mcp_types::prompts::Prompt::new(name),
            parameters,
            members: OnceLock::new(),
            description: OnceLock::new(),
            completers: Completers::default(),
            handler,
        }
    }

    /// Says what it is for.
    #[must_use]
    pub fn with_description(self, description: impl Into<String>) -> Self {
        self.with(|prompt| prompt.description = Some(description.into()))
    }

    /// Sets the name for people.
    #[must_use]
    pub fn with_title(self, title: impl Into<String>) -> Self {
        self.with(|prompt| prompt.title = Some(title.into()))
    }

    /// Sets the pictures to show.
    #[must_use]
    pub fn with_icons(self, icons: impl Into<Vec<Icon>>) -> Self {
        self.with(|prompt| prompt.icons = Some(icons.into()))
    }

    /// Sets other arguments than those that follow from the function. Where a required one is left out, the function
    /// is not called.
    #[must_use]
    pub fn with_arguments(self, arguments: impl Into<Vec<PromptArgument>>) -> Self {
        self.with(|prompt| prompt.arguments = Some(arguments.into()))
    }

    /// Says what could stand in an argument, by a function: async, with up to four parameters such as
    /// [`Prefix`](crate::Prefix), [`Filled`](crate::Filled) and [`State`](crate::State).
    ///
    /// An argument whose type is an enum or a `bool` is completed by itself.
    #[must_use]
    pub fn complete<H: CompletionHandler<M>, M>(mut self, argument: impl Into<String>, handler: H) -> Self {
        self.completers.add(argument.into(), handler);
        self
    }

    /// The name by which it is got.
    #[must_use]
    pub fn name(&self) -> &str {
        &self.draft.name
    }

    /// What clients are told of it. The arguments are made when this is asked for first.
    #[must_use]
    pub fn description(&self) -> &mcp_types::prompts::Prompt {
        self.description.get_or_init(|| {
            let mut prompt = self.draft.clone();
            if prompt.arguments.is_none() {
                let arguments: Vec<_> = self.members().iter().map(argument).collect();
                prompt.arguments = Some(arguments).filter(|arguments| !arguments.is_empty());
            }
            prompt
        })
    }

    /// The names of its arguments.
    pub(crate) fn arguments(&self) -> impl Iterator<Item = &PromptArgument> {
        self.description().arguments.iter().flatten()
    }

    /// The arguments, as its function wants them.
    pub(crate) fn members(&self) -> &[Member] {
        self.members.get_or_init(|| members(&self.parameters.schema()))
    }

    pub(crate) const fn completers(&self) -> &Completers {
        &self.completers
    }

    pub(crate) fn call(&self, call: &Call<'_>) -> Result<HandlerFuture, Rejection> {
        (self.handler)(call)
    }

    fn with(mut self, set: impl FnOnce(&mut mcp_types::prompts::Prompt)) -> Self {
        set(&mut self.draft);
        self.description = OnceLock::new();
        self
    }
}

fn argument(member: &Member) -> PromptArgument {
    let mut argument = PromptArgument::new(&member.name);
    argument.description.clone_from(&member.description);
    argument.required = Some(member.is_required);
    argument
}

impl fmt::Debug for Prompt {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Prompt").field("description", self.description()).finish_non_exhaustive()
    }
}
