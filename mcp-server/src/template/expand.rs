//! From the values of a template's variables to a URI.

use std::collections::BTreeMap;

use super::{Kind, Part, UriTemplate};
use crate::uri::{is_reserved, percent_encode};

pub(super) fn expand(template: &UriTemplate, values: &BTreeMap<&str, &str>) -> Option<String> {
    let mut uri = String::new();
    for part in &template.parts {
        match part {
            Part::Literal(text) => uri.push_str(text),
            Part::Variable(variable) => {
                let value = values.get(&*variable.name).filter(|value| !value.is_empty())?;
                let keeps: fn(u8) -> bool = match variable.kind {
                    Kind::Reserved => is_reserved,
                    Kind::Simple | Kind::Listed => |_| false,
                };
                percent_encode(&mut uri, value, keeps);
            }
        }
    }
    if let Some(query) = &template.query {
        let mut separator = '?';
        if !query.fixed.is_empty() {
            uri.push('?');
            uri.push_str(&query.fixed);
            separator = '&';
        }
        for name in &query.names {
            let Some(value) = values.get(&**name) else { continue };
            uri.push(separator);
            uri.push_str(name);
            uri.push('=');
            percent_encode(&mut uri, value, |_| false);
            separator = '&';
        }
    }
    if let Some(value) = template.fragment.as_deref().and_then(|name| values.get(name)) {
        uri.push('#');
        percent_encode(&mut uri, value, is_reserved);
    }
    Some(uri)
}
