//! Reading the structured content of a result.

use serde::de::DeserializeOwned;

use super::CallToolResult;

/// Why a result cannot be read as a value.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum StructuredError {
    /// The tool ran and failed; the text is for a language model.
    #[error("the tool failed: {text}")]
    Failed {
        /// The text of the result.
        text: String,
    },
    /// There is no structured content.
    #[error("the result has no structured content")]
    Absent,
    /// The structured content has another shape.
    #[error("the structured content has another shape: {detail}")]
    Shape {
        /// What is wrong, and where.
        detail: String,
    },
}

impl CallToolResult {
    /// Reads the structured content as a value.
    ///
    /// ```
    /// use mcp_types::CallToolResult;
    /// use mcp_types::tools::StructuredError;
    /// use serde::Deserialize;
    /// use serde_json::json;
    ///
    /// #[derive(Deserialize)]
    /// struct Forecast {
    ///     days: Vec<f64>,
    /// }
    ///
    /// let result = CallToolResult::new(Vec::new()).with_structured_content(json!({ "days": [22.5] }));
    /// assert_eq!(result.structured::<Forecast>()?.days, [22.5]);
    ///
    /// let wrong = CallToolResult::new(Vec::new()).with_structured_content(json!({ "days": ["hot"] }));
    /// let error = wrong.structured::<Forecast>().map(drop).unwrap_err();
    /// assert!(error.to_string().contains("`days[0]`: invalid type: string"));
    /// # Ok::<_, StructuredError>(())
    /// ```
    ///
    /// # Errors
    ///
    /// - [`StructuredError::Failed`]: the tool failed.
    /// - [`StructuredError::Absent`]: there is no structured content.
    /// - [`StructuredError::Shape`]: it does not have the shape of `T`. The text names the place in the JSON.
    pub fn structured<T: DeserializeOwned>(&self) -> Result<T, StructuredError> {
        if self.is_failure() {
            let texts: Vec<_> = self.content.iter().filter_map(|content| content.as_text()).collect();
            return Err(StructuredError::Failed { text: texts.join("\n") });
        }
        let content = self.structured_content.as_ref().ok_or(StructuredError::Absent)?;
        content.decode().map_err(|error| {
            let mut reader = serde_json::Deserializer::from_str(content.get());
            let detail = match serde_path_to_error::deserialize::<_, T>(&mut reader) {
                Err(placed) if placed.path().iter().next().is_some() => {
                    format!("`{}`: {}", placed.path(), placed.inner())
                }
                _ => error.to_string(),
            };
            StructuredError::Shape { detail }
        })
    }
}
