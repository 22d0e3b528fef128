//! What stands behind the end of a connection.

use std::error::Error;
use std::fmt;
use std::io;
use std::sync::Arc;

/// What stands behind the end of a connection: a child that exited, a reset, a failed write, a frame that was too
/// large.
///
/// It is an error itself, with the text and the source of what it holds. Cloning is cheap, so that everybody who
/// waited gets the same one.
///
/// ```
/// use std::io;
/// use mcp_session::Cause;
///
/// let cause = Cause::new(io::Error::from(io::ErrorKind::ConnectionReset));
/// assert_eq!(cause.to_string(), "connection reset");
/// assert!(cause.downcast_ref::<io::Error>().is_some());
/// ```
#[derive(Clone)]
pub struct Cause(Arc<dyn Error + Send + Sync>);

impl Cause {
    /// Holds an error.
    #[must_use]
    pub fn new(error: impl Error + Send + Sync + 'static) -> Self {
        Self(Arc::new(error))
    }

    /// The error, if it is of this type.
    #[must_use]
    pub fn downcast_ref<T: Error + 'static>(&self) -> Option<&T> {
        self.0.downcast_ref()
    }

    /// The error.
    #[must_use]
    pub fn get_ref(&self) -> &(dyn Error + Send + Sync + 'static) {
        &*self.0
    }
}

impl From<Arc<io::Error>> for Cause {
    fn from(error: Arc<io::Error>) -> Self {
        Self(error)
    }
}

impl fmt::Display for Cause {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(&self.0, f)
    }
}

impl fmt::Debug for Cause {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Debug::fmt(&self.0, f)
    }
}

impl Error for Cause {
    fn source(&self) -> Option<&(dyn Error + 'static)> {
        self.0.source()
    }
}

/// A frame was over the limit, and whose answer it was could not be found out.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("a frame of {size} bytes is over the limit of {limit}")]
#[non_exhaustive]
pub struct FrameTooLarge {
    /// How many bytes it had, without its line ending.
    pub size: u64,
    /// How many it may have.
    pub limit: u64,
}
