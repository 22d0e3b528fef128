//! Arguments of a tool that are mirrored in headers.

use http::{HeaderMap, HeaderName};
use mcp_types::RawJson;
use mcp_types::jsonrpc::{member, read_string};

use super::schema::{InvalidAnnotation, annotations};
use super::sentinel::{compare, encoded};
use super::value::{HeaderFault, HeaderMismatch, single};

/// The headers that mirror arguments of one tool, made from its schema once.
///
/// Spec: [Custom headers](https://modelcontextprotocol.io/specification/2026-07-28/basic/transports/streamable-http#custom-headers-from-tool-parameters)
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct HeaderParams {
    params: Box<[Param]>,
}

#[derive(Clone, Debug, PartialEq, Eq)]
struct Param {
    header: HeaderName,
    path: Box<[String]>,
}

impl HeaderParams {
    /// Reads the annotations `x-mcp-header` of a schema.
    ///
    /// ```
    /// use mcp_server::http::HeaderParams;
    /// use serde_json::json;
    ///
    /// let params = HeaderParams::of(&json!({"type": "object", "properties": {
    ///     "region": {"type": "string", "x-mcp-header": "Region"},
    ///     "query": {"type": "string"},
    /// }}).into())?;
    /// assert_eq!(params.headers().collect::<Vec<_>>(), ["mcp-param-region"]);
    /// # Ok::<_, mcp_server::http::InvalidAnnotation>(())
    /// ```
    ///
    /// # Errors
    ///
    /// [`InvalidAnnotation`] when an annotation breaks a rule. Clients do not list such a tool.
    pub fn of(schema: &RawJson) -> Result<Self, InvalidAnnotation> {
        // Most schemas have none, and are not read for it. An escape could hide one.
        if !schema.get().contains("x-mcp-header") && !schema.get().contains("\\u") {
            return Ok(Self::default());
        }
        let schema = schema.decode().map_err(|_| InvalidAnnotation::NoSchema)?;
        let params = annotations(&schema)?.into_iter().map(|annotated| {
            let header = HeaderName::from_bytes(format!("mcp-param-{}", annotated.name).as_bytes());
            let header = header.map_err(|_| InvalidAnnotation::Name { path: annotated.path.join(".").into() })?;
            Ok(Param { header, path: annotated.path.into() })
        });
        Ok(Self { params: params.collect::<Result<_, _>>()? })
    }

    /// Whether no argument is mirrored.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.params.is_empty()
    }

    /// The headers.
    pub fn headers(&self) -> impl Iterator<Item = &HeaderName> {
        self.params.iter().map(|param| &param.header)
    }

    /// Whether the headers say what the arguments say. Headers that mirror nothing are passed over.
    ///
    /// `arguments` is raw JSON that has been scanned before.
    ///
    /// # Errors
    ///
    /// [`HeaderMismatch`] names the first header that does not.
    pub fn check(&self, headers: &HeaderMap, arguments: Option<&str>) -> Result<(), HeaderMismatch> {
        self.params.iter().try_for_each(|param| param.check(headers, arguments))
    }
}

impl Param {
    fn check(&self, headers: &HeaderMap, arguments: Option<&str>) -> Result<(), HeaderMismatch> {
        let header = single(headers, &self.header)?;
        let fault = |fault| Err(HeaderMismatch::new(self.header.clone(), fault));
        let value = self.find(arguments).filter(|raw| *raw != "null");
        let (header, value) = match (header, value) {
            (None, None) => return Ok(()),
            (Some(header), Some(value)) => (header, value),
            //= 2026-07-28/basic/transports/streamable-http#server-behavior-for-custom-headers
            //# Client omits header but value is in body | Non-conforming client          | Server MUST reject the request
            (None, Some(value)) if is_mirrored(value) => return fault(HeaderFault::Missing),
            (None, Some(_)) => return Ok(()),
            (Some(_), None) => return fault(HeaderFault::Differs),
        };
        match compare_value(header, value) {
            Ok(()) => Ok(()),
            Err(wrong) => fault(wrong),
        }
    }

    /// The argument at the path.
    fn find<'a>(&self, arguments: Option<&'a str>) -> Option<&'a str> {
        self.path.iter().try_fold(arguments?, |object, name| member(object, name))
    }
}

/// Objects and arrays have no form in a header. They are no values of such a parameter, which is told by whoever
/// decodes the arguments.
fn is_mirrored(raw: &str) -> bool {
    !raw.starts_with(['{', '['])
}

fn compare_value(header: &str, raw: &str) -> Result<(), HeaderFault> {
    match raw.as_bytes().first() {
        Some(b'"') => match read_string(raw) {
            Some(text) => compare(header, &text),
            // Half of a surrogate pair is no text, and nobody can have written it into a header.
            None => Err(HeaderFault::Differs),
        },
        Some(b'{' | b'[') => Ok(()),
        Some(b't' | b'f') => compare(header, raw),
        //= 2026-07-28/basic/transports/streamable-http#server-validation
        //# When validating integer parameter values, servers **SHOULD** compare the
        //# header value and the body value numerically rather than as strings
        _ if encoded(header).is_none() => match (integer(header), integer(raw)) {
            (Some(one), Some(other)) if one == other => Ok(()),
            (Some(_), Some(_)) => Err(HeaderFault::Differs),
            _ => compare(header, raw),
        },
        _ => compare(header, raw),
    }
}

/// Reads a number in the manner of JSON that is a whole one: `42`, `-7`, `42.0`, `4.2e1`.
fn integer(text: &str) -> Option<i64> {
    let (mantissa, exponent) = match text.split_once(['e', 'E']) {
        Some((mantissa, exponent)) => (mantissa, Some(exponent)),
        None => (text, None),
    };
    let (whole, fraction) = mantissa.split_once('.').map_or((mantissa, None), |(whole, rest)| (whole, Some(rest)));
    let digits = whole.strip_prefix('-').unwrap_or(whole);
    let is_digits = |text: &str| !text.is_empty() && text.bytes().all(|byte| byte.is_ascii_digit());
    let is_number = is_digits(digits) && (digits == "0" || !digits.starts_with('0')) && fraction.is_none_or(is_digits);
    if !is_number {
        return None;
    }
    if let Some(exponent) = exponent {
        if !is_digits(exponent.strip_prefix(['+', '-']).unwrap_or(exponent)) {
            return None;
        }
        let value: f64 = text.parse().ok()?;
        #[expect(clippy::cast_possible_truncation, reason = "it is whole and small enough to be exact")]
        return (value.fract() == 0.0 && value.abs() <= EXACT).then_some(value as i64);
    }
    let is_whole = fraction.is_none_or(|fraction| fraction.bytes().all(|digit| digit == b'0'));
    if is_whole { whole.parse().ok() } else { None }
}

/// Up to here, floating point numbers hold every integer: 2⁵³ − 1.
const EXACT: f64 = 9_007_199_254_740_991.0;

#[cfg(test)]
#[expect(clippy::unwrap_used, reason = "tests")]
mod tests {
    use super::*;
    use http::HeaderValue;
    use proptest::prelude::*;
    use serde_json::{Value, json};

    /// Arguments, headers, and what is wrong with these.
    type Row<'a> = (&'a str, &'a [(&'a str, &'a str)], Result<(), HeaderMismatch>);

    fn of(properties: Value) -> Result<HeaderParams, InvalidAnnotation> {
        HeaderParams::of(&json!({"type": "object", "properties": properties}).into())
    }

    #[test]
    fn annotations_are_found_where_they_may_stand() {
        let params = of(json!({
            "region": {"type": "string", "x-mcp-header": "Region"},
            "deep": {"type": "object", "properties": {"er": {"type": "integer", "x-mcp-header": "Deep-er"}}},
            "flag": {"type": "boolean", "x-mcp-header": "X!#$%&'*+.^_`|~9"},
            // Parameters of these names, and data, are no annotations.
            "x-mcp-header": {"type": "string"},
            "properties": {"type": "object", "default": {"x-mcp-header": ""}, "examples": [{"x-mcp-header": 1}]},
        }))
        .unwrap();
        let headers: Vec<_> = params.headers().map(HeaderName::as_str).collect();
        assert_eq!(headers, ["mcp-param-region", "mcp-param-deep-er", "mcp-param-x!#$%&'*+.^_`|~9"]);
        assert_eq!(&*params.params[1].path, ["deep", "er"]);
        for schema in [json!(true), json!({}), json!({"type": "object"}), json!({"properties": 7})] {
            assert!(HeaderParams::of(&schema.into()).unwrap().is_empty());
        }
    }

    #[test]
    fn annotations_that_break_a_rule_are_told_of() {
        let string = |name: Value| json!({"a": {"type": "string", "x-mcp-header": name}});
        let typed = |kind: Value| json!({"a": {"type": kind, "x-mcp-header": "A"}});
        let name = InvalidAnnotation::Name { path: "a".into() };
        let kind = InvalidAnnotation::Type { path: "a".into() };
        #[rustfmt::skip]
        let rows = [
            (string(json!("")), name.clone()),          (string(json!({})), name.clone()),
            (string(json!([])), name.clone()),          (string(json!(null)), name.clone()),
            (string(json!(7)), name.clone()),           (string(json!("a b")), name.clone()),
            (string(json!("a:b")), name.clone()),       (string(json!("é")), name.clone()),
            (string(json!("a\r\nb")), name.clone()),    (string(json!("a\u{7f}")), name),
            (typed(json!("number")), kind.clone()),     (typed(json!("object")), kind.clone()),
            (typed(json!("array")), kind.clone()),      (typed(json!("null")), kind.clone()),
            (typed(json!(["string", "null"])), kind.clone()),
            (json!({"a": {"x-mcp-header": "A"}}), kind),
            (
                json!({"a": {"type": "string", "x-mcp-header": "Region"}, "b": {"type": "string", "x-mcp-header": "REGION"}}),
                InvalidAnnotation::Twice { path: "b".into() },
            ),
        ];
        for (properties, expected) in rows {
            assert_eq!(of(properties.clone()), Err(expected), "{properties}");
        }
    }

    #[test]
    fn annotations_cannot_stand_elsewhere() {
        let annotated = json!({"type": "string", "x-mcp-header": "A"});
        let inner = json!({"type": "object", "properties": {"a": annotated}});
        for keyword in ["items", "not", "if", "then", "else", "additionalProperties", "contains", "propertyNames"] {
            for schema in [&annotated, &inner] {
                let found = of(json!({"x": {keyword: schema}}));
                assert_eq!(found, Err(InvalidAnnotation::Place { keyword }), "{keyword}");
            }
        }
        for keyword in ["oneOf", "anyOf", "allOf", "prefixItems", "items"] {
            let found = HeaderParams::of(&json!({keyword: [{}, inner]}).into());
            assert_eq!(found, Err(InvalidAnnotation::Place { keyword }), "{keyword}");
        }
        for keyword in ["$defs", "definitions", "patternProperties", "dependentSchemas"] {
            let found = HeaderParams::of(&json!({keyword: {"x": inner}}).into());
            assert_eq!(found, Err(InvalidAnnotation::Place { keyword }), "{keyword}");
        }
        let root = HeaderParams::of(&json!({"type": "string", "x-mcp-header": "A"}).into());
        assert_eq!(root, Err(InvalidAnnotation::Place { keyword: "the root" }));
    }

    #[test]
    fn headers_say_what_the_arguments_say() {
        let params = of(json!({
            "s": {"type": "string", "x-mcp-header": "S"},
            "o": {"type": "object", "properties": {"i": {"type": "integer", "x-mcp-header": "I"}}},
            "b": {"type": "boolean", "x-mcp-header": "B"},
        }))
        .unwrap();
        let fault = |name: &'static str, fault| Err(HeaderMismatch::new(HeaderName::from_static(name), fault));
        let s = |wrong| fault("mcp-param-s", wrong);
        let i = |wrong| fault("mcp-param-i", wrong);
        let b = |wrong| fault("mcp-param-b", wrong);
        use HeaderFault::{Characters, Differs, Encoding, Missing, Several};
        #[rustfmt::skip]
        let rows: [Row<'_>; 42] = [
            ("{}",                              &[],                                            Ok(())),
            ("{}",                              &[("Mcp-Param-Other", "x"), ("mcp-param-é", "x")], Ok(())),
            (r#"{"s":"eu"}"#,                   &[("Mcp-Param-S", "eu")],                       Ok(())),
            (r#"{"s":"eu"}"#,                   &[("MCP-PARAM-s", " eu\t")],                    Ok(())),
            (r#"{"s":"eu"}"#,                   &[],                                            s(Missing)),
            (r#"{"s":"eu"}"#,                   &[("Mcp-Param-S", "EU")],                       s(Differs)),
            (r#"{"s":"eu"}"#,                   &[("Mcp-Param-S", "eu"), ("Mcp-Param-S", "eu")], s(Several)),
            (r#"{"s":"é"}"#,                    &[("Mcp-Param-S", "é")],                        s(Characters)),
            (r#"{"s":"é"}"#,                    &[("Mcp-Param-S", "=?base64?w6k=?=")],          Ok(())),
            (r#"{"s":"\u00e9"}"#,               &[("Mcp-Param-S", "=?base64?w6k=?=")],          Ok(())),
            (r#"{"s":"é"}"#,                    &[("Mcp-Param-S", "=?base64?w6k?=")],           s(Encoding)),
            (r#"{"s":""}"#,                     &[("Mcp-Param-S", "")],                         Ok(())),
            (r#"{"s":""}"#,                     &[],                                            s(Missing)),
            (r#"{"s":null}"#,                   &[],                                            Ok(())),
            (r#"{"s":null}"#,                   &[("Mcp-Param-S", "null")],                     s(Differs)),
            ("{}",                              &[("Mcp-Param-S", "eu")],                       s(Differs)),
            (r#"{"s":"\ud800"}"#,               &[("Mcp-Param-S", "x")],                        s(Differs)),
            (r#"{"s":"a","s":"b"}"#,            &[("Mcp-Param-S", "b")],                        Ok(())),
            (r#"{"o":{"i":42}}"#,               &[("Mcp-Param-I", "42")],                       Ok(())),
            (r#"{"o":{"i":42}}"#,               &[("Mcp-Param-I", "42.0")],                     Ok(())),
            (r#"{"o":{"i":42.00}}"#,            &[("Mcp-Param-I", "42")],                       Ok(())),
            (r#"{"o":{"i":4.2e1}}"#,            &[("Mcp-Param-I", "42")],                       Ok(())),
            (r#"{"o":{"i":-7}}"#,               &[("Mcp-Param-I", "-7")],                       Ok(())),
            (r#"{"o":{"i":0}}"#,                &[("Mcp-Param-I", "-0")],                       Ok(())),
            (r#"{"o":{"i":7}}"#,                &[("Mcp-Param-I", "=?base64?Nw==?=")],          Ok(())),
            (r#"{"o":{"i":42}}"#,               &[("Mcp-Param-I", "43")],                       i(Differs)),
            (r#"{"o":{"i":42}}"#,               &[("Mcp-Param-I", "042")],                      i(Differs)),
            (r#"{"o":{"i":42}}"#,               &[("Mcp-Param-I", "+42")],                      i(Differs)),
            (r#"{"o":{"i":42}}"#,               &[("Mcp-Param-I", "0x2a")],                     i(Differs)),
            (r#"{"o":{"i":42}}"#,               &[("Mcp-Param-I", "")],                         i(Differs)),
            (r#"{"o":{"i":42}}"#,               &[],                                            i(Missing)),
            (r#"{"o":{"i":9007199254740993}}"#, &[("Mcp-Param-I", "9007199254740992")],         i(Differs)),
            (r#"{"o":{"i":1.5}}"#,              &[("Mcp-Param-I", "1.5")],                      Ok(())),
            (r#"{"o":{"i":[7]}}"#,              &[],                                            Ok(())),
            (r#"{"o":[7]}"#,                    &[],                                            Ok(())),
            (r#"{"o":null}"#,                   &[("Mcp-Param-I", "1")],                        i(Differs)),
            (r#"{"b":true}"#,                   &[("Mcp-Param-B", "true")],                     Ok(())),
            (r#"{"b":true}"#,                   &[("Mcp-Param-B", "True")],                     b(Differs)),
            (r#"{"b":false}"#,                  &[("Mcp-Param-B", "true")],                     b(Differs)),
            (r#"{"b":false}"#,                  &[],                                            b(Missing)),
            (r#"{"b":"true"}"#,                 &[("Mcp-Param-B", "true")],                     Ok(())),
            (r#"[]"#,                           &[("Mcp-Param-B", "true")],                     b(Differs)),
        ];
        for (arguments, of, expected) in rows {
            let mut headers = HeaderMap::new();
            for (name, value) in of {
                let Ok(name) = HeaderName::from_bytes(name.as_bytes()) else { continue };
                headers.append(name, HeaderValue::from_bytes(value.as_bytes()).unwrap());
            }
            assert_eq!(params.check(&headers, Some(arguments)), expected, "{arguments} {of:?}");
        }
        assert_eq!(params.check(&HeaderMap::new(), None), Ok(()));
    }

    proptest! {
        #[test]
        fn whole_numbers_are_read_however_they_are_written(number in -9_007_199_254_740_991_i64..=9_007_199_254_740_991) {
            prop_assert_eq!(integer(&number.to_string()), Some(number));
            prop_assert_eq!(integer(&format!("{number}.000")), Some(number));
            prop_assert_eq!(integer(&format!("{number}e0")), Some(number));
            prop_assert_eq!(integer(&format!("{number}.5")), None);
        }
    }
}
