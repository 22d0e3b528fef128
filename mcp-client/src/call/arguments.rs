//! The arguments of a tool, written as JSON: mostly an object with a few texts.

use std::fmt;

use mcp_types::jsonrpc::write_string;
use serde::Serialize;
use serde::ser::{Impossible, SerializeMap, SerializeStruct, Serializer};

/// Appends the JSON of `arguments`, as `serde_json` writes it.
///
/// The members that are texts are copied, which takes an instruction for every two bytes where the general writer takes
/// ten for each; whatever else there is, it writes.
pub(super) fn write_arguments<T: Serialize + ?Sized>(
    out: &mut Vec<u8>,
    arguments: &T,
) -> Result<(), serde_json::Error> {
    let start = out.len();
    match arguments.serialize(Members(out)) {
        Ok(()) => Ok(()),
        Err(Stop::Wrong(error)) => Err(error),
        Err(Stop::Other) => {
            out.truncate(start);
            serde_json::to_writer(out, arguments)
        }
    }
}

/// Why nothing more is written here.
#[derive(Debug)]
enum Stop {
    /// It is of another kind than is looked for.
    Other,
    /// It cannot be JSON.
    Wrong(serde_json::Error),
}

impl fmt::Display for Stop {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Other => f.write_str("another kind of value"),
            Self::Wrong(error) => error.fmt(f),
        }
    }
}

impl std::error::Error for Stop {}

impl serde::ser::Error for Stop {
    fn custom<T: fmt::Display>(message: T) -> Self {
        Self::Wrong(<serde_json::Error as serde::ser::Error>::custom(message))
    }
}

/// Writes objects, and stops at anything else.
struct Members<'a>(&'a mut Vec<u8>);

/// An object that was begun.
struct Begun<'a> {
    out: &'a mut Vec<u8>,
    is_empty: bool,
}

impl Begun<'_> {
    fn key(&mut self, key: &str) {
        if !self.is_empty {
            self.out.push(b',');
        }
        self.is_empty = false;
        write_string(self.out, key);
        self.out.push(b':');
    }

    fn value<T: Serialize + ?Sized>(&mut self, value: &T) -> Result<(), Stop> {
        match value.serialize(Text(self.out)) {
            Err(Stop::Other) => serde_json::to_writer(&mut *self.out, value).map_err(Stop::Wrong),
            written => written,
        }
    }
}

impl SerializeStruct for Begun<'_> {
    type Ok = ();
    type Error = Stop;

    fn serialize_field<T: Serialize + ?Sized>(&mut self, key: &'static str, value: &T) -> Result<(), Stop> {
        self.key(key);
        self.value(value)
    }

    fn end(self) -> Result<(), Stop> {
        self.out.push(b'}');
        Ok(())
    }
}

impl SerializeMap for Begun<'_> {
    type Ok = ();
    type Error = Stop;

    fn serialize_key<T: Serialize + ?Sized>(&mut self, key: &T) -> Result<(), Stop> {
        if !self.is_empty {
            self.out.push(b',');
        }
        self.is_empty = false;
        // Keys of other kinds have rules of their own, which are not ours.
        key.serialize(Text(self.out))?;
        self.out.push(b':');
        Ok(())
    }

    fn serialize_value<T: Serialize + ?Sized>(&mut self, value: &T) -> Result<(), Stop> {
        self.value(value)
    }

    fn end(self) -> Result<(), Stop> {
        self.out.push(b'}');
        Ok(())
    }
}

/// Writes a text, and stops at anything else.
struct Text<'a>(&'a mut Vec<u8>);

/// Values that a writer stops at.
macro_rules! stop_at {
    ($($method:ident($($argument:ty),*);)+) => {
        $(fn $method(self, $(_: $argument),*) -> Result<(), Stop> {
            Err(Stop::Other)
        })+
    };
}

/// What the two writers have in common: all that is neither an object nor a text.
macro_rules! stop_at_others {
    () => {
        type Ok = ();
        type Error = Stop;
        type SerializeSeq = Impossible<(), Stop>;
        type SerializeTuple = Impossible<(), Stop>;
        type SerializeTupleStruct = Impossible<(), Stop>;
        type SerializeTupleVariant = Impossible<(), Stop>;
        type SerializeStructVariant = Impossible<(), Stop>;

        stop_at! {
            serialize_bool(bool);
            serialize_i8(i8);
            serialize_i16(i16);
            serialize_i32(i32);
            serialize_i64(i64);
            serialize_i128(i128);
            serialize_u8(u8);
            serialize_u16(u16);
            serialize_u32(u32);
            serialize_u64(u64);
            serialize_u128(u128);
            serialize_f32(f32);
            serialize_f64(f64);
            serialize_char(char);
            serialize_bytes(&[u8]);
            serialize_none();
            serialize_unit();
            serialize_unit_struct(&'static str);
            serialize_unit_variant(&'static str, u32, &'static str);
        }

        fn serialize_newtype_variant<T: Serialize + ?Sized>(
            self,
            _: &'static str,
            _: u32,
            _: &'static str,
            _: &T,
        ) -> Result<(), Stop> {
            Err(Stop::Other)
        }

        fn serialize_seq(self, _: Option<usize>) -> Result<Impossible<(), Stop>, Stop> {
            Err(Stop::Other)
        }

        fn serialize_tuple(self, _: usize) -> Result<Impossible<(), Stop>, Stop> {
            Err(Stop::Other)
        }

        fn serialize_tuple_struct(self, _: &'static str, _: usize) -> Result<Impossible<(), Stop>, Stop> {
            Err(Stop::Other)
        }

        fn serialize_tuple_variant(
            self,
            _: &'static str,
            _: u32,
            _: &'static str,
            _: usize,
        ) -> Result<Impossible<(), Stop>, Stop> {
            Err(Stop::Other)
        }

        fn serialize_struct_variant(
            self,
            _: &'static str,
            _: u32,
            _: &'static str,
            _: usize,
        ) -> Result<Impossible<(), Stop>, Stop> {
            Err(Stop::Other)
        }
    };
}

impl<'a> Serializer for Members<'a> {
    type SerializeMap = Begun<'a>;
    type SerializeStruct = Begun<'a>;

    stop_at_others!();

    stop_at! {
        serialize_str(&str);
    }

    fn serialize_some<T: Serialize + ?Sized>(self, value: &T) -> Result<(), Stop> {
        value.serialize(self)
    }

    fn serialize_newtype_struct<T: Serialize + ?Sized>(self, _: &'static str, value: &T) -> Result<(), Stop> {
        value.serialize(self)
    }

    fn serialize_map(self, _: Option<usize>) -> Result<Begun<'a>, Stop> {
        self.0.push(b'{');
        Ok(Begun { out: self.0, is_empty: true })
    }

    fn serialize_struct(self, name: &'static str, _: usize) -> Result<Begun<'a>, Stop> {
        // A name that no type can have stands for raw JSON and the like, which only the general writer knows.
        if name.starts_with('$') {
            return Err(Stop::Other);
        }
        self.0.push(b'{');
        Ok(Begun { out: self.0, is_empty: true })
    }
}

impl Serializer for Text<'_> {
    type SerializeMap = Impossible<(), Stop>;
    type SerializeStruct = Impossible<(), Stop>;

    stop_at_others!();

    fn serialize_str(self, text: &str) -> Result<(), Stop> {
        write_string(self.0, text);
        Ok(())
    }

    fn serialize_some<T: Serialize + ?Sized>(self, _: &T) -> Result<(), Stop> {
        Err(Stop::Other)
    }

    fn serialize_newtype_struct<T: Serialize + ?Sized>(self, _: &'static str, value: &T) -> Result<(), Stop> {
        value.serialize(self)
    }

    fn serialize_map(self, _: Option<usize>) -> Result<Impossible<(), Stop>, Stop> {
        Err(Stop::Other)
    }

    fn serialize_struct(self, _: &'static str, _: usize) -> Result<Impossible<(), Stop>, Stop> {
        Err(Stop::Other)
    }
}

#[cfg(test)]
#[expect(clippy::unwrap_used, reason = "a test fails by panicking")]
mod tests {
    use std::collections::BTreeMap;

    use proptest::prelude::*;
    use serde_json::value::RawValue;
    use serde_json::{Value, json};

    use super::*;

    #[derive(Serialize)]
    struct Inner {
        n: u8,
    }

    #[derive(Serialize)]
    struct Wrapped(Option<All>);

    #[derive(Serialize)]
    enum Kind {
        Unit,
        One(u8),
        Named { a: u8 },
    }

    #[derive(Serialize)]
    struct All {
        text: &'static str,
        owned: String,
        letter: char,
        some: Option<&'static str>,
        none: Option<String>,
        #[serde(skip_serializing_if = "Option::is_none")]
        left_out: Option<String>,
        numbers: (i8, u64, f64),
        kinds: [Kind; 3],
        raw: Box<RawValue>,
        #[serde(flatten)]
        inner: Inner,
        #[serde(flatten)]
        rest: BTreeMap<String, Value>,
    }

    #[track_caller]
    fn check<T: Serialize + ?Sized>(value: &T) {
        let mut out = b"before".to_vec();
        let general = serde_json::to_string(value).map_err(|error| error.to_string());
        let written = write_arguments(&mut out, value).map_err(|error| error.to_string());
        assert_eq!(written.map(|()| String::from_utf8(out.split_off(6)).unwrap()), general);
    }

    #[test]
    fn everything_is_written_as_the_general_writer_writes_it() {
        let all = All {
            text: "a\"\n",
            owned: "é".to_owned(),
            letter: '"',
            some: Some("x"),
            none: None,
            left_out: None,
            numbers: (-1, u64::MAX, f64::NAN),
            kinds: [Kind::Unit, Kind::One(1), Kind::Named { a: 2 }],
            raw: RawValue::from_string("[ 1, \"é\" ]".to_owned()).unwrap(),
            inner: Inner { n: 3 },
            rest: BTreeMap::from([("k".to_owned(), json!("v")), ("l".to_owned(), json!({ "m": [] }))]),
        };
        check(&all);
        check(&Wrapped(Some(all)));
        check(&Wrapped(None));
        check(&());
        check("text");
        check(&[1, 2]);
        check(&Inner { n: 1 });
        check(&Kind::Unit);
        check(&Kind::One(1));
        check(&Kind::Named { a: 1 });
        check(&RawValue::from_string("{ }".to_owned()).unwrap());
        check(&BTreeMap::<String, String>::new());
        check(&BTreeMap::from([(1, "a"), (2, "b")]));
        check(&BTreeMap::from([('a', 1)]));
        check(&BTreeMap::from([((1, 2), 3)]));
        check(&BTreeMap::from([("a", BTreeMap::from([((1, 2), 3)]))]));
    }

    proptest! {
        #[test]
        fn any_object_is_written_alike(members in prop::collection::btree_map(".{0,8}", ".*", 0..5)) {
            check(&members);
            check(&json!({ "inner": members, "text": "a" }));
        }
    }
}
