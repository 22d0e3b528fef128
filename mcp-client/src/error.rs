//! How connecting fails.

use mcp_session::CallError;
use mcp_types::jsonrpc::ErrorObject;

/// Why a connection could not be opened.
///
/// The variants are promised, the texts are not.
#[derive(Clone, Debug, thiserror::Error)]
#[non_exhaustive]
pub enum ConnectError {
    /// The server answered the handshake with an error.
    #[error("the server refused the connection: error {}: {}", .0.code.0, .0.message)]
    Refused(Box<ErrorObject>),
    /// The server speaks no revision that this client does.
    #[error("the server offers {offered:?}, none of which is spoken here")]
    Unsupported {
        /// The revisions that the server offers.
        offered: Vec<String>,
    },
    /// The handshake was answered with something that is not a result of it.
    #[error("the answer to the handshake is malformed: {0}")]
    Malformed(String),
    /// The handshake was not answered.
    #[error("the handshake was not answered")]
    Call(#[source] CallError),
}

impl ConnectError {
    pub(crate) fn of(error: CallError) -> Self {
        match error {
            CallError::Peer { error, .. } => Self::Refused(error),
            other => Self::Call(other),
        }
    }
}
