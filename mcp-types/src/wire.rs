//! What the types have in common.

use serde::{Deserialize, Deserializer};
use serde_json::{Map, Value};

use crate::raw::RawJson;

/// Members of an object, by name: `_meta`, capabilities without a fixed shape, and the members that
/// a type does not know.
pub type Object = Map<String, Value>;

/// Reads an optional member whose `null` means something.
pub(crate) fn present<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Option<RawJson>, D::Error> {
    RawJson::deserialize(deserializer).map(Some)
}

/// Setters for optional fields.
macro_rules! with {
    ($($(#[$attribute:meta])* $with:ident($field:ident: $type:ty);)*) => {$(
        $(#[$attribute])*
        #[must_use]
        pub fn $with(mut self, $field: impl Into<$type>) -> Self {
            self.$field = Some($field.into());
            self
        }
    )*};
}
pub(crate) use with;

/// Setters for optional fields that take the type itself, so that a literal can be one.
macro_rules! with_plain {
    ($($(#[$attribute:meta])* $with:ident($field:ident: $type:ty);)*) => {$(
        $(#[$attribute])*
        #[must_use]
        pub fn $with(mut self, $field: $type) -> Self {
            self.$field = Some($field);
            self
        }
    )*};
}
pub(crate) use with_plain;

/// An enum of texts that lets unknown ones through.
macro_rules! open_enum {
    (
        $(#[$attribute:meta])*
        $name:ident { $($(#[$doc:meta])* $variant:ident = $text:literal,)* }
    ) => {
        $(#[$attribute])*
        #[derive(Clone, Debug, PartialEq, Eq, Hash)]
        #[non_exhaustive]
        pub enum $name {
            $($(#[$doc])* $variant,)*
            /// A text that this crate does not know, kept as it is.
            Other(Box<str>),
        }

        impl $name {
            /// The text on the wire.
            pub fn as_str(&self) -> &str {
                match self {
                    $(Self::$variant => $text,)*
                    Self::Other(text) => text,
                }
            }
        }

        impl From<&str> for $name {
            fn from(text: &str) -> Self {
                match text {
                    $($text => Self::$variant,)*
                    _ => Self::Other(text.into()),
                }
            }
        }

        impl ::std::fmt::Display for $name {
            fn fmt(&self, f: &mut ::std::fmt::Formatter<'_>) -> ::std::fmt::Result {
                f.write_str(self.as_str())
            }
        }

        impl ::serde::Serialize for $name {
            fn serialize<S: ::serde::Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
                serializer.serialize_str(self.as_str())
            }
        }

        impl<'de> ::serde::Deserialize<'de> for $name {
            fn deserialize<D: ::serde::Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
                ::std::borrow::Cow::<'de, str>::deserialize(deserializer).map(|text| Self::from(&*text))
            }
        }
    };
}
pub(crate) use open_enum;
