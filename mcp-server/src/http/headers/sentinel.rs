//! Texts that no header can carry as they are come in Base64, between two marks.

use super::value::HeaderFault;
use crate::unbase64::decode;

/// Whether a header says this text, as it is or in Base64. Nothing is allocated.
pub(super) fn compare(header: &str, text: &str) -> Result<(), HeaderFault> {
    //= 2026-07-28/basic/transports/streamable-http#value-encoding
    //# In particular, servers **MUST**
    //# decode an encoded `Mcp-Name` or `Mcp-Param-{Name}` value before comparing it
    //# to the corresponding request body value
    let is_same = match encoded(header) {
        Some(digits) => {
            let mut rest = Some(text.as_bytes());
            let take = |bytes: &[u8]| rest = rest.and_then(|rest| rest.strip_prefix(bytes));
            decode(digits.as_bytes(), take).ok_or(HeaderFault::Encoding)?;
            rest.is_some_and(<[u8]>::is_empty)
        }
        None => header == text,
    };
    if is_same { Ok(()) } else { Err(HeaderFault::Differs) }
}

/// What stands between the marks. `None` when the value means itself.
pub(super) fn encoded(header: &str) -> Option<&str> {
    header.strip_prefix("=?base64?")?.strip_suffix("?=")
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::base64;
    use proptest::prelude::*;

    #[test]
    fn values_are_compared_as_they_are_meant() {
        let differs = Err(HeaderFault::Differs);
        let encoding = Err(HeaderFault::Encoding);
        #[rustfmt::skip]
        let rows = [
            ("us-west1",                                    "us-west1",             Ok(())),
            ("",                                            "",                     Ok(())),
            ("us-west1",                                    "us-west2",             differs),
            ("",                                            "x",                    differs),
            ("=?base64?SGVsbG8sIOS4lueVjA==?=",             "Hello, 世界",           Ok(())),
            ("=?base64?IHBhZGRlZCA=?=",                     " padded ",             Ok(())),
            ("=?base64?bGluZTEKbGluZTI=?=",                 "line1\nline2",         Ok(())),
            ("=?base64?PT9iYXNlNjQ/bGl0ZXJhbD89?=",         "=?base64?literal?=",   Ok(())),
            ("=?base64?dXMtd2VzdDE=?=",                     "us-west1",             Ok(())),
            ("=?base64??=",                                 "",                     Ok(())),
            ("=?base64?dXMtd2VzdDE=?=",                     "us-west",              differs),
            ("=?base64?dXMtd2VzdA==?=",                     "us-west1",             differs),
            // Not both marks: the value means itself.
            ("=?base64?dXMtd2VzdDE=",                       "us-west1",             differs),
            ("dXMtd2VzdDE=?=",                              "us-west1",             differs),
            ("=?base64?dXMtd2VzdDE=",                       "=?base64?dXMtd2VzdDE=", Ok(())),
            ("=?Base64?dXMtd2VzdDE=?=",                     "us-west1",             differs),
            ("=?base64?=",                                  "=?base64?=",           Ok(())),
            // Not Base64.
            ("=?base64?dXMtd2VzdDE?=",                      "us-west1",             encoding),
            ("=?base64?dXMtd2VzdDE==?=",                    "us-west1",             encoding),
            ("=?base64?dXMt=d2VzdDE?=",                     "us-west1",             encoding),
            ("=?base64?dXMt!2VzdDE=?=",                     "us-west1",             encoding),
            ("=?base64?dXMt2 VzdDE=?=",                     "us-west1",             encoding),
            ("=?base64?dXMt_2VzdDE=?=",                     "us-west1",             encoding),
            ("=?base64?=?=",                                "",                     encoding),
            ("=?base64?====?=",                             "",                     encoding),
            ("=?base64?Zg==Zg==?=",                         "ff",                   encoding),
            ("=?base64?Zh==?=",                             "f",                    encoding),
            ("=?base64?Zm9=?=",                             "fo",                   encoding),
            ("=?base64?/w==?=",                             "\u{ff}",               differs),
        ];
        for (header, text, expected) in rows {
            assert_eq!(compare(header, text), expected, "{header:?} {text:?}");
        }
    }

    proptest! {
        #[test]
        fn what_was_encoded_is_recognised(text in any::<String>(), other in any::<String>()) {
            let header = format!("=?base64?{}?=", base64(text.as_bytes()));
            prop_assert_eq!(compare(&header, &text), Ok(()));
            prop_assert_eq!(compare(&header, &other).is_ok(), text == other);
        }

        #[test]
        fn any_digits_can_be_read(digits in "[A-Za-z0-9+/=?!]{0,24}", text in "[a-z]{0,8}") {
            let header = format!("=?base64?{digits}?=");
            let expected = format!("=?base64?{}?=", base64(text.as_bytes()));
            prop_assert_eq!(compare(&header, &text).is_ok(), header == expected, "there is one way to write a text");
        }
    }
}
