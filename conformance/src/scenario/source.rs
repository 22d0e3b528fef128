//! Where a requirement is written.

use std::fmt;

/// A place that others can look up.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub enum Source {
    /// A section of the specification.
    Spec {
        /// The revision.
        revision: &'static str,
        /// Its page and, if it has one, the section: `basic/transports#stdio`.
        section: &'static str,
    },
    /// A public report of the fault.
    Issue {
        /// The repository, without its owner where that is `modelcontextprotocol`.
        repository: &'static str,
        /// The issue or pull request.
        number: u32,
    },
    /// A row of this project's closing table.
    ClosingTable(&'static str),
    /// A published standard other than MCP.
    Standard(&'static str),
}

/// A section of the specification.
pub const fn spec(revision: &'static str, section: &'static str) -> Source {
    Source::Spec { revision, section }
}

/// A public report.
pub const fn issue(repository: &'static str, number: u32) -> Source {
    Source::Issue { repository, number }
}

/// A row of the closing table.
pub const fn row(row: &'static str) -> Source {
    Source::ClosingTable(row)
}

impl fmt::Display for Source {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Spec { revision, section } => write!(f, "spec {revision} {section}"),
            Self::Issue { repository, number } => write!(f, "{repository} {number}"),
            Self::ClosingTable(row) => write!(f, "closing table {row}"),
            Self::Standard(name) => f.write_str(name),
        }
    }
}
