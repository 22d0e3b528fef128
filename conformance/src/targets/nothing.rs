//! Two programs that do nothing, against which nothing may pass.

use crate::targets::Child;

/// The do-nothing programs.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub enum Nothing {
    /// Reads all its input, never answers, and exits with 0 at its end.
    ReadsAndNeverAnswers,
    /// Exits with 0 at once.
    ExitsAtOnce,
}

impl Nothing {
    /// Both.
    pub const ALL: [Self; 2] = [Self::ReadsAndNeverAnswers, Self::ExitsAtOnce];

    /// The program as anybody's server.
    pub fn foreign(self) -> Child {
        Child::foreign("sh", self.args())
    }

    /// The program as one that claims to keep the whole contract.
    pub fn contract(self) -> Child {
        Child::contract("sh", self.args())
    }

    fn args(self) -> [String; 2] {
        let script = match self {
            Self::ReadsAndNeverAnswers => "exec cat >/dev/null",
            Self::ExitsAtOnce => "exit 0",
        };
        ["-c".to_owned(), script.to_owned()]
    }
}
