//! From the text of a template to its parts.

use super::{Kind, Part, Query, TemplateError, UriTemplate, Variable};
use crate::uri::{begins_with_scheme, is_reserved, is_unreserved, percent_encode};

pub(super) fn parse(text: &str) -> Result<UriTemplate, TemplateError> {
    if !begins_with_scheme(text) {
        return Err(TemplateError::NoScheme);
    }
    let template = UriTemplate { text: text.into(), parts: Vec::new(), query: None, fragment: None };
    let mut parser = Parser { template, literal: String::new() };
    let mut at = 0;
    while let Some(rest) = text.get(at..).filter(|rest| !rest.is_empty()) {
        if let Some(inner) = rest.strip_prefix('{') {
            let end = inner.find(['{', '}']).filter(|end| inner.as_bytes().get(*end) == Some(&b'}'));
            let inner = end.and_then(|end| inner.get(..end)).ok_or(TemplateError::Brace { at })?;
            parser.expression(inner)?;
            at += inner.len() + 2;
        } else {
            let literal = rest.split('{').next().unwrap_or_default();
            parser.literal(literal, at)?;
            at += literal.len();
        }
    }
    parser.end_literal();
    Ok(parser.template)
}

struct Parser {
    template: UriTemplate,
    /// The literal that has not ended yet.
    literal: String,
}

impl Parser {
    fn literal(&mut self, literal: &str, start: usize) -> Result<(), TemplateError> {
        if self.template.query.is_some() || self.template.fragment.is_some() {
            return Err(unsupported(literal, "nothing but a fragment can follow a query, and nothing a fragment"));
        }
        for (offset, c) in literal.char_indices() {
            let at = start + offset;
            match c {
                '}' => return Err(TemplateError::Brace { at }),
                '%' if !is_encoded(literal.get(offset..).unwrap_or_default()) => {
                    return Err(TemplateError::Character { at });
                }
                '%' => self.literal.push(c),
                // RFC 6570 has these encoded.
                _ if !c.is_ascii() => percent_encode(&mut self.literal, c.encode_utf8(&mut [0; 4]), |_| false),
                _ if u8::try_from(c).is_ok_and(|byte| is_unreserved(byte) || is_reserved(byte)) => self.literal.push(c),
                _ => return Err(TemplateError::Character { at }),
            }
        }
        Ok(())
    }

    fn expression(&mut self, inner: &str) -> Result<(), TemplateError> {
        let (operator, names) = match inner.chars().next() {
            Some(operator) if !is_of_name(operator) || operator == '.' => {
                (Some(operator), inner.get(operator.len_utf8()..))
            }
            _ => (None, Some(inner)),
        };
        let names: Vec<_> = names.unwrap_or_default().split(',').collect();
        for name in &names {
            if name.ends_with('*') || name.contains(':') {
                return Err(unsupported_expression(inner, "values cannot be exploded or cut"));
            }
            let starts_well = !name.starts_with('.') && !name.ends_with('.');
            if name.is_empty() || !starts_well || !name.chars().all(is_of_name) {
                return Err(TemplateError::Name { name: (*name).to_owned() });
            }
        }
        if self.template.fragment.is_some() {
            return Err(unsupported_expression(inner, "nothing can follow a fragment"));
        }
        let follows_query = self.template.query.is_some();
        match operator {
            Some('&') => self.more_query(inner, &names)?,
            Some('#') if names.len() > 1 => return Err(unsupported_expression(inner, "a fragment is one value")),
            Some('#') => {
                let [name] = names.as_slice() else { return Ok(()) };
                self.is_new(name)?;
                self.template.fragment = Some((*name).into());
            }
            _ if follows_query => return Err(unsupported_expression(inner, "only a fragment can follow a query")),
            Some('?') => self.query(inner, &names)?,
            None => {
                let kind = if names.len() > 1 { Kind::Listed } else { Kind::Simple };
                self.list(&names, kind)?;
            }
            Some('+') if names.len() > 1 => {
                return Err(unsupported_expression(inner, "where one such value ends cannot be seen"));
            }
            Some('+') => self.list(&names, Kind::Reserved)?,
            Some('/') => {
                for name in names {
                    self.literal.push('/');
                    self.variable(name, Kind::Simple)?;
                }
            }
            Some(_) => return Err(unsupported_expression(inner, "this operator cannot be matched")),
        }
        Ok(())
    }

    fn list(&mut self, names: &[&str], kind: Kind) -> Result<(), TemplateError> {
        for (place, name) in names.iter().enumerate() {
            if place > 0 {
                self.literal.push(',');
            }
            self.variable(name, kind)?;
        }
        Ok(())
    }

    fn variable(&mut self, name: &str, kind: Kind) -> Result<(), TemplateError> {
        self.is_new(name)?;
        self.end_literal();
        self.template.parts.push(Part::Variable(Variable { name: name.into(), kind }));
        Ok(())
    }

    fn query(&mut self, inner: &str, names: &[&str]) -> Result<(), TemplateError> {
        let has_query = |part: &Part| matches!(part, Part::Literal(text) if text.contains('?'));
        if self.literal.contains('?') || self.template.parts.iter().any(has_query) {
            return Err(unsupported_expression(inner, "the query has begun before"));
        }
        self.end_literal();
        self.template.query = Some(Query { fixed: Box::default(), names: Vec::new() });
        self.more_query(inner, names)
    }

    fn more_query(&mut self, inner: &str, names: &[&str]) -> Result<(), TemplateError> {
        if self.template.query.is_none() {
            // What the template has of the query itself is compared as a whole, so no variable may stand in it.
            let Some((before, fixed)) = self.literal.split_once('?').filter(|(_, fixed)| !fixed.is_empty()) else {
                return Err(unsupported_expression(inner, "it has to follow a query without variables"));
            };
            self.template.query = Some(Query { fixed: fixed.into(), names: Vec::new() });
            self.literal = before.to_owned();
            self.end_literal();
        }
        for name in names {
            self.is_new(name)?;
            if let Some(query) = &mut self.template.query {
                query.names.push((*name).into());
            }
        }
        Ok(())
    }

    fn is_new(&self, name: &str) -> Result<(), TemplateError> {
        if self.template.variables().any(|other| other == name) {
            return Err(TemplateError::Twice { name: name.to_owned() });
        }
        Ok(())
    }

    fn end_literal(&mut self) {
        if !self.literal.is_empty() {
            let literal = std::mem::take(&mut self.literal);
            self.template.parts.push(Part::Literal(literal.into()));
        }
    }
}

fn unsupported_expression(inner: &str, reason: &'static str) -> TemplateError {
    unsupported(&format!("{{{inner}}}"), reason)
}

fn unsupported(expression: &str, reason: &'static str) -> TemplateError {
    TemplateError::Unsupported { expression: expression.to_owned(), reason }
}

/// Whether a text begins with a byte that is percent-encoded.
fn is_encoded(text: &str) -> bool {
    let digit = |at: usize| text.as_bytes().get(at).is_some_and(u8::is_ascii_hexdigit);
    digit(1) && digit(2)
}

const fn is_of_name(c: char) -> bool {
    c.is_ascii_alphanumeric() || matches!(c, '_' | '.')
}
