//! The id of a session over HTTP.

use std::fmt;

/// The id of a session of a revision with a handshake: 128 bits that nobody can guess, written as 32 hexadecimal
/// digits.
///
/// It tells sessions apart. It proves nothing about who sent it: that is for authorization to say.
///
/// ```
/// use mcp_server::http::SessionId;
///
/// let id = SessionId::random()?;
/// let text = id.to_string();
/// assert_eq!(text.len(), 32);
/// assert_eq!(SessionId::parse(&text), Some(id));
/// assert_eq!(SessionId::parse("garbage"), None);
/// # Ok::<_, mcp_server::http::NoRandomness>(())
/// ```
///
/// Spec: [Session management](https://modelcontextprotocol.io/specification/2025-11-25/basic/transports#session-management)
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct SessionId([u8; 16]);

impl SessionId {
    /// Makes a new id from the randomness of the operating system.
    ///
    /// # Errors
    ///
    /// [`NoRandomness`] when the operating system has none to give.
    //= 2025-11-25/basic/transports#session-management
    //# The session ID **SHOULD** be globally unique and cryptographically secure
    pub fn random() -> Result<Self, NoRandomness> {
        let mut bytes = [0; 16];
        getrandom::fill(&mut bytes).map_err(|_| NoRandomness(()))?;
        Ok(Self(bytes))
    }

    /// Reads an id. `None` for what is no id of ours, and so is that of no session.
    #[must_use]
    pub fn parse(text: &str) -> Option<Self> {
        let is_ours = |byte: u8| matches!(byte, b'0'..=b'9' | b'a'..=b'f');
        if text.len() != 32 || !text.bytes().all(is_ours) {
            return None;
        }
        u128::from_str_radix(text, 16).ok().map(|number| Self(number.to_be_bytes()))
    }

    const fn number(self) -> u128 {
        u128::from_be_bytes(self.0)
    }
}

//= 2025-11-25/basic/transports#session-management
//# The session ID **MUST** only contain visible ASCII characters (ranging from 0x21 to
//# 0x7E).
impl fmt::Display for SessionId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{:032x}", self.number())
    }
}

/// Only its beginning: whoever knows the whole can speak in the session.
impl fmt::Debug for SessionId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "SessionId({:08x}…)", self.number() >> 96)
    }
}

/// The operating system has no randomness to give.
#[derive(Clone, Copy, Debug, thiserror::Error)]
#[error("the operating system gives no randomness")]
pub struct NoRandomness(());

#[cfg(test)]
#[expect(clippy::unwrap_used, reason = "tests")]
mod tests {
    use super::*;
    use std::collections::HashSet;

    fn of(number: u128) -> SessionId {
        SessionId(number.to_be_bytes())
    }

    #[test]
    fn ids_are_read_as_they_were_written() {
        for id in [of(0), of(1), of(u128::MAX), SessionId::random().unwrap()] {
            assert_eq!(SessionId::parse(&id.to_string()), Some(id));
            assert!(id.to_string().bytes().all(|byte| (0x21..=0x7e).contains(&byte)));
        }
    }

    #[test]
    fn other_texts_are_no_ids() {
        let id = of(0xabc).to_string();
        for text in
            ["", "garbage", &id[1..], &format!("{id}0"), &id.to_uppercase(), &format!("+{}", &id[1..]), &" ".repeat(32)]
        {
            assert_eq!(SessionId::parse(text), None, "{text:?}");
        }
    }

    #[test]
    fn ids_differ_in_every_bit() {
        let ids: Vec<_> = (0..1000).map(|_| SessionId::random().unwrap().number()).collect();
        assert_eq!(ids.iter().collect::<HashSet<_>>().len(), ids.len());
        let ones = ids.iter().fold(0, |all, id| all | id);
        let zeros = ids.iter().fold(0, |all, id| all | !id);
        assert_eq!((ones, zeros), (u128::MAX, u128::MAX));
    }

    #[test]
    fn a_log_does_not_give_the_whole_id_away() {
        assert_eq!(format!("{:?}", of(0x1234_5678 << 96 | 7)), "SessionId(12345678…)");
    }
}
