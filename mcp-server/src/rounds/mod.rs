//! Asking the client while a call is served, written once for both eras.
//!
//! In a legacy session a question is a request to the client. In the modern era the call is answered by the questions
//! and made again by the client with the answers: the handler runs once more, from its start, and finds them.
//!
//! | file | what is in it |
//! | --- | --- |
//! | `ask.rs` | what can be asked: methods of `Context` |
//! | `question.rs` | a question, as the future of its answer, in both eras |
//! | `round.rs` | one run of a handler: what it asked, which answers there are, how the round ends |
//! | `keeper.rs` | what is kept between the rounds of a call |
//! | `needs.rs` | what a question needs of the revision and of the client |
//! | `form.rs` | forms from types |
//! | `elicited.rs` | what became of a question to the user |
//! | `once.rs` | steps that are not run again |
//! | `blocking.rs` | rounds of handlers that block |
//! | `error.rs` | why there is no answer |

mod ask;
mod blocking;
mod elicited;
mod error;
mod form;
mod keeper;
mod needs;
mod once;
mod question;
mod round;

use std::cell::OnceCell;
use std::sync::Arc;

pub(crate) use self::blocking::{block_on, run_blocking};
pub use self::elicited::Elicited;
pub use self::error::AskError;
#[cfg(feature = "seal")]
pub(crate) use self::keeper::{Digest, Kept, NotKept, Purpose, StateFault};
pub(crate) use self::keeper::{StateKeeper, Table};
pub use self::question::Question;
pub(crate) use self::round::{Round, Running};
use crate::call::{Call, Rejection};

/// What the handler of a call asks, once something needs to know.
#[derive(Debug, Default)]
pub(crate) struct Asking(OnceCell<Arc<Round>>);

impl Asking {
    /// Takes what the client sent for an earlier round of this call, if it sent anything.
    ///
    /// # Errors
    ///
    /// When that cannot be used: the call is answered by a protocol error.
    pub(crate) fn open(&self, call: &Call<'_>) -> Result<(), Rejection> {
        let params = &call.request.params;
        if params.input_responses.is_some() || params.request_state.is_some() {
            self.round(call)?;
        }
        Ok(())
    }

    /// The round that the call is in.
    ///
    /// # Errors
    ///
    /// As [`open`](Self::open).
    pub(crate) fn round(&self, call: &Call<'_>) -> Result<Arc<Round>, Rejection> {
        let round = match self.0.get() {
            Some(round) => round,
            None => {
                let round = Arc::new(Round::of(call).map_err(Rejection::Error)?);
                self.0.get_or_init(|| round)
            }
        };
        Ok(Arc::clone(round))
    }

    /// The round, if anything of the handler can ask.
    pub(crate) fn started(&self) -> Option<Arc<Round>> {
        self.0.get().map(Arc::clone)
    }
}
