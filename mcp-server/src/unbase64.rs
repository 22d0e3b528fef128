//! Reading Base64.

/// Decodes standard Base64 with its padding, up to three bytes at a time. There is one way to write each text: bits
/// that stand for nothing have to be zero. `None` when it is not that; some of it may have been given by then.
pub(crate) fn decode(digits: &[u8], mut take: impl FnMut(&[u8])) -> Option<()> {
    let (groups, rest) = digits.as_chunks::<4>();
    if !rest.is_empty() {
        return None;
    }
    for (position, group) in groups.iter().enumerate() {
        let padding = match group {
            [_, _, b'=', b'='] => 2,
            [_, _, _, b'='] => 1,
            _ => 0,
        };
        if padding > 0 && position + 1 < groups.len() {
            return None;
        }
        let mut bits = 0_u32;
        for digit in &group[..4 - padding] {
            bits = bits << 6 | u32::from(value_of(*digit)?);
        }
        bits <<= 6 * padding;
        let [_, bytes @ ..] = bits.to_be_bytes();
        let (bytes, spare) = bytes.split_at(3 - padding);
        if spare.iter().any(|byte| *byte != 0) {
            return None;
        }
        take(bytes);
    }
    Some(())
}

fn value_of(digit: u8) -> Option<u8> {
    Some(match digit {
        b'A'..=b'Z' => digit - b'A',
        b'a'..=b'z' => digit - b'a' + 26,
        b'0'..=b'9' => digit - b'0' + 52,
        b'+' => 62,
        b'/' => 63,
        _ => return None,
    })
}

#[cfg(test)]
mod tests {
    use super::decode;
    use crate::base64;
    use proptest::prelude::*;

    fn decoded(digits: &str) -> Option<Vec<u8>> {
        let mut out = Vec::new();
        decode(digits.as_bytes(), |bytes| out.extend_from_slice(bytes)).map(|()| out)
    }

    proptest! {
        #[test]
        fn what_was_written_is_read(bytes in any::<Vec<u8>>()) {
            prop_assert_eq!(decoded(&base64(&bytes)), Some(bytes));
        }

        #[test]
        fn there_is_one_way_to_write_each_text(digits in "[A-Za-z0-9+/=]{0,12}") {
            if let Some(bytes) = decoded(&digits) {
                prop_assert_eq!(base64(&bytes), digits);
            }
        }
    }
}
