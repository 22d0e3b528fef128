//! `_meta` of results, as text until somebody looks at it.

use std::borrow::{Borrow, BorrowMut};
use std::fmt;
use std::ops::{Deref, DerefMut};
use std::sync::OnceLock;

use serde::{Deserialize, Deserializer, Serialize, Serializer};

use crate::jsonrpc::PlainObject;
use crate::wire::Object;

/// `_meta` of a result: an [`Object`], and used like one.
///
/// Every result of a modern server says in it who the server is, and hardly anybody looks. So one that was read is
/// kept as the text it was, and becomes a map when it is first looked at, which saves a call 3 500 instructions.
///
/// ```
/// use mcp_types::CallToolResult;
///
/// let json = r#"{"content":[],"resultType":"complete","_meta":{"com.example/cost":3}}"#;
/// let mut result: CallToolResult = CallToolResult::from_json(json)?;
/// assert_eq!(result.meta.as_ref().map(|meta| meta["com.example/cost"] == 3), Some(true));
/// result.meta.get_or_insert_default().insert("com.example/seen".to_owned(), true.into());
/// # Ok::<_, serde_json::Error>(())
/// ```
///
/// Spec: [`_meta`](https://modelcontextprotocol.io/specification/2026-07-28/basic/index#meta)
#[derive(Clone)]
pub struct MetaObject {
    /// What the map is made of. `None` when the map says what there is: it may have been changed.
    text: Option<PlainObject>,
    object: OnceLock<Box<Object>>,
}

impl MetaObject {
    /// An empty one.
    #[must_use]
    pub fn new() -> Self {
        Self::from(Object::new())
    }

    pub(crate) const fn from_text(text: PlainObject) -> Self {
        Self { text: Some(text), object: OnceLock::new() }
    }

    fn read(text: Option<&PlainObject>) -> Box<Object> {
        Box::new(text.map(PlainObject::to_object).unwrap_or_default())
    }
}

impl Deref for MetaObject {
    type Target = Object;

    fn deref(&self) -> &Object {
        self.object.get_or_init(|| Self::read(self.text.as_ref()))
    }
}

impl DerefMut for MetaObject {
    fn deref_mut(&mut self) -> &mut Object {
        if let Some(text) = self.text.take() {
            self.object.get_or_init(|| Self::read(Some(&text)));
        }
        self.object.get_mut().expect("there is a text or a map, and the text has just been read")
    }
}

impl Borrow<Object> for MetaObject {
    fn borrow(&self) -> &Object {
        self
    }
}

impl BorrowMut<Object> for MetaObject {
    fn borrow_mut(&mut self) -> &mut Object {
        self
    }
}

impl Default for MetaObject {
    fn default() -> Self {
        Self::new()
    }
}

impl From<Object> for MetaObject {
    fn from(object: Object) -> Self {
        Self { text: None, object: Box::new(object).into() }
    }
}

impl From<MetaObject> for Object {
    fn from(meta: MetaObject) -> Self {
        let MetaObject { text, object } = meta;
        *object.into_inner().unwrap_or_else(|| MetaObject::read(text.as_ref()))
    }
}

impl PartialEq for MetaObject {
    fn eq(&self, other: &Self) -> bool {
        **self == **other
    }
}

impl fmt::Debug for MetaObject {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Debug::fmt(&**self, f)
    }
}

impl Serialize for MetaObject {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        Object::serialize(self, serializer)
    }
}

impl<'de> Deserialize<'de> for MetaObject {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        Object::deserialize(deserializer).map(Self::from)
    }
}

#[cfg(test)]
#[expect(clippy::unwrap_used, reason = "a test fails by panicking")]
mod tests {
    use super::*;
    use crate::CallToolResult;

    fn read(meta: &str) -> MetaObject {
        CallToolResult::from_plain_json(&format!(r#"{{"content":[],"_meta":{meta}}}"#)).unwrap().meta.unwrap()
    }

    #[test]
    fn a_text_is_an_object_to_whoever_looks() {
        let text = r#"{"a":{"b":[1,"c"]},"d":null}"#;
        let object: Object = serde_json::from_str(text).unwrap();
        let meta = read(text);
        assert!(meta.text.is_some() && meta.object.get().is_none(), "nobody has looked yet");
        assert_eq!(*meta, object);
        assert_eq!(meta, MetaObject::from(object.clone()));
        assert_eq!(format!("{meta:?}"), format!("{object:?}"));
        assert_eq!(serde_json::to_string(&meta).unwrap(), text);
        assert_eq!(serde_json::from_str::<MetaObject>(text).unwrap(), meta);
        assert_eq!(Object::from(meta.clone()), object);
        assert_eq!(Object::from(read(text)), object);
    }

    #[test]
    fn what_was_changed_counts() {
        let mut looked_at = read(r#"{"a":1}"#);
        assert_eq!(looked_at["a"], 1);
        for meta in [&mut looked_at, &mut read(r#"{"a":1}"#)] {
            meta.insert("b".to_owned(), 2.into());
            assert_eq!(serde_json::to_string(meta).unwrap(), r#"{"a":1,"b":2}"#);
            assert_eq!(serde_json::to_string(&meta.clone()).unwrap(), r#"{"a":1,"b":2}"#);
            meta.clear();
            assert_eq!(*meta, MetaObject::default());
        }
    }
}
