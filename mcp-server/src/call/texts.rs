//! Typed values out of texts: the arguments of prompts and the variables of resource templates.
//!
//! On the wire they are texts, whatever they mean. What the type wants decides how a text is read.

use std::collections::BTreeMap;
use std::fmt;

use serde::de::value::BorrowedStrDeserializer;
use serde::de::{self, DeserializeOwned, DeserializeSeed, Deserializer, IntoDeserializer, MapAccess, Visitor};
use serde::forward_to_deserialize_any;

/// Texts by name.
pub(crate) type Texts = BTreeMap<String, String>;

/// Decodes texts as the members of one thing. What is wrong is said by its name.
pub(super) fn decode<T: DeserializeOwned>(texts: &Texts) -> Result<T, String> {
    T::deserialize(Whole(texts)).map_err(|wrong| match wrong.of {
        Some(name) => format!("invalid argument `{name}`: {}", wrong.why),
        None => format!("invalid arguments: {}", wrong.why),
    })
}

/// What is wrong, and with which of the texts.
#[derive(Debug)]
struct Wrong {
    of: Option<String>,
    why: String,
}

impl fmt::Display for Wrong {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.why)
    }
}

impl std::error::Error for Wrong {}

impl de::Error for Wrong {
    fn custom<T: fmt::Display>(why: T) -> Self {
        Self { of: None, why: why.to_string() }
    }
}

/// All texts together.
struct Whole<'de>(&'de Texts);

impl<'de> Deserializer<'de> for Whole<'de> {
    type Error = Wrong;

    fn deserialize_any<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, Wrong> {
        visitor.visit_map(Entries { left: self.0.iter(), value: None })
    }

    fn deserialize_option<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, Wrong> {
        if self.0.is_empty() { visitor.visit_none() } else { visitor.visit_some(self) }
    }

    fn deserialize_unit<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, Wrong> {
        visitor.visit_unit()
    }

    fn deserialize_unit_struct<V: Visitor<'de>>(self, _: &'static str, visitor: V) -> Result<V::Value, Wrong> {
        visitor.visit_unit()
    }

    fn deserialize_newtype_struct<V: Visitor<'de>>(self, _: &'static str, visitor: V) -> Result<V::Value, Wrong> {
        visitor.visit_newtype_struct(self)
    }

    forward_to_deserialize_any! {
        bool i8 i16 i32 i64 i128 u8 u16 u32 u64 u128 f32 f64 char str string bytes byte_buf seq tuple tuple_struct map
        struct enum identifier ignored_any
    }
}

/// One text after the other.
struct Entries<'de> {
    left: std::collections::btree_map::Iter<'de, String, String>,
    value: Option<(&'de String, &'de String)>,
}

impl<'de> MapAccess<'de> for Entries<'de> {
    type Error = Wrong;

    fn next_key_seed<K: DeserializeSeed<'de>>(&mut self, seed: K) -> Result<Option<K::Value>, Wrong> {
        self.value = self.left.next();
        let Some((name, _)) = self.value else { return Ok(None) };
        seed.deserialize(BorrowedStrDeserializer::new(name)).map(Some)
    }

    fn next_value_seed<V: DeserializeSeed<'de>>(&mut self, seed: V) -> Result<V::Value, Wrong> {
        let (name, text) = self.value.take().expect("serde asks for a value after its key");
        seed.deserialize(Text(text)).map_err(|wrong| Wrong { of: Some(name.clone()), why: wrong.why })
    }
}

/// One text.
struct Text<'de>(&'de str);

impl<'de> Text<'de> {
    /// Reads a text that stands for something which has parts: as JSON.
    fn as_json<T>(
        &self,
        read: impl FnOnce(&mut serde_json::Deserializer<serde_json::de::StrRead<'de>>) -> serde_json::Result<T>,
    ) -> Result<T, Wrong> {
        let mut json = serde_json::Deserializer::from_str(self.0);
        let value = read(&mut json).and_then(|value| json.end().map(|()| value));
        value.map_err(|error| {
            let why = error.to_string();
            // The place is one in a text that nobody has seen.
            de::Error::custom(why.rsplit_once(" at line ").map_or(&*why, |(why, _)| why))
        })
    }

    /// The integer that a text is. `3.0` is one.
    fn integer<T: std::str::FromStr + TryFrom<i64>>(&self, expected: &str) -> Result<T, Wrong> {
        let text = self.0.trim();
        if let Ok(number) = text.parse() {
            return Ok(number);
        }
        let whole = text.strip_suffix(".0").and_then(|whole| whole.parse::<i64>().ok());
        whole.and_then(|whole| T::try_from(whole).ok()).ok_or_else(|| self.is_no(expected))
    }

    fn is_no(&self, expected: &str) -> Wrong {
        let found: String = self.0.chars().take(SHOWN).collect();
        let more = if found.len() < self.0.len() { "…" } else { "" };
        de::Error::custom(format!("expected {expected}, found `{found}{more}`"))
    }
}

/// How much is shown of a text that is not what was expected.
const SHOWN: usize = 64;

macro_rules! integers {
    ($($deserialize:ident $visit:ident $type:ty;)*) => {$(
        fn $deserialize<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, Wrong> {
            visitor.$visit(self.integer::<$type>(stringify!($type))?)
        }
    )*};
}

impl<'de> Deserializer<'de> for Text<'de> {
    type Error = Wrong;

    integers! {
        deserialize_i8 visit_i8 i8;
        deserialize_i16 visit_i16 i16;
        deserialize_i32 visit_i32 i32;
        deserialize_i64 visit_i64 i64;
        deserialize_i128 visit_i128 i128;
        deserialize_u8 visit_u8 u8;
        deserialize_u16 visit_u16 u16;
        deserialize_u32 visit_u32 u32;
        deserialize_u64 visit_u64 u64;
        deserialize_u128 visit_u128 u128;
    }

    fn deserialize_any<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, Wrong> {
        visitor.visit_borrowed_str(self.0)
    }

    fn deserialize_bool<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, Wrong> {
        let text = self.0.trim();
        let is = |word: &str| text.eq_ignore_ascii_case(word);
        if !is("true") && !is("false") {
            return Err(self.is_no("`true` or `false`"));
        }
        visitor.visit_bool(is("true"))
    }

    fn deserialize_f32<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, Wrong> {
        self.deserialize_f64(visitor)
    }

    fn deserialize_f64<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, Wrong> {
        let number = self.0.trim().parse::<f64>().ok().filter(|number| number.is_finite());
        visitor.visit_f64(number.ok_or_else(|| self.is_no("a number"))?)
    }

    fn deserialize_option<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, Wrong> {
        if self.0.is_empty() { visitor.visit_none() } else { visitor.visit_some(self) }
    }

    fn deserialize_unit<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, Wrong> {
        if self.0.is_empty() { visitor.visit_unit() } else { Err(self.is_no("nothing")) }
    }

    fn deserialize_newtype_struct<V: Visitor<'de>>(self, _: &'static str, visitor: V) -> Result<V::Value, Wrong> {
        visitor.visit_newtype_struct(self)
    }

    fn deserialize_enum<V: Visitor<'de>>(
        self,
        name: &'static str,
        variants: &'static [&'static str],
        visitor: V,
    ) -> Result<V::Value, Wrong> {
        if self.0.starts_with('{') {
            return self.as_json(|json| json.deserialize_enum(name, variants, visitor));
        }
        visitor.visit_enum(self.0.into_deserializer())
    }

    fn deserialize_seq<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, Wrong> {
        self.as_json(|json| json.deserialize_seq(visitor))
    }

    fn deserialize_tuple<V: Visitor<'de>>(self, len: usize, visitor: V) -> Result<V::Value, Wrong> {
        self.as_json(|json| json.deserialize_tuple(len, visitor))
    }

    fn deserialize_map<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, Wrong> {
        self.as_json(|json| json.deserialize_map(visitor))
    }

    fn deserialize_struct<V: Visitor<'de>>(
        self,
        name: &'static str,
        fields: &'static [&'static str],
        visitor: V,
    ) -> Result<V::Value, Wrong> {
        self.as_json(|json| json.deserialize_struct(name, fields, visitor))
    }

    forward_to_deserialize_any! {
        char str string bytes byte_buf unit_struct tuple_struct identifier ignored_any
    }
}

/// The JSON object that texts are.
pub(crate) fn to_json(texts: &Texts) -> String {
    serde_json::to_string(texts).expect("texts can always be JSON")
}

/// Reads a JSON object as texts. What is wrong with it is said by its name.
pub(crate) fn from_json(object: &str) -> Result<Texts, String> {
    let members: serde_json::Map<String, serde_json::Value> =
        serde_json::from_str(object).map_err(|_| "`arguments` cannot be read".to_owned())?;
    let text = |(name, value)| match value {
        serde_json::Value::String(text) => Ok((name, text)),
        _ => Err(format!("invalid argument `{name}`: expected a string")),
    };
    members.into_iter().map(text).collect()
}

#[cfg(test)]
#[expect(clippy::unwrap_used, reason = "a test fails by panicking")]
mod tests {
    use serde::Deserialize;

    use super::*;

    #[derive(Debug, Default, Deserialize, PartialEq)]
    #[serde(default)]
    struct All {
        text: String,
        small: u8,
        large: i128,
        part: f64,
        flag: bool,
        letter: char,
        maybe: Option<i64>,
        wrapped: Meters,
        unit: Unit,
        list: Vec<u8>,
        pair: (u8, String),
        inner: Option<Inner>,
        nothing: (),
        seen: BTreeMap<String, u8>,
    }

    #[derive(Debug, Default, Deserialize, PartialEq)]
    struct Meters(u32);

    #[derive(Debug, Default, Deserialize, PartialEq)]
    #[serde(rename_all = "lowercase")]
    enum Unit {
        #[default]
        Celsius,
        Fahrenheit,
        Other {
            name: String,
        },
    }

    #[derive(Debug, Default, Deserialize, PartialEq)]
    struct Inner {
        a: u8,
    }

    fn texts(pairs: &[(&str, &str)]) -> Texts {
        pairs.iter().map(|(name, text)| ((*name).to_owned(), (*text).to_owned())).collect()
    }

    fn one(name: &str, text: &str) -> Result<All, String> {
        decode(&texts(&[(name, text)]))
    }

    #[test]
    fn a_text_becomes_what_the_type_wants() {
        #[rustfmt::skip]
        let rows: [(&str, &str, All); 23] = [
            ("text",    "3",                    All { text: "3".to_owned(), ..All::default() }),
            ("text",    "",                     All::default()),
            ("small",   "3",                    All { small: 3, ..All::default() }),
            ("small",   " 3.0 ",                All { small: 3, ..All::default() }),
            ("large",   "-170141183460469231731687303715884105728", All { large: i128::MIN, ..All::default() }),
            ("part",    "2.5",                  All { part: 2.5, ..All::default() }),
            ("part",    "-1e3",                 All { part: -1000.0, ..All::default() }),
            ("flag",    "true",                 All { flag: true, ..All::default() }),
            ("flag",    "True",                 All { flag: true, ..All::default() }),
            ("flag",    "false",                All::default()),
            ("letter",  "é",                    All { letter: 'é', ..All::default() }),
            ("maybe",   "-4",                   All { maybe: Some(-4), ..All::default() }),
            ("maybe",   "",                     All::default()),
            ("wrapped", "7",                    All { wrapped: Meters(7), ..All::default() }),
            ("unit",    "fahrenheit",           All { unit: Unit::Fahrenheit, ..All::default() }),
            ("unit",    r#"{"other":{"name":"K"}}"#, All { unit: Unit::Other { name: "K".to_owned() }, ..All::default() }),
            ("list",    "[1, 2]",               All { list: vec![1, 2], ..All::default() }),
            ("pair",    r#"[1,"a"]"#,           All { pair: (1, "a".to_owned()), ..All::default() }),
            ("inner",   r#"{"a":1}"#,           All { inner: Some(Inner { a: 1 }), ..All::default() }),
            ("inner",   "",                     All::default()),
            ("nothing", "",                     All::default()),
            ("seen",    r#"{"x":1}"#,           All { seen: BTreeMap::from([("x".to_owned(), 1)]), ..All::default() }),
            ("unknown", "x",                    All::default()),
        ];
        for (name, text, expected) in rows {
            assert_eq!(one(name, text).unwrap(), expected, "{name} {text}");
        }
    }

    #[test]
    fn errors_name_the_argument() {
        #[rustfmt::skip]
        let rows = [
            ("small",   "256",      "expected u8, found `256`"),
            ("small",   "1.5",      "expected u8, found `1.5`"),
            ("small",   "",         "expected u8, found ``"),
            ("maybe",   "x",        "expected i64, found `x`"),
            ("part",    "NaN",      "expected a number, found `NaN`"),
            ("flag",    "1",        "expected `true` or `false`, found `1`"),
            ("letter",  "ab",       "invalid value: string \"ab\", expected a character"),
            ("unit",    "kelvin",   "unknown variant `kelvin`, expected one of `celsius`, `fahrenheit`, `other`"),
            ("list",    "1, 2",     "invalid type: integer `1`, expected a sequence"),
            ("list",    "[1] 2",    "trailing characters"),
            ("inner",   "{}",       "missing field `a`"),
            ("nothing", "x",        "expected nothing, found `x`"),
        ];
        for (name, text, why) in rows {
            assert_eq!(one(name, text).unwrap_err(), format!("invalid argument `{name}`: {why}"));
        }
        let long = one("small", &"é".repeat(1000)).unwrap_err();
        assert_eq!(long, format!("invalid argument `small`: expected u8, found `{}…`", "é".repeat(SHOWN)));
        let missing = decode::<Inner>(&Texts::new()).unwrap_err();
        assert_eq!(missing, "invalid arguments: missing field `a`");
    }

    #[test]
    fn nothing_may_be_asked_for() {
        let some = texts(&[("a", "1")]);
        assert_eq!(decode::<()>(&some), Ok(()));
        assert_eq!(decode::<Option<Inner>>(&some), Ok(Some(Inner { a: 1 })));
        assert_eq!(decode::<Option<Inner>>(&Texts::new()), Ok(None));
        assert_eq!(decode::<Texts>(&some).as_ref(), Ok(&some));
        assert_eq!(decode::<BTreeMap<String, u8>>(&some), Ok(BTreeMap::from([("a".to_owned(), 1)])));
    }

    #[test]
    fn texts_are_read_and_written_as_json() {
        let some = texts(&[("a", "1"), ("b", "\"")]);
        assert_eq!(to_json(&some), r#"{"a":"1","b":"\""}"#);
        assert_eq!(from_json(&to_json(&some)), Ok(some));
        assert_eq!(from_json(r#"{"a":1}"#), Err("invalid argument `a`: expected a string".to_owned()));
    }
}
