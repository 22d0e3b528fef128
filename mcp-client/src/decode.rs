//! Reads JSON of the server, and says where it is wrong when it is.

use serde::de::DeserializeOwned;

/// Reads a value. The text of the error names the path in the JSON; it is looked for only when reading has failed.
pub(crate) fn decode<T: DeserializeOwned>(json: &str) -> Result<T, String> {
    serde_json::from_str(json).map_err(|error| where_it_fails::<T>(json).unwrap_or_else(|| error.to_string()))
}

#[cold]
fn where_it_fails<T: DeserializeOwned>(json: &str) -> Option<String> {
    let mut reader = serde_json::Deserializer::from_str(json);
    let error = serde_path_to_error::deserialize::<_, T>(&mut reader).err()?;
    let path = error.path().to_string();
    // A dot is the root.
    Some(if path == "." { error.inner().to_string() } else { format!("`{path}`: {}", error.inner()) })
}

#[cfg(test)]
#[expect(clippy::unwrap_used, reason = "a test fails by panicking")]
mod tests {
    use super::*;
    use mcp_types::tools::ListToolsResult;

    #[test]
    fn an_error_names_the_place() {
        let wrong =
            decode::<ListToolsResult>(r#"{"tools":[{"name":"a","inputSchema":{}},{"name":7,"inputSchema":{}}]}"#);
        let wrong = wrong.map(drop).unwrap_err();
        assert!(wrong.starts_with("`tools[1].name`: invalid type: integer `7`, expected a string"), "{wrong}");
        let wrong = decode::<ListToolsResult>("[]").map(drop).unwrap_err();
        assert!(!wrong.starts_with('`'), "{wrong}");
    }
}
