//! From a URI to the values of a template's variables, in time proportional to the length of the URI.

use super::{Kind, Part, Query, UriTemplate, Variable};
use crate::call::Texts;
use crate::uri::percent_decode;

/// A variable and its value, which is not decoded yet.
type Captured<'t, 'u> = Vec<(&'t str, &'u str)>;

pub(super) fn matches(template: &UriTemplate, uri: &str) -> Option<Texts> {
    let mut found = capture(template, uri)?.into_iter();
    found.try_fold(Texts::new(), |mut values, (name, value)| {
        values.insert(name.to_owned(), percent_decode(value)?);
        Some(values)
    })
}

fn capture<'t, 'u>(template: &'t UriTemplate, uri: &'u str) -> Option<Captured<'t, 'u>> {
    // Positions are bytes from here on.
    if !uri.is_ascii() {
        return None;
    }
    let mut found = Vec::new();
    let mut rest = uri;
    if let Some(name) = &template.fragment
        && let Some((before, fragment)) = rest.split_once('#')
    {
        found.push((&**name, fragment));
        rest = before;
    }
    if let Some(query) = &template.query {
        let (before, asked) = match rest.split_once('?') {
            Some((before, asked)) => (before, Some(asked)),
            None => (rest, None),
        };
        capture_query(query, asked, &mut found)?;
        rest = before;
    }
    capture_parts(&template.parts, rest, &mut found)?;
    Some(found)
}

fn capture_query<'t, 'u>(query: &'t Query, asked: Option<&'u str>, found: &mut Captured<'t, 'u>) -> Option<()> {
    let Some(asked) = asked else { return query.fixed.is_empty().then_some(()) };
    let asked = asked.strip_prefix(&*query.fixed)?;
    let pairs = match asked.strip_prefix('&') {
        _ if asked.is_empty() => return Some(()),
        Some(pairs) if !query.fixed.is_empty() => pairs,
        None if query.fixed.is_empty() => asked,
        _ => return None,
    };
    for pair in pairs.split('&') {
        let (name, value) = pair.split_once('=').unwrap_or((pair, ""));
        let name = query.names.iter().find(|known| ***known == *name)?;
        if found.iter().any(|(other, _)| *other == &**name) {
            return None;
        }
        found.push((name, value));
    }
    Some(())
}

fn capture_parts<'t, 'u>(mut parts: &'t [Part], text: &'u str, found: &mut Captured<'t, 'u>) -> Option<()> {
    let mut rest = text;
    if let [Part::Literal(first), others @ ..] = parts {
        rest = rest.strip_prefix(&**first)?;
        parts = others;
    }
    if let [others @ .., Part::Literal(last)] = parts {
        rest = rest.strip_suffix(&**last)?;
        parts = others;
    }
    match parts {
        [] => rest.is_empty().then_some(()),
        [Part::Variable(only)] => {
            found.push((&only.name, rest));
            (!rest.is_empty() && rest.bytes().all(|byte| only.kind.has(byte))).then_some(())
        }
        _ => Reach::of(parts, rest).capture(parts, rest, found),
    }
}

/// For each part and each place in a text, whether the part and those after it can be found from there to the end.
///
/// It is filled in from the end, each place from the one after it. Looking back instead, as one does who tries one
/// split after the other, can take a time that grows with the square of the length and worse.
struct Reach {
    can: Vec<bool>,
    places: usize,
}

impl Reach {
    fn of(parts: &[Part], text: &str) -> Self {
        let bytes = text.as_bytes();
        let places = bytes.len() + 1;
        let mut reach = Self { can: vec![false; places * (parts.len() + 1)], places };
        reach.set(parts.len(), bytes.len());
        for (part, what) in parts.iter().enumerate().rev() {
            for place in (0..places).rev() {
                let can = match what {
                    Part::Literal(literal) => {
                        reach.can(part + 1, place + literal.len())
                            && bytes.get(place..).is_some_and(|rest| rest.starts_with(literal.as_bytes()))
                    }
                    Part::Variable(variable) => {
                        let begins = bytes.get(place).is_some_and(|byte| variable.kind.has(*byte));
                        begins && (reach.can(part + 1, place + 1) || reach.can(part, place + 1))
                    }
                };
                if can {
                    reach.set(part, place);
                }
            }
        }
        reach
    }

    fn capture<'t, 'u>(&self, parts: &'t [Part], text: &'u str, found: &mut Captured<'t, 'u>) -> Option<()> {
        if !self.can(0, 0) {
            return None;
        }
        let mut place = 0;
        for (part, what) in parts.iter().enumerate() {
            place = match what {
                Part::Literal(literal) => place + literal.len(),
                Part::Variable(variable) => {
                    let end = self.longest(part, place, variable, text)?;
                    found.push((&variable.name, text.get(place..end)?));
                    end
                }
            };
        }
        Some(())
    }

    /// Where the longest value ends that leaves enough for the parts after it.
    fn longest(&self, part: usize, start: usize, variable: &Variable, text: &str) -> Option<usize> {
        let bytes = text.as_bytes().get(start..)?;
        let len = bytes.iter().position(|byte| !variable.kind.has(*byte)).unwrap_or(bytes.len());
        (start + 1..=start + len).rev().find(|end| self.can(part + 1, *end))
    }

    fn can(&self, part: usize, place: usize) -> bool {
        place < self.places && self.can.get(part * self.places + place).is_some_and(|can| *can)
    }

    fn set(&mut self, part: usize, place: usize) {
        if let Some(can) = self.can.get_mut(part * self.places + place) {
            *can = true;
        }
    }
}

impl Kind {
    const fn has(self, byte: u8) -> bool {
        match self {
            Self::Simple => !matches!(byte, b'/' | b'?' | b'#'),
            Self::Listed => !matches!(byte, b'/' | b'?' | b'#' | b','),
            Self::Reserved => true,
        }
    }
}
