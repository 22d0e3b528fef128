//! How serving fails.

use std::error::Error;
use std::fmt;
use std::io;

use mcp_session::RunError;

/// Why serving failed.
///
/// The variants are promised, the texts are not. `Debug` shows the text and its sources, because that is what a
/// `main` that returns this error prints.
#[derive(thiserror::Error)]
#[non_exhaustive]
pub enum ServeError {
    /// The transport could not be taken, or signals could not be awaited: nothing was served.
    #[error("serving could not start")]
    Io(#[from] io::Error),
    /// A handler takes a [`State`](crate::State) that the server was not given: nothing was served.
    #[error("the {kind} `{name}` needs a state of type `{state}`, which the server was not given")]
    MissingState {
        /// What has the handler: `tool`, `prompt`, `resource` or `resource template`.
        kind: &'static str,
        /// The name of that, or its URI.
        name: String,
        /// The type of the state.
        state: &'static str,
    },
    /// Writing failed for a reason of this side, such as a full disk: data was lost.
    #[error("the run lost data")]
    Run(#[from] RunError),
}

impl fmt::Debug for ServeError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{self}")?;
        let mut source = self.source();
        while let Some(error) = source {
            write!(f, ": {error}")?;
            source = error.source();
        }
        Ok(())
    }
}
