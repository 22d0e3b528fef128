//! The requests that steps make.

use std::pin::Pin;
use std::sync::{Arc, Mutex, PoisonError};

use mcp_client::Connection;
use serde::Serialize;
use serde_json::{Map, Value, json};

use super::outcome::{Failure, Outcome};
use super::script::Call;
use super::settings::Settings;

/// A request under way.
pub(super) type Pending = Pin<Box<dyn Future<Output = Outcome> + Send>>;

/// The values of progress that came so far, in their order.
pub(super) type Values = Arc<Mutex<Vec<f64>>>;

/// Makes requests on a connection, as the settings say.
pub(super) struct Requests<'a> {
    pub(super) connection: &'a Connection,
    pub(super) settings: Settings,
    pub(super) progress: &'a Values,
}

impl Requests<'_> {
    /// Calls a tool, through as many rounds of input as it asks for.
    pub(super) fn call(&self, call: &Call) -> Pending {
        let values = Arc::clone(self.progress);
        let pending = self.connection.call_tool(&call.name, &call.arguments).on_progress(move |note| {
            values.lock().unwrap_or_else(PoisonError::into_inner).push(note.progress);
        });
        self.made(pending)
    }

    /// Reads a resource.
    pub(super) fn read(&self, uri: &str) -> Pending {
        self.made(self.connection.read_resource(uri))
    }

    /// Gets a prompt.
    pub(super) fn prompt(&self, name: &str) -> Pending {
        self.made(self.connection.get_prompt(name, &()))
    }

    /// Sends a request of any method.
    pub(super) fn request(&self, method: &str, params: Option<Map<String, Value>>) -> Pending {
        self.made(self.connection.request_raw(method.to_owned(), &params))
    }

    /// A call as the settings say, whose result is told as JSON.
    fn made<T: Serialize + Send + 'static>(&self, mut call: mcp_client::Call<T>) -> Pending {
        if let Some(timeout) = self.settings.timeout {
            call = call.timeout(timeout);
        }
        if let Some(total) = self.settings.max_time {
            call = call.max_time(total);
        }
        Box::pin(async move {
            let result = call.await?;
            serde_json::to_value(result).map_err(|error| Failure::Other(error.to_string()))
        })
    }
}

/// Lists all tools, over all pages.
pub(super) async fn all_tools(connection: &Connection) -> Outcome {
    let listing = connection.tools().all().await?;
    Ok(json!({"tools": listing.items}))
}
