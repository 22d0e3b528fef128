//! Completion: what could stand in a place that is still to be filled in.

mod extract;
mod handler;
mod outcome;

use mcp_session::HandlerFuture;
use mcp_types::completion::Completion;

pub use self::extract::{Filled, Prefix};
pub(crate) use self::handler::CompletionEnding;
pub use self::handler::{CompletionHandler, Signature};
pub use self::outcome::IntoCompletion;
use crate::call::{Call, Handler, Rejection, paced};
use crate::schema::Member;
use crate::state::Need;

/// The functions that complete the places of one thing, by the names of the places.
#[derive(Default)]
pub(crate) struct Completers(Vec<Completer>);

struct Completer {
    place: String,
    needs: Vec<Need>,
    handler: Box<Handler>,
}

impl Completers {
    /// Adds one. The last for a place stays.
    pub(crate) fn add<H: CompletionHandler<M>, M>(&mut self, place: String, handler: H) {
        let Signature(parameters) = H::signature();
        self.0.retain(|other| other.place != place);
        self.0.push(Completer { place, needs: parameters.needs, handler: paced(move |call| handler.call(call)) });
    }

    pub(crate) const fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    pub(crate) fn needs(&self) -> impl Iterator<Item = Need> {
        self.0.iter().flat_map(|completer| completer.needs.iter().copied())
    }

    /// Has a place completed by its function. `None` when it has none.
    pub(crate) fn call(&self, place: &str, call: &Call<'_>) -> Option<Result<HandlerFuture, Rejection>> {
        let completer = self.0.iter().find(|completer| completer.place == place)?;
        Some((completer.handler)(call))
    }
}

/// What could stand in a place for which no function speaks, but its type. Values that begin with the prefix come
/// first, those that have it somewhere after them; upper and lower case are the same.
pub(crate) fn of_type(members: &[Member], place: &str, prefix: &str) -> Completion {
    let prefix = prefix.to_lowercase();
    let values = members.iter().find(|member| member.name == place).map(|member| &member.values);
    let found = |value: &&String| value.to_lowercase().find(&prefix);
    let (mut first, mut others) = (Vec::new(), Vec::new());
    for value in values.into_iter().flatten() {
        match found(&value) {
            Some(0) => first.push(value.clone()),
            Some(_) => others.push(value.clone()),
            None => {}
        }
    }
    first.append(&mut others);
    Completion::new(first)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn values_that_begin_with_the_prefix_come_first() {
        let values = ["Fahrenheit", "celsius", "freezing", "chf"].map(str::to_owned).to_vec();
        let members = [Member { name: "unit".to_owned(), values, ..Member::default() }];
        let of = |prefix| of_type(&members, "unit", prefix).values;
        assert_eq!(of(""), ["Fahrenheit", "celsius", "freezing", "chf"]);
        assert_eq!(of("f"), ["Fahrenheit", "freezing", "chf"]);
        assert_eq!(of("CEL"), ["celsius"]);
        assert_eq!(of("x"), [""; 0]);
        assert_eq!(of_type(&members, "other", "").values, [""; 0]);
    }
}
