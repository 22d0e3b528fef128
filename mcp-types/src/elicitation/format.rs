//! What kind of text a field of a form wants.

use crate::wire::open_enum;

open_enum! {
    /// What kind of text it is.
    StringFormat {
        /// An address of mail.
        Email = "email",
        /// A URI with its scheme.
        Uri = "uri",
        /// A day, such as `2026-07-28`.
        Date = "date",
        /// A day and a time with its offset, such as `2026-07-28T12:00:00Z`.
        DateTime = "date-time",
    }
}

impl StringFormat {
    /// Whether a text is of this kind, as far as that can be told cheaply. Formats that are not known take any text.
    ///
    /// ```
    /// use mcp_types::elicitation::StringFormat;
    ///
    /// assert!(StringFormat::Date.fits("2028-02-29"));
    /// assert!(!StringFormat::Date.fits("2027-02-29"));
    /// ```
    pub fn fits(&self, text: &str) -> bool {
        match self {
            Self::Email => is_email(text),
            Self::Uri => is_uri(text),
            Self::Date => is_date(text),
            Self::DateTime => is_date_time(text),
            Self::Other(_) => true,
        }
    }
}

fn is_email(text: &str) -> bool {
    let is_plain = |part: &str| !part.is_empty() && !part.contains(|c: char| c.is_whitespace() || c.is_control());
    text.rsplit_once('@').is_some_and(|(local, domain)| is_plain(local) && is_plain(domain) && !domain.contains(".."))
}

fn is_uri(text: &str) -> bool {
    let Some((scheme, rest)) = text.split_once(':') else { return false };
    scheme.starts_with(|c: char| c.is_ascii_alphabetic())
        && scheme.chars().all(|c| c.is_ascii_alphanumeric() || "+-.".contains(c))
        && !rest.is_empty()
        && !text.contains(|c: char| c.is_whitespace() || c.is_control() || "<>\"{}|\\^`".contains(c))
}

fn is_date(text: &str) -> bool {
    let Some([year, month, day]) = numbers(text, '-', [4, 2, 2]) else { return false };
    let is_leap = year % 4 == 0 && (year % 100 != 0 || year % 400 == 0);
    let days = match month {
        1 | 3 | 5 | 7 | 8 | 10 | 12 => 31,
        4 | 6 | 9 | 11 => 30,
        2 => 28 + u32::from(is_leap),
        _ => return false,
    };
    (1..=days).contains(&day)
}

fn is_date_time(text: &str) -> bool {
    let Some((date, time)) = text.split_once(['T', 't']) else { return false };
    is_date(date) && is_time(time)
}

/// A time with its offset, such as `12:00:00.5+02:00`.
fn is_time(text: &str) -> bool {
    let Some(at) = text.find(['Z', 'z', '+', '-']) else { return false };
    let (clock, offset) = text.split_at(at);
    let is_offset = matches!(offset, "Z" | "z")
        || numbers(&offset[1..], ':', [2, 2]).is_some_and(|[hours, minutes]| hours < 24 && minutes < 60);
    let (clock, fraction) = clock.split_once('.').map_or((clock, "0"), |(clock, fraction)| (clock, fraction));
    let is_clock = numbers(clock, ':', [2, 2, 2]).is_some_and(|[h, m, s]| h < 24 && m < 60 && s <= 60);
    is_offset && is_clock && is_digits(fraction)
}

/// The numbers that a text has between separators, each of so many digits.
fn numbers<const N: usize>(text: &str, separator: char, digits: [usize; N]) -> Option<[u32; N]> {
    let mut parts = text.split(separator);
    let mut found = [0; N];
    for (number, digits) in found.iter_mut().zip(digits) {
        let part = parts.next().filter(|part| part.len() == digits && is_digits(part))?;
        *number = part.parse().ok()?;
    }
    parts.next().is_none().then_some(found)
}

fn is_digits(text: &str) -> bool {
    !text.is_empty() && text.bytes().all(|byte| byte.is_ascii_digit())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn texts_are_of_their_kind() {
        #[rustfmt::skip]
        let rows: [(StringFormat, &[&str], &[&str]); 5] = [
            (StringFormat::Email, &["a@b", "a.b+c@d.example", "\"a@b\"@c"], &["", "a", "@b", "a@", "a b@c", "a@b c", "a@b..c"]),
            (StringFormat::Uri, &["a:b", "https://a.example/b?c#d", "urn:x:y"], &["", "a", ":b", "a:", "1a:b", "a b:c", "https://a b", "a:<b>"]),
            (StringFormat::Date, &["2026-07-28", "2000-02-29", "0001-12-31"],
                &["", "2026-7-28", "2026-13-01", "2026-00-01", "2026-04-31", "1900-02-29", "2026-01-00", "2026-01-01-", "+026-01-01", "２026-01-01"]),
            (StringFormat::DateTime, &["2026-07-28T12:00:00Z", "2026-07-28t23:59:60.25-09:30"],
                &["", "2026-07-28", "2026-07-28T12:00:00", "2026-07-28T24:00:00Z", "2026-07-28T12:00Z", "2026-07-28T12:00:00.Z",
                    "2026-07-28T12:00:00+2:00", "2026-07-28T12:00:00é", "2026-07-28T12:00:00Zz", "2026-07-28T12:00:00+é0:00"]),
            (StringFormat::Other("colour".into()), &["", "red"], &[]),
        ];
        for (format, good, bad) in rows {
            for text in good {
                assert!(format.fits(text), "{format}: {text}");
            }
            for text in bad {
                assert!(!format.fits(text), "{format}: {text}");
            }
        }
    }
}
