//! A file is one idea; one that is longer than anybody reads at once says why.

use crate::tidy::Finding;
use crate::tidy::rust::RustFile;

pub(super) fn check(file: &RustFile<'_>) -> Vec<Finding> {
    // The text ends with a newline, behind which the last line is empty.
    let length = file.lines.iter().rposition(|line| !line.code.is_empty() || !line.comment.is_empty());
    let length = length.map_or(0, |last| last + 1);
    let reasoned = file
        .lines
        .iter()
        .take_while(|line| line.code.trim().is_empty() || line.code.starts_with("#!"))
        .any(|line| line.comment.strip_prefix("//! Size:").is_some_and(|reason| !reason.trim().is_empty()));
    if length <= MOST || reasoned {
        return Vec::new();
    }
    vec![Finding::new(
        file.path,
        length,
        format!("over {MOST} lines: find the seam, or give the reason in the header with `//! Size: <reason>`"),
    )]
}

const MOST: usize = 600;

#[cfg(test)]
mod tests {
    use super::*;
    use crate::tidy::tests::lines;

    #[test]
    fn a_long_file_without_a_reason_is_found() {
        let long = "a();\n".repeat(601);
        assert_eq!(lines(check, "x/src/a.rs", &long), [601]);
        assert_eq!(lines(check, "x/src/a.rs", &format!("//! Size:\n{long}")), [602]);
        assert_eq!(lines(check, "x/src/a.rs", &format!("{long}//! Size: too late")), [602]);
    }

    #[test]
    fn a_reason_in_the_header_or_600_lines_are_fine() {
        assert!(lines(check, "x/src/a.rs", &"a();\n".repeat(600)).is_empty());
        let reasoned = format!("//! Title.\n//!\n//! Size: one table.\n{}", "a();\n".repeat(601));
        assert!(lines(check, "x/src/a.rs", &reasoned).is_empty());
    }
}
