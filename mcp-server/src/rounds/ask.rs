//! What a handler can ask.

use std::sync::Arc;

use mcp_types::Object;
use mcp_types::elicitation::{ElicitFormParams, ElicitParams, ElicitUrlParams, FormSchema, StringFormat};
use mcp_types::input::InputRequest;
use mcp_types::roots::{ListRootsParams, ListRootsResult, Root};
use mcp_types::sampling::{CreateMessageParams, CreateMessageResult};
use schemars::JsonSchema;
use serde::Serialize;
use serde::de::DeserializeOwned;

use super::elicited::Elicited;
use super::error::AskError;
use super::form;
use super::once::once;
use super::question::Question;
use crate::context::Context;

/// # Asking the client
///
/// What is asked here is a request to the client in a legacy session, and a round of input in the modern era: see
/// [`Question`]. Each question has a key, which is used once in a call; results of steps have keys of the same kind.
impl Context {
    /// Asks the user by a form whose fields are those of `T`.
    ///
    /// `T` is a struct of texts, numbers, booleans, enums without data, and lists of such enums; a field that is an
    /// `Option` may be left empty. Doc comments are shown to the user. What is entered passes through the client, so it
    /// is not for secrets.
    ///
    /// ```
    /// use mcp_server::{AskError, Context, Elicited, Server};
    /// use schemars::JsonSchema;
    /// use serde::Deserialize;
    ///
    /// #[derive(Deserialize, JsonSchema)]
    /// struct Guest {
    ///     /// Your name
    ///     name: String,
    ///     seats: Option<u8>,
    /// }
    ///
    /// async fn book(ctx: Context) -> Result<String, AskError> {
    ///     Ok(match ctx.elicit::<Guest>("guest", "Who is it for?").await? {
    ///         Elicited::Accepted(guest) => format!("{} seats for {}", guest.seats.unwrap_or(1), guest.name),
    ///         Elicited::Declined | Elicited::Cancelled => "nothing was booked".to_owned(),
    ///     })
    /// }
    ///
    /// let server = Server::new("theatre", "1.0.0").tool("book", "Books seats.", book);
    /// # drop(server);
    /// ```
    ///
    /// # Errors
    ///
    /// - [`AskError::InvalidForm`] names the field that a form cannot have.
    /// - [`AskError::NotSupported`], [`AskError::InvalidAnswer`] and [`AskError::Call`] in a legacy session.
    /// - [`AskError::DuplicateKey`].
    ///
    /// Spec: [Elicitation](https://modelcontextprotocol.io/specification/2026-07-28/client/elicitation)
    pub fn elicit<T>(&self, key: impl Into<Box<str>>, message: impl Into<String>) -> Question<Elicited<T>>
    where
        T: DeserializeOwned + JsonSchema,
    {
        let key = key.into();
        let schema = form::of_type::<T>();
        let request = match &schema {
            Ok(schema) => Ok(ElicitParams::Form(ElicitFormParams::new(message, schema)).into()),
            Err(why) => Err(AskError::InvalidForm { key: key.clone(), why: why.clone() }),
        };
        let schema = schema.unwrap_or_default();
        Question::new(self.round(), key, request, move |raw| match form::read_form(&schema, raw)? {
            Elicited::Accepted(content) => form::value_of(content).map(Elicited::Accepted),
            Elicited::Declined => Ok(Elicited::Declined),
            Elicited::Cancelled => Ok(Elicited::Cancelled),
        })
    }

    /// Asks the user by a form that is made at run time, such as one of a
    /// [`FormSchema`]. The answer has the fields as they were entered, with defaults filled in; it fits the form.
    ///
    /// # Errors
    ///
    /// As [`elicit`](Self::elicit).
    pub fn elicit_form(&self, key: impl Into<Box<str>>, form: ElicitFormParams) -> Question<Elicited<Object>> {
        let key = key.into();
        let schema = FormSchema::read(&form.requested_schema);
        let request = match &schema {
            Ok(_) => Ok(ElicitParams::Form(form).into()),
            Err(why) => Err(AskError::InvalidForm { key: key.clone(), why: why.clone() }),
        };
        let schema = schema.unwrap_or_default();
        Question::new(self.round(), key, request, move |raw| form::read_form(&schema, raw))
    }

    /// Asks the user to open a page: for secrets, payments and whatever else is not to pass through the client (from
    /// 2025-11-25). [`Elicited::Accepted`] means that the user agreed, not that anything was done there.
    ///
    /// The page has to make sure that who opens it is the user who was asked. Clients of 2025-11-25 are given a random
    /// `elicitationId`; [`elicit_page`](Self::elicit_page) takes one.
    ///
    /// # Errors
    ///
    /// - [`AskError::InvalidQuestion`]: it is no URL.
    /// - Otherwise as [`elicit`](Self::elicit).
    pub fn elicit_url(
        &self,
        key: impl Into<Box<str>>,
        message: impl Into<String>,
        url: impl Into<String>,
    ) -> Question<Elicited<()>> {
        self.elicit_page(key, ElicitUrlParams::new(message, url))
    }

    /// As [`elicit_url`](Self::elicit_url), with everything that the question has.
    ///
    /// # Errors
    ///
    /// As [`elicit_url`](Self::elicit_url).
    pub fn elicit_page(&self, key: impl Into<Box<str>>, page: ElicitUrlParams) -> Question<Elicited<()>> {
        let key = key.into();
        //= 2026-07-28/client/elicitation#url-mode-elicitation-requests
        //# The `url` parameter **MUST** contain a valid URL.
        let request = if page.url.contains("://") && StringFormat::Uri.fits(&page.url) {
            Ok(ElicitParams::Url(page).into())
        } else {
            Err(AskError::InvalidQuestion { key: key.clone(), why: "its `url` is not a URL".into() })
        };
        Question::new(self.round(), key, request, |raw| Ok(form::read_action(raw)?.map(drop)))
    }

    /// Asks the language model of the client.
    ///
    /// Tools are for clients that declare `sampling.tools` (from 2025-11-25). Context of servers is asked for only where
    /// the client declares `sampling.context`; elsewhere it is left out.
    ///
    /// ```
    /// use mcp_server::{AskError, Context};
    /// use mcp_types::sampling::{CreateMessageParams, SamplingMessage};
    ///
    /// async fn joke(ctx: Context) -> Result<String, AskError> {
    ///     let prompt = SamplingMessage::user("Tell a short joke.");
    ///     let told = ctx.sample("joke", CreateMessageParams::new(vec![prompt], 100)).await?;
    ///     Ok(told.as_text().unwrap_or("no joke today").to_owned())
    /// }
    /// ```
    ///
    /// # Errors
    ///
    /// - [`AskError::InvalidQuestion`]: a tool use has no result, or a result has no use.
    /// - Otherwise as [`elicit`](Self::elicit). A user who says no is [`AskError::Call`] in a legacy session; a modern
    ///   client does not make the call again then.
    ///
    /// Spec: [Sampling](https://modelcontextprotocol.io/specification/2026-07-28/client/sampling)
    pub fn sample(&self, key: impl Into<Box<str>>, params: CreateMessageParams) -> Question<CreateMessageResult> {
        let key = key.into();
        let request = match params.check_tools() {
            Ok(()) => Ok(params.into()),
            Err(why) => Err(AskError::InvalidQuestion { key: key.clone(), why: why.to_string().into() }),
        };
        Question::new(self.round(), key, request, |raw| form::read(raw, "a message of a language model"))
    }

    /// Asks for the folders and files that the server may work on.
    ///
    /// # Errors
    ///
    /// As [`elicit`](Self::elicit).
    ///
    /// Spec: [Roots](https://modelcontextprotocol.io/specification/2026-07-28/client/roots)
    pub fn roots(&self, key: impl Into<Box<str>>) -> Question<Vec<Root>> {
        let request = Ok(InputRequest::ListRoots(ListRootsParams::new()));
        Question::new(self.round(), key.into(), request, |raw| {
            form::read(raw, "a list of roots").map(|result: ListRootsResult| result.roots)
        })
    }

    /// Does a step once, however many rounds the call takes: its result is kept, as JSON, for the rounds that follow.
    ///
    /// A client that makes the call from its start, or an earlier round again, has the step done again. What is kept is
    /// bounded, so it is for an id or an amount and not for a file. In a legacy session there is one round, and the step
    /// is done in it.
    ///
    /// ```
    /// use mcp_server::{AskError, Context, Elicited};
    /// # use schemars::JsonSchema;
    /// # use serde::Deserialize;
    /// # #[derive(Deserialize, JsonSchema)]
    /// # struct Confirm { sure: bool }
    /// # async fn reserve() -> u32 { 7 }
    ///
    /// async fn book(ctx: Context) -> Result<String, AskError> {
    ///     let number = ctx.once("reserved", async { reserve().await }).await?;
    ///     let answer = ctx.elicit::<Confirm>("confirm", format!("Take seat {number}?")).await?;
    ///     Ok(format!("seat {number}: {}", answer.action()))
    /// }
    /// ```
    ///
    /// # Errors
    ///
    /// - [`AskError::DuplicateKey`]
    /// - [`AskError::InvalidStep`]: the result cannot be JSON, or is not a `T`.
    ///
    /// # Cancel safety
    ///
    /// As that of the step: a step that was dropped before its end is begun anew in the next round.
    pub async fn once<T, F>(&self, key: impl Into<Box<str>>, step: F) -> Result<T, AskError>
    where
        T: Serialize + DeserializeOwned,
        F: Future<Output = T>,
    {
        once(self.round(), key.into(), async { Ok(step.await) }).await
    }

    /// As [`once`](Self::once), for a step that can fail: a failure is returned and not kept.
    ///
    /// # Errors
    ///
    /// That of the step, or one made of an [`AskError`].
    pub async fn try_once<T, E, F>(&self, key: impl Into<Box<str>>, step: F) -> Result<T, E>
    where
        T: Serialize + DeserializeOwned,
        E: From<AskError>,
        F: Future<Output = Result<T, E>>,
    {
        once(self.round(), key.into(), step).await
    }

    fn round(&self) -> &Arc<super::Round> {
        &self.round
    }
}
