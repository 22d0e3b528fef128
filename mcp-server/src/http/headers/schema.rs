//! Where the annotation `x-mcp-header` stands in the schema of a tool, and whether it may stand there.

use std::fmt;

use http::HeaderName;
use mcp_types::Object;
use serde_json::Value;

/// A property that is mirrored.
#[derive(Debug)]
pub(super) struct Annotated {
    /// What stands in the annotation.
    pub(super) name: String,
    /// The properties that lead to it from the root.
    pub(super) path: Vec<String>,
}

/// Finds every annotation.
pub(super) fn annotations(root: &Value) -> Result<Vec<Annotated>, InvalidAnnotation> {
    let mut found = Walk::default();
    found.schema(root, Reach::Root)?;
    Ok(found.annotated)
}

/// What keeps a tool with `x-mcp-header` in its schema from being offered over HTTP.
///
/// Spec: [Schema extension](https://modelcontextprotocol.io/specification/2026-07-28/basic/transports/streamable-http#schema-extension)
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum InvalidAnnotation {
    /// It is not a string, it is empty, or it has characters that the name of a header cannot have.
    Name {
        /// The properties that lead to it, with dots between them.
        path: Box<str>,
    },
    /// Two properties have the same name, maybe in other cases.
    Twice {
        /// The properties that lead to the second one, with dots between them.
        path: Box<str>,
    },
    /// The property is neither a string, nor an integer, nor a boolean.
    Type {
        /// The properties that lead to it, with dots between them.
        path: Box<str>,
    },
    /// It does not stand at a property that a chain of `properties` leads to from the root.
    Place {
        /// The keyword under which it stands.
        keyword: &'static str,
    },
    /// The schema is not JSON.
    NoSchema,
}

impl fmt::Display for InvalidAnnotation {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Name { path } => write!(f, "`x-mcp-header` of `{path}` is not the name of a header"),
            Self::Twice { path } => write!(f, "`x-mcp-header` of `{path}` is that of another property too"),
            Self::Type { path } => {
                write!(f, "`x-mcp-header` of `{path}`, which is neither a string, nor an integer, nor a boolean")
            }
            Self::Place { keyword } => {
                write!(f, "`x-mcp-header` under `{keyword}`, where it cannot be found in a call")
            }
            Self::NoSchema => f.write_str("the schema is not JSON"),
        }
    }
}

impl std::error::Error for InvalidAnnotation {}

/// How a schema is reached from the root.
#[derive(Clone, Copy)]
enum Reach {
    Root,
    /// By `properties` alone.
    Properties,
    /// Through this keyword.
    Through(&'static str),
}

#[derive(Default)]
struct Walk {
    path: Vec<String>,
    annotated: Vec<Annotated>,
}

impl Walk {
    fn schema(&mut self, schema: &Value, reach: Reach) -> Result<(), InvalidAnnotation> {
        let Value::Object(schema) = schema else { return Ok(()) };
        if let Some(annotation) = schema.get("x-mcp-header") {
            match reach {
                Reach::Properties => self.annotation(annotation, schema)?,
                Reach::Root => return Err(InvalidAnnotation::Place { keyword: "the root" }),
                Reach::Through(keyword) => return Err(InvalidAnnotation::Place { keyword }),
            }
        }
        for (keyword, value) in schema {
            self.keyword(keyword, value, reach)?;
        }
        Ok(())
    }

    fn keyword(&mut self, keyword: &str, value: &Value, reach: Reach) -> Result<(), InvalidAnnotation> {
        if keyword == "properties" {
            let inner = if let Reach::Through(_) = reach { reach } else { Reach::Properties };
            for (name, property) in value.as_object().into_iter().flatten() {
                self.path.push(name.clone());
                self.schema(property, inner)?;
                self.path.pop();
            }
        } else if let Some(keyword) = among(OF_SCHEMAS_BY_NAME, keyword) {
            for (_, schema) in value.as_object().into_iter().flatten() {
                self.schema(schema, Reach::Through(keyword))?;
            }
        } else if let Some(keyword) = among(OF_SCHEMAS, keyword) {
            let schemas = match value {
                Value::Array(schemas) => schemas,
                schema => std::slice::from_ref(schema),
            };
            for schema in schemas {
                self.schema(schema, Reach::Through(keyword))?;
            }
        }
        Ok(())
    }

    fn annotation(&mut self, annotation: &Value, property: &Object) -> Result<(), InvalidAnnotation> {
        let path = || self.path.join(".").into();
        //= 2026-07-28/basic/transports/streamable-http#schema-extension
        //# **MUST NOT** be empty
        //# **MUST** match HTTP field-name token syntax (`1*tchar`,
        let name = annotation.as_str().filter(|name| HeaderName::from_bytes(name.as_bytes()).is_ok());
        let Some(name) = name else { return Err(InvalidAnnotation::Name { path: path() }) };
        //= 2026-07-28/basic/transports/streamable-http#schema-extension
        //# **MUST** be case-insensitively unique among all `x-mcp-header` values in
        //# the `inputSchema`
        if self.annotated.iter().any(|other| other.name.eq_ignore_ascii_case(name)) {
            return Err(InvalidAnnotation::Twice { path: path() });
        }
        //= 2026-07-28/basic/transports/streamable-http#schema-extension
        //# **MUST** only be applied to parameters with primitive types (integer,
        //# string, boolean).
        if !property.get("type").is_some_and(|kind| kind == "string" || kind == "integer" || kind == "boolean") {
            return Err(InvalidAnnotation::Type { path: path() });
        }
        self.annotated.push(Annotated { name: name.to_owned(), path: self.path.clone() });
        Ok(())
    }
}

fn among(keywords: &[&'static str], keyword: &str) -> Option<&'static str> {
    keywords.iter().copied().find(|one| *one == keyword)
}

/// Keywords whose value has a schema under each of its names.
const OF_SCHEMAS_BY_NAME: &[&str] = &["$defs", "definitions", "dependentSchemas", "patternProperties"];

/// Keywords whose value is a schema, or an array of them.
const OF_SCHEMAS: &[&str] = &[
    "additionalItems",
    "additionalProperties",
    "allOf",
    "anyOf",
    "contains",
    "contentSchema",
    "else",
    "if",
    "items",
    "not",
    "oneOf",
    "prefixItems",
    "propertyNames",
    "then",
    "unevaluatedItems",
    "unevaluatedProperties",
];
