//! What is wrong with a template.

/// Why a text is no template that URIs can be matched against.
///
/// The variants are promised, the texts are not.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum TemplateError {
    /// It does not begin with a scheme, such as `file:`.
    #[error("a template begins with a scheme and a colon")]
    NoScheme,
    /// An expression is not closed, or a brace closes none.
    #[error("a brace at byte {at} has no partner")]
    Brace {
        /// Where the brace is.
        at: usize,
    },
    /// A character that no URI can have and that no encoding is given for, or a broken percent-encoding.
    #[error("the character at byte {at} cannot stand in a URI")]
    Character {
        /// Where the character is.
        at: usize,
    },
    /// An expression of a kind that cannot be matched, or that stands where it cannot be matched.
    #[error("the expression `{expression}` is not supported: {reason}")]
    Unsupported {
        /// The expression, with its braces.
        expression: String,
        /// What is the matter with it.
        reason: &'static str,
    },
    /// The name of a variable is empty or has a character that names do not have.
    #[error("`{name}` is not the name of a variable")]
    Name {
        /// The name.
        name: String,
    },
    /// Two variables have the same name.
    #[error("the variable `{name}` stands there twice")]
    Twice {
        /// The name.
        name: String,
    },
}
