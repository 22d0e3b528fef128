//! JSON strings: finding where a plain run ends, and decoding escapes.

use std::borrow::Cow;

/// Decodes a raw JSON string, quotes included, such as the value of `params.name`.
///
/// Borrows when there is no escape in it. `None` when `raw` is not a JSON string, or when an escape
/// in it is half of a surrogate pair and so names no character.
///
/// ```
/// use mcp_types::jsonrpc::read_string;
///
/// assert_eq!(read_string(r#""echo""#).as_deref(), Some("echo"));
/// assert_eq!(read_string(r#""a\n\u00e9""#).as_deref(), Some("a\né"));
/// assert_eq!(read_string("17"), None);
/// assert_eq!(read_string(r#""\ud800""#), None);
/// ```
pub fn read_string(raw: &str) -> Option<Cow<'_, str>> {
    read(raw, LoneSurrogate::Refuse)
}

/// As [`read_string`], for texts that are shown to people: every JSON string can be read.
pub(super) fn read_string_lossy(raw: &str) -> Option<Cow<'_, str>> {
    read(raw, LoneSurrogate::Replace)
}

fn read(raw: &str, lone: LoneSurrogate) -> Option<Cow<'_, str>> {
    let inner = raw.strip_prefix('"')?.strip_suffix('"')?;
    if plain_run(inner.as_bytes()) == inner.len() {
        Some(Cow::Borrowed(inner))
    } else {
        unescape(inner, lone).map(Cow::Owned)
    }
}

/// What to do with `\ud800` and its like when no partner stands beside it.
#[derive(Clone, Copy)]
pub(super) enum LoneSurrogate {
    Refuse,
    /// U+FFFD takes its place.
    Replace,
}

/// Decodes what stands between the quotes of a JSON string.
pub(super) fn unescape(inner: &str, lone: LoneSurrogate) -> Option<String> {
    let mut out = String::with_capacity(inner.len());
    let mut rest = inner;
    while let Some(at) = memchr::memchr(b'\\', rest.as_bytes()) {
        out.push_str(&rest[..at]);
        let escape = rest.get(at + 1..)?;
        let letter = *escape.as_bytes().first()?;
        if letter == b'u' {
            let (character, after) = unicode_escape(escape.get(1..)?, lone)?;
            out.push(character);
            rest = after;
        } else {
            out.push(match letter {
                b'"' | b'\\' | b'/' => char::from(letter),
                b'b' => '\u{8}',
                b'f' => '\u{c}',
                b'n' => '\n',
                b'r' => '\r',
                b't' => '\t',
                _ => return None,
            });
            rest = &escape[1..];
        }
    }
    out.push_str(rest);
    Some(out)
}

/// Decodes the digits after `\u`, together with the second half of a pair. Also returns what follows.
fn unicode_escape(text: &str, lone: LoneSurrogate) -> Option<(char, &str)> {
    let (first, after) = four_digits(text)?;
    if let Some(character) = char::from_u32(first) {
        return Some((character, after));
    }
    if let Some((second, after_pair)) = after.strip_prefix("\\u").and_then(four_digits)
        && (0xd800..0xdc00).contains(&first)
        && (0xdc00..0xe000).contains(&second)
    {
        let code = 0x1_0000 + ((first - 0xd800) << 10) + (second - 0xdc00);
        return char::from_u32(code).map(|character| (character, after_pair));
    }
    match lone {
        LoneSurrogate::Refuse => None,
        LoneSurrogate::Replace => Some((char::REPLACEMENT_CHARACTER, after)),
    }
}

fn four_digits(text: &str) -> Option<(u32, &str)> {
    let digits = text.get(..4)?;
    // `from_str_radix` alone would take a sign.
    if !digits.bytes().all(|digit| digit.is_ascii_hexdigit()) {
        return None;
    }
    Some((u32::from_str_radix(digits, 16).ok()?, &text[4..]))
}

/// How many leading bytes are plain: neither a quote, nor a backslash, nor a control character.
///
/// For names and values in a frame. Most end within the first eight bytes, and only those are looked
/// at in place.
#[inline]
pub(super) fn plain_run(bytes: &[u8]) -> usize {
    bytes.first_chunk().and_then(first_special).unwrap_or_else(|| longer_plain_run(bytes))
}

/// As [`plain_run`], where the first word is plain or not whole.
#[inline(never)]
fn longer_plain_run(bytes: &[u8]) -> usize {
    // Names and versions end within sixteen bytes; what does not is a text.
    match bytes.get(8..16).and_then(<[u8]>::first_chunk) {
        Some(word) => first_special(word).map_or_else(|| plain_blocks(bytes, &bytes[16..]), |at| 8 + at),
        None => plain_words(bytes, bytes),
    }
}

/// Goes on with a text: `rest` is the end of `bytes`, and all before it is plain. A block takes 22 instructions, where
/// its four words would take 56.
#[inline(never)]
fn plain_blocks(bytes: &[u8], mut rest: &[u8]) -> usize {
    while let Some((block, after)) = rest.split_first_chunk()
        && is_plain(block)
    {
        rest = after;
    }
    plain_words(bytes, rest)
}

/// As [`plain_run`], for bytes that are likely to be plain to their end.
pub(super) fn text_run(bytes: &[u8]) -> usize {
    let mut rest = bytes;
    loop {
        match rest.split_first_chunk() {
            Some((block, after)) if is_plain(block) => rest = after,
            Some(_) => break,
            // The last bytes once more, together with plain ones before them.
            None if bytes.last_chunk().is_some_and(is_plain) => return bytes.len(),
            None => break,
        }
    }
    plain_words(bytes, rest)
}

/// Ends a plain run by words. `rest` is the end of `bytes`, and all before it is plain.
#[inline]
fn plain_words(bytes: &[u8], mut rest: &[u8]) -> usize {
    while let Some((word, after)) = rest.split_first_chunk() {
        if let Some(at) = first_special(word) {
            return bytes.len() - rest.len() + at;
        }
        rest = after;
    }
    match bytes.last_chunk() {
        None => short_run(bytes),
        Some(word) => first_special(word).map_or(bytes.len(), |at| bytes.len() - 8 + at),
    }
}

/// As [`plain_run`], for less than a word.
fn short_run(bytes: &[u8]) -> usize {
    let (Some([a, b, c, d]), Some([w, x, y, z])) = (bytes.first_chunk(), bytes.last_chunk()) else {
        return bytes.iter().take_while(|byte| !is_special(**byte)).count();
    };
    // Its first four bytes and its last four overlap, and make a whole word.
    match first_special(&[*a, *b, *c, *d, *w, *x, *y, *z]) {
        None => bytes.len(),
        Some(at @ 0..4) => at,
        Some(at) => bytes.len() + at - 8,
    }
}

const fn is_special(byte: u8) -> bool {
    (byte < 0x20) | (byte == b'"') | (byte == b'\\')
}

/// Whether no byte is special, in a form that the compiler turns into vectors of 16 bytes.
#[inline]
fn is_plain(block: &[u8; 32]) -> bool {
    // As in `special_bytes`, but a backslash becomes 0x20 as well, and nothing else does.
    let mark = |byte: u8| (byte ^ 2).min((byte ^ b'\\').saturating_add(0x20));
    !(0..16).fold(false, |any, at| any | (mark(block[at]).min(mark(block[at + 16])) < 0x21))
}

/// Where the first special byte of eight is.
#[inline]
fn first_special(word: &[u8; 8]) -> Option<usize> {
    let hits = special_bytes(u64::from_le_bytes(*word));
    if hits == 0 { None } else { Some(hits.trailing_zeros() as usize / 8) }
}

/// Sets the high bit of each special byte. A borrow can mark bytes above the lowest marked one
/// wrongly, so only the lowest mark may be used.
#[inline]
const fn special_bytes(word: u64) -> u64 {
    const ONES: u64 = u64::from_le_bytes([1; 8]);
    const HIGH: u64 = ONES << 7;
    // Flipping this bit puts the quote (0x22) right behind the control characters: all below 0x21.
    let low = (word ^ (ONES * 2)).wrapping_sub(ONES * 0x21);
    let backslashes = (word ^ (ONES * b'\\' as u64)).wrapping_sub(ONES);
    (low | backslashes) & !word & HIGH
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn escapes_are_decoded() {
        #[rustfmt::skip]
        let rows = [
            (r#""""#,                      Some("")),
            (r#""a\"b\\c\/d""#,            Some("a\"b\\c/d")),
            (r#""\b\f\n\r\t""#,            Some("\u{8}\u{c}\n\r\t")),
            (r#""\u0041\u00e9\u20AC""#,    Some("Aé€")),
            (r#""\ud83d\ude00!""#,         Some("😀!")),
            (r#""é\n😀""#,                 Some("é\n😀")),
            (r#""\ud800""#,                None),
            (r#""\ud800x""#,               None),
            (r#""\ud800\ud800""#,          None),
            (r#""\udc00\ud800""#,          None),
            (r#""\u12""#,                  None),
            (r#""\u+123""#,                None),
            ("1",                          None),
            ("\"",                         None),
        ];
        for (raw, expected) in rows {
            assert_eq!(read_string(raw).as_deref(), expected, "{raw}");
        }
    }

    #[test]
    fn lone_surrogates_can_be_shown() {
        assert_eq!(read_string_lossy(r#""a\ud800b""#).as_deref(), Some("a\u{fffd}b"));
        assert_eq!(read_string_lossy(r#""\ud800\ud83d\ude00""#).as_deref(), Some("\u{fffd}😀"));
    }

    proptest! {
        #[test]
        fn plain_runs_end_where_a_byte_by_byte_search_ends(
            plain in prop_oneof![0usize..20, 0usize..200],
            filler in prop_oneof![Just(b' '), Just(b'a'), Just(0x7f), Just(0x80), Just(0xff), Just(b'!'), Just(b'#')],
            end in any::<u8>(),
            tail in prop_oneof![Just(Vec::new()), proptest::collection::vec(any::<u8>(), 0..40)],
        ) {
            let mut bytes = vec![filler; plain];
            bytes.push(end);
            bytes.extend(tail);
            let expected = bytes.iter().position(|&byte| is_special(byte)).unwrap_or(bytes.len());
            prop_assert_eq!((plain_run(&bytes), text_run(&bytes)), (expected, expected));
        }
    }
}
