//! Protocol revisions.

use std::fmt;

use serde::de::Error as _;
use serde::{Deserialize, Deserializer, Serialize, Serializer};

/// A revision of the protocol that this crate knows. Ordered by age.
///
/// Texts that name no known revision never become a `Version`: they compare with nothing and turn
/// nothing on.
///
/// ```
/// use mcp_types::version::{Era, Version};
///
/// let version = Version::parse("2025-06-18").unwrap();
/// assert_eq!(version, Version::V2025_06_18);
/// assert!(version < Version::MODERN);
/// assert_eq!(version.era(), Era::Legacy);
/// assert_eq!(Version::parse("9999-01-01"), None);
/// ```
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Version(u8);

/// The two shapes the protocol has had.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
#[expect(clippy::exhaustive_enums, reason = "who handles one era must be told of the next")]
pub enum Era {
    /// An `initialize` handshake, a session, requests in both directions.
    Legacy,
    /// Each request stands alone and carries its revision in `_meta`.
    Modern,
}

impl Version {
    /// Revision 2024-11-05.
    pub const V2024_11_05: Self = Self(0);
    /// Revision 2025-03-26, the only one with batches.
    pub const V2025_03_26: Self = Self(1);
    /// Revision 2025-06-18.
    pub const V2025_06_18: Self = Self(2);
    /// Revision 2025-11-25.
    pub const V2025_11_25: Self = Self(3);
    /// Revision 2026-07-28.
    pub const V2026_07_28: Self = Self(4);

    /// The newest revision with a handshake.
    pub const LATEST_LEGACY: Self = Self::V2025_11_25;
    /// The newest revision without one.
    pub const MODERN: Self = Self::V2026_07_28;
    /// All known revisions, the oldest first.
    pub const ALL: &'static [Self] =
        &[Self::V2024_11_05, Self::V2025_03_26, Self::V2025_06_18, Self::V2025_11_25, Self::V2026_07_28];

    /// Finds the revision that `text` names.
    pub fn parse(text: &str) -> Option<Self> {
        Some(match text {
            "2024-11-05" => Self::V2024_11_05,
            "2025-03-26" => Self::V2025_03_26,
            "2025-06-18" => Self::V2025_06_18,
            "2025-11-25" => Self::V2025_11_25,
            "2026-07-28" => Self::V2026_07_28,
            _ => return None,
        })
    }

    /// The revision a server answers `initialize` with: the one asked for, or else the newest that
    /// has a handshake.
    ///
    /// ```
    /// use mcp_types::version::Version;
    ///
    /// assert_eq!(Version::negotiate_legacy("2024-11-05"), Version::V2024_11_05);
    /// assert_eq!(Version::negotiate_legacy("2026-07-28"), Version::V2025_11_25);
    /// assert_eq!(Version::negotiate_legacy("tomorrow"), Version::V2025_11_25);
    /// ```
    ///
    /// Spec: [Version negotiation](https://modelcontextprotocol.io/specification/2025-11-25/basic/lifecycle#version-negotiation)
    pub fn negotiate_legacy(requested: &str) -> Self {
        Self::parse(requested).filter(|version| version.era() == Era::Legacy).unwrap_or(Self::LATEST_LEGACY)
    }

    /// The name of the revision.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::V2024_11_05 => "2024-11-05",
            Self::V2025_03_26 => "2025-03-26",
            Self::V2025_06_18 => "2025-06-18",
            Self::V2025_11_25 => "2025-11-25",
            // No other number is ever made.
            _ => "2026-07-28",
        }
    }

    /// The shape of the protocol in this revision.
    pub const fn era(self) -> Era {
        if self.0 < Self::MODERN.0 { Era::Legacy } else { Era::Modern }
    }

    /// Whether a frame may be an array of messages.
    pub const fn batches(self) -> bool {
        self.0 == Self::V2025_03_26.0
    }

    /// Whether an error response may leave its id out. Earlier revisions need `null` there.
    pub const fn error_without_id(self) -> bool {
        self.0 >= Self::V2025_11_25.0
    }

    /// The place among [`Version::ALL`].
    pub(crate) const fn index(self) -> u8 {
        self.0
    }
}

/// The revisions that a server lists in `server/discover` and in the error to an unsupported one.
/// A client asks for the others by `initialize`.
pub const SUPPORTED_MODERN: &[&str] = &[Version::MODERN.as_str()];

impl fmt::Display for Version {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.as_str())
    }
}

impl fmt::Debug for Version {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.as_str())
    }
}

impl Serialize for Version {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_str(self.as_str())
    }
}

/// Fails for unknown revisions. What comes from a peer is therefore held as text.
impl<'de> Deserialize<'de> for Version {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let text = std::borrow::Cow::<'de, str>::deserialize(deserializer)?;
        Self::parse(&text).ok_or_else(|| D::Error::custom(format_args!("unknown revision {text:?}")))
    }
}

#[cfg(test)]
#[expect(clippy::unwrap_used, reason = "a test fails by panicking")]
mod tests {
    use super::*;

    #[test]
    fn what_each_revision_is() {
        #[rustfmt::skip]
        let rows = [
            (Version::V2024_11_05, "2024-11-05", Era::Legacy, false, false),
            (Version::V2025_03_26, "2025-03-26", Era::Legacy, true,  false),
            (Version::V2025_06_18, "2025-06-18", Era::Legacy, false, false),
            (Version::V2025_11_25, "2025-11-25", Era::Legacy, false, true),
            (Version::V2026_07_28, "2026-07-28", Era::Modern, false, true),
        ];
        assert_eq!(rows.map(|row| row.0), Version::ALL);
        assert!(Version::ALL.is_sorted());
        for (version, text, era, batches, error_without_id) in rows {
            assert_eq!(version.as_str(), text);
            assert_eq!(Version::parse(text), Some(version));
            assert_eq!(version.era(), era);
            assert_eq!(version.batches(), batches);
            assert_eq!(version.error_without_id(), error_without_id);
            assert_eq!(SUPPORTED_MODERN.contains(&text), era == Era::Modern);
            let json = serde_json::to_string(&version).unwrap();
            assert_eq!(serde_json::from_str::<Version>(&json).unwrap(), version);
        }
    }

    #[test]
    fn unknown_revisions_turn_nothing_on() {
        for text in ["", "9999-01-01", "2024-10-07", "2025-06-18 ", "1.0"] {
            assert_eq!(Version::parse(text), None, "{text}");
            assert_eq!(Version::negotiate_legacy(text), Version::LATEST_LEGACY);
            assert!(serde_json::from_value::<Version>(text.into()).is_err());
        }
    }
}
