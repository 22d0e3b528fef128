//! Reads resources.

use mcp_types::method;
use mcp_types::resources::{ReadResourceParams, ReadResourceResult};

use crate::call::Call;
use crate::connection::Connection;

impl Connection {
    /// Reads a resource. It may have several contents: those of the files in a folder, for instance.
    ///
    /// Where there is no such resource the server answers with an error: -32602 in the modern era, -32002 in the
    /// legacy one.
    ///
    /// ```
    /// # async fn example(connection: mcp_client::Connection) -> Result<(), mcp_client::CallError> {
    /// let read = connection.read_resource("file:///README.md").await?;
    /// println!("{} contents", read.contents.len());
    /// # Ok(())
    /// # }
    /// ```
    ///
    /// Spec: [Reading resources](https://modelcontextprotocol.io/specification/2026-07-28/server/resources#reading-resources)
    pub fn read_resource(&self, uri: impl Into<String>) -> Call<ReadResourceResult> {
        self.request(method::RESOURCES_READ, &ReadResourceParams::new(uri))
    }
}
