//! What a completion can know.

use mcp_types::jsonrpc::{ErrorCode, ErrorObject};

use crate::call::{Asked, Call, FromCall, Rejection, Texts};

/// What is written so far in the place that is to be completed: an extractor, taken as a parameter of a completion.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
#[expect(clippy::exhaustive_structs, reason = "taken apart in the parameters of completions")]
pub struct Prefix(pub String);

/// The other places that are filled in already, by name: an extractor, taken as a parameter of a completion. Clients of
/// revisions before 2025-06-18 do not tell.
///
/// ```
/// use mcp_server::{Filled, Prefix, ResourceTemplate, Server};
///
/// async fn cities(Prefix(prefix): Prefix, Filled(filled): Filled) -> Vec<&'static str> {
///     let cities = match filled.get("country").map(String::as_str) {
///         Some("no") => vec!["Bergen", "Oslo"],
///         _ => vec!["Lima"],
///     };
///     cities.into_iter().filter(|city| city.starts_with(&*prefix)).collect()
/// }
///
/// let template = ResourceTemplate::new("weather://{country}/{city}", "weather", async || "rain").complete("city", cities);
/// let server = Server::new("weather", "1.0.0").add_resource_template(template);
/// # drop(server);
/// ```
#[derive(Clone, Debug, Default, PartialEq, Eq)]
#[expect(clippy::exhaustive_structs, reason = "taken apart in the parameters of completions")]
pub struct Filled(pub Texts);

impl FromCall for Prefix {
    fn from_call(call: &Call<'_>) -> Result<Self, Rejection> {
        match call.asked {
            Asked::Completion { prefix, .. } => Ok(Self(prefix.to_owned())),
            _ => Err(elsewhere("Prefix")),
        }
    }
}

impl FromCall for Filled {
    fn from_call(call: &Call<'_>) -> Result<Self, Rejection> {
        match call.asked {
            Asked::Completion { filled, .. } => Ok(Self(filled.clone())),
            _ => Err(elsewhere("Filled")),
        }
    }
}

fn elsewhere(extractor: &str) -> Rejection {
    tracing::error!(extractor, "only completions can take this");
    Rejection::Error(ErrorObject::new(ErrorCode::INTERNAL_ERROR, "internal error"))
}
