//! Blocks of content, for revisions that do not have them all.

use mcp_types::Content;
use mcp_types::version::Version;

/// Puts a text in the place of a block of a kind that the revision does not have.
pub(crate) fn fit(block: &mut Content, version: Version) {
    let text = match block {
        Content::Audio(audio) if version < Version::V2025_03_26 => format!("[audio: {}]", audio.mime_type),
        Content::ResourceLink(link) if version < Version::V2025_06_18 => {
            let name = link.title.as_ref().unwrap_or(&link.name);
            match &link.description {
                Some(description) => format!("{name}: {} ({description})", link.uri),
                None => format!("{name}: {}", link.uri),
            }
        }
        _ => return,
    };
    *block = Content::text(text);
}

/// Writes bytes in Base64, as pictures, sounds and other bytes are sent.
///
/// ```
/// assert_eq!(mcp_server::base64(b"hello"), "aGVsbG8=");
/// ```
#[must_use]
pub fn base64(bytes: &[u8]) -> String {
    const DIGITS: &[u8; 64] = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    let mut text = String::with_capacity(bytes.len().div_ceil(3) * 4);
    for piece in bytes.chunks(3) {
        let bits = piece.iter().fold(0_u32, |bits, byte| bits << 8 | u32::from(*byte)) << (8 * (3 - piece.len()));
        for place in 0..4 {
            let digit = DIGITS[(bits >> (18 - 6 * place)) as usize & 63];
            text.push(if place > piece.len() { '=' } else { digit.into() });
        }
    }
    text
}

#[cfg(test)]
mod tests {
    use super::base64;

    #[test]
    fn base64_is_that_of_its_definition() {
        #[rustfmt::skip]
        let rows = [
            ("", ""), ("f", "Zg=="), ("fo", "Zm8="), ("foo", "Zm9v"), ("foob", "Zm9vYg=="), ("fooba", "Zm9vYmE="),
            ("foobar", "Zm9vYmFy"), ("\u{fb}\u{ff}", "w7vDvw=="),
        ];
        for (bytes, text) in rows {
            assert_eq!(base64(bytes.as_bytes()), text);
        }
        assert_eq!(base64(&[0xfb, 0xff, 0xfe]), "+//+");
    }
}
