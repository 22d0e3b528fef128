//! Values that could become part of a path.

/// Whether a value leads nowhere but down, wherever it is put behind the path of a folder.
///
/// A backslash is refused everywhere, because on some systems it is a slash.
pub(super) fn is_harmless(value: &str, may_have_slashes: bool) -> bool {
    let has_bad_characters = value.chars().any(|c| c == '\\' || c.is_control());
    let leads_up = value.split('/').any(|segment| matches!(segment, "." | ".."));
    !has_bad_characters && !leads_up && !value.starts_with('/') && (may_have_slashes || !value.contains('/'))
}

#[cfg(test)]
mod tests {
    use super::is_harmless;

    #[test]
    fn values_that_lead_elsewhere_are_seen() {
        for value in ["a", "a b", "...", ".a", "a..", "ünïcode", "", "C:", "~"] {
            assert!(is_harmless(value, false) && is_harmless(value, true), "{value}");
        }
        for value in
            [".", "..", "../a", "a/..", "a/../b", "/a", "//a", "\\a", "a\\..\\b", "a\0", "a\n", "\u{7f}", "./a"]
        {
            assert!(!is_harmless(value, false) && !is_harmless(value, true), "{value}");
        }
        for value in ["a/b", "a/b/", "a//b"] {
            assert!(!is_harmless(value, false) && is_harmless(value, true), "{value}");
        }
    }
}
