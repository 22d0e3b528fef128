//! What became of a question to the user.

/// What a user did with a question.
///
/// ```
/// use mcp_server::Elicited;
///
/// assert_eq!(Elicited::Accepted(7).accepted(), Some(7));
/// assert_eq!(Elicited::<u8>::Declined.accepted(), None);
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[expect(clippy::exhaustive_enums, reason = "a handler has to think of each")]
pub enum Elicited<T> {
    /// The user answered. Of a question by a page: the user agreed to open it, and may not be done there.
    Accepted(T),
    /// The user said no.
    Declined,
    /// The user closed the question without a choice.
    Cancelled,
}

impl<T> Elicited<T> {
    /// The answer, if there is one.
    #[must_use]
    pub fn accepted(self) -> Option<T> {
        match self {
            Self::Accepted(answer) => Some(answer),
            Self::Declined | Self::Cancelled => None,
        }
    }

    /// Whether the user answered.
    #[must_use]
    pub const fn is_accepted(&self) -> bool {
        matches!(self, Self::Accepted(_))
    }

    /// The same with another answer.
    #[must_use]
    pub fn map<U>(self, with: impl FnOnce(T) -> U) -> Elicited<U> {
        match self {
            Self::Accepted(answer) => Elicited::Accepted(with(answer)),
            Self::Declined => Elicited::Declined,
            Self::Cancelled => Elicited::Cancelled,
        }
    }

    /// The word of the protocol for it: `accept`, `decline` or `cancel`.
    #[must_use]
    pub const fn action(&self) -> &'static str {
        match self {
            Self::Accepted(_) => "accept",
            Self::Declined => "decline",
            Self::Cancelled => "cancel",
        }
    }
}
