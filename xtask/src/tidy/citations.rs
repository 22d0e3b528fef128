//! A citation of the spec names a place that exists in form, and quotes it.
//!
//! Its form is `//= <revision>/<page>#<anchor>`, then one or more lines `//# <quotation>`.

use crate::tidy::Finding;
use crate::tidy::lexer::Line;
use crate::tidy::rust::RustFile;

pub(super) fn check(file: &RustFile<'_>) -> Vec<Finding> {
    let mut findings = Vec::new();
    let mut before = Kind::Other;
    for (number, line) in file.numbered() {
        let kind = Kind::of(line);
        let mut find = |at: usize, message: &str| findings.push(Finding::new(file.path, at, message));
        match (before, kind) {
            (Kind::Place, Kind::Quote) | (Kind::Quote, _) | (Kind::Other, Kind::Place | Kind::Other) => {}
            (Kind::Place, _) => find(number - 1, "a citation without a quotation: add a line `//# <quotation>`"),
            (Kind::Other, Kind::Quote) => {
                find(number, "a quotation without its place: put `//= <revision>/<page>#<anchor>` above")
            }
        }
        if kind == Kind::Place
            && let Err(problem) = place(line.comment[PLACE.len()..].trim())
        {
            find(number, &problem);
        }
        if kind == Kind::Quote && line.comment[QUOTE.len()..].trim().is_empty() {
            find(number, "an empty quotation");
        }
        before = kind;
    }
    if before == Kind::Place {
        findings.push(Finding::new(
            file.path,
            file.lines.len(),
            "a citation without a quotation: add a line `//# <quotation>`",
        ));
    }
    findings
}

#[derive(Clone, Copy, PartialEq)]
enum Kind {
    Place,
    Quote,
    Other,
}

impl Kind {
    fn of(line: &Line) -> Self {
        if line.comment.starts_with(PLACE) {
            Self::Place
        } else if line.comment.starts_with(QUOTE) {
            Self::Quote
        } else {
            Self::Other
        }
    }
}

fn place(text: &str) -> Result<(), String> {
    let form = || format!("`{text}` is not of the form <revision>/<page>#<anchor>");
    let (revision, rest) = text.split_once('/').ok_or_else(form)?;
    let (page, anchor) = rest.split_once('#').ok_or_else(form)?;
    if !REVISIONS.contains(&revision) {
        return Err(format!("`{revision}` is not a revision of the protocol"));
    }
    let pages_are_named = page.split('/').all(is_slug);
    if pages_are_named && is_slug(anchor) { Ok(()) } else { Err(form()) }
}

fn is_slug(text: &str) -> bool {
    let of_a_slug = |c: char| c.is_ascii_lowercase() || c.is_ascii_digit() || c == '-' || c == '_';
    !text.is_empty() && text.chars().all(of_a_slug)
}

const PLACE: &str = "//=";
const QUOTE: &str = "//#";
const REVISIONS: [&str; 5] = ["2024-11-05", "2025-03-26", "2025-06-18", "2025-11-25", "2026-07-28"];

#[cfg(test)]
mod tests {
    use super::*;
    use crate::tidy::tests::lines;

    #[test]
    fn a_good_citation_passes() {
        let text = "//= 2026-07-28/basic/patterns/cancellation#behavior-requirements\n//# Not send\n//# a response\nfn f() {}\n    //= 2025-11-25/schema#ping\n    //# x";
        assert!(lines(check, "x/src/a.rs", text).is_empty());
    }

    #[test]
    fn badly_formed_places_are_found() {
        for place in [
            "",
            "2026-07-28",
            "2026-07-28/basic",
            "2026-07-28/#x",
            "2026-07-28/basic#",
            "2026-07-28/Basic#x",
            "2026-07-28/basic//x#y",
            "2026-07-28/basic#two words",
            "2026-07-29/basic#x",
        ] {
            assert_eq!(lines(check, "x/src/a.rs", &format!("//= {place}\n//# text\n")), [1], "{place}");
        }
    }

    #[test]
    fn a_place_without_a_quotation_is_found() {
        let place = "//= 2026-07-28/basic#x";
        assert_eq!(lines(check, "x/src/a.rs", &format!("{place}\nfn f() {{}}\n")), [1]);
        assert_eq!(lines(check, "x/src/a.rs", &format!("{place}\n{place}\n//# text\n")), [1]);
        assert_eq!(lines(check, "x/src/a.rs", place), [1]);
        assert_eq!(lines(check, "x/src/a.rs", &format!("{place}\n//#\n")), [2]);
    }

    #[test]
    fn a_quotation_without_a_place_is_found() {
        assert_eq!(lines(check, "x/src/a.rs", "fn f() {}\n//# text\n"), [2]);
    }
}
