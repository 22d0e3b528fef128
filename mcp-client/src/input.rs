//! Who answers when a server asks for input.

/// Who answers the rounds of input of the modern era: a server answers a call with questions, and the call is made
/// again with the answers.
///
/// By default the callbacks of the client answer, as they answer the requests of a legacy server, in up to
/// [`Limits::input_rounds`](mcp_session::limits::Limits::input_rounds) rounds.
///
/// ```
/// use mcp_client::{Client, InputRounds};
///
/// let client = Client::new("my-app", "1.0").with_input_rounds(InputRounds::drive().max(3));
/// # drop(client);
/// ```
///
/// Spec: [Multi round-trip requests](https://modelcontextprotocol.io/specification/2026-07-28/basic/patterns/mrtr)
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct InputRounds {
    max: Option<u32>,
    is_handed_over: bool,
}

impl InputRounds {
    /// The callbacks answer.
    #[must_use]
    pub const fn drive() -> Self {
        Self { max: None, is_handed_over: false }
    }

    /// The caller answers. A call that needs input fails with
    /// [`CallError::InputRequired`](crate::CallError::InputRequired), unless it is awaited by
    /// [`Call::hand_over`](crate::Call::hand_over).
    #[must_use]
    pub const fn hand_over() -> Self {
        Self { max: None, is_handed_over: true }
    }

    /// Sets after how many rounds a call is given up.
    #[must_use]
    pub const fn max(mut self, rounds: u32) -> Self {
        self.max = Some(rounds);
        self
    }

    pub(crate) const fn is_handed_over(self) -> bool {
        self.is_handed_over
    }

    pub(crate) fn limit(self, default: usize) -> u32 {
        self.max.unwrap_or_else(|| u32::try_from(default).unwrap_or(u32::MAX))
    }
}
