//! The name of a method that is called.

use std::borrow::Cow;
use std::fmt;
use std::sync::Arc;

/// The name of a method that is called: a constant costs nothing.
#[derive(Clone)]
pub struct MethodName(Name);

#[derive(Clone)]
enum Name {
    Constant(&'static str),
    Shared(Arc<str>),
}

impl MethodName {
    /// The name.
    #[must_use]
    pub fn as_str(&self) -> &str {
        match &self.0 {
            Name::Constant(name) => name,
            Name::Shared(name) => name,
        }
    }

    pub(crate) fn to_shared(&self) -> Arc<str> {
        match &self.0 {
            Name::Constant(name) => (*name).into(),
            Name::Shared(name) => Arc::clone(name),
        }
    }
}

impl From<&'static str> for MethodName {
    fn from(name: &'static str) -> Self {
        Self(Name::Constant(name))
    }
}

impl From<Arc<str>> for MethodName {
    fn from(name: Arc<str>) -> Self {
        Self(Name::Shared(name))
    }
}

impl From<String> for MethodName {
    fn from(name: String) -> Self {
        Self(Name::Shared(name.into()))
    }
}

impl From<Box<str>> for MethodName {
    fn from(name: Box<str>) -> Self {
        Self(Name::Shared(name.into()))
    }
}

impl From<Cow<'static, str>> for MethodName {
    fn from(name: Cow<'static, str>) -> Self {
        match name {
            Cow::Borrowed(name) => name.into(),
            Cow::Owned(name) => name.into(),
        }
    }
}

impl fmt::Debug for MethodName {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Debug::fmt(self.as_str(), f)
    }
}
