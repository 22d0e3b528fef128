//! What a completion returns.

use mcp_types::completion::Completion;
use mcp_types::jsonrpc::ErrorObject;

use crate::tool::ProtocolError;

/// What a completion may return: the values, the most fitting first. Of more than 100 the first are sent, and the rest
/// is counted.
///
/// | type | values |
/// | --- | --- |
/// | `Vec<String>`, `Vec<&'static str>`, `[&'static str; N]` | these |
/// | [`Completion`] | as it is, save that no more than 100 are sent |
/// | `Result<T, ProtocolError>` | those of `T`, or a protocol error |
#[diagnostic::on_unimplemented(
    message = "`{Self}` is not something that a completion can return",
    note = "a completion returns a list of texts, `Completion`, or a `Result` of one of these"
)]
pub trait IntoCompletion {
    /// Makes the values.
    ///
    /// # Errors
    ///
    /// The protocol error that is the answer instead.
    fn into_completion(self) -> Result<Completion, ErrorObject>;
}

impl IntoCompletion for Completion {
    //= 2026-07-28/server/utilities/completion#completion-results
    //# - Maximum 100 items per response
    fn into_completion(mut self) -> Result<Completion, ErrorObject> {
        if self.values.len() > Self::MOST {
            let total = self.total;
            let cut = Self::new(std::mem::take(&mut self.values));
            (self.values, self.has_more) = (cut.values, cut.has_more);
            self.total = total.or(cut.total);
        }
        Ok(self)
    }
}

impl IntoCompletion for Vec<String> {
    fn into_completion(self) -> Result<Completion, ErrorObject> {
        Ok(Completion::new(self))
    }
}

impl IntoCompletion for Vec<&'static str> {
    fn into_completion(self) -> Result<Completion, ErrorObject> {
        self.into_iter().map(str::to_owned).collect::<Vec<_>>().into_completion()
    }
}

impl<const N: usize> IntoCompletion for [&'static str; N] {
    fn into_completion(self) -> Result<Completion, ErrorObject> {
        Vec::from(self).into_completion()
    }
}

impl<T: IntoCompletion> IntoCompletion for Result<T, ProtocolError> {
    fn into_completion(self) -> Result<Completion, ErrorObject> {
        self.map_err(ProtocolError::into_object)?.into_completion()
    }
}
