use super::*;

/// Names and values.
type Pairs<'a> = &'a [(&'a str, &'a str)];

fn template(text: &str) -> UriTemplate {
    text.parse().unwrap_or_else(|error| panic!("{text}: {error}"))
}

fn values(pairs: &[(&str, &str)]) -> Texts {
    pairs.iter().map(|(name, value)| ((*name).to_owned(), (*value).to_owned())).collect()
}

#[test]
fn uris_are_taken_apart() {
    #[rustfmt::skip]
    let rows: [(&str, &str, Option<Pairs<'_>>); 52] = [
        ("a:b",                     "a:b",                      Some(&[])),
        ("a:b",                     "a:c",                      None),
        ("a:{x}",                   "a:1",                      Some(&[("x", "1")])),
        ("a:{x}",                   "a:",                       None),
        ("a:{x}",                   "a:1/2",                    None),
        ("a:{x}",                   "a:1?2",                    None),
        ("a:{x}",                   "a:1#2",                    None),
        ("a:{x}",                   "a:1%2F2",                  Some(&[("x", "1/2")])),
        ("a:{x}",                   "a:%252F",                  Some(&[("x", "%2F")])),
        ("a:{x}",                   "a:%c3%A9",                 Some(&[("x", "é")])),
        ("a:{x}",                   "a:%ff",                    None),
        ("a:{x}",                   "a:%2",                     None),
        ("a:{x}",                   "a:%zz",                    None),
        ("a:{x}",                   "a:é",                      None),
        ("a:{x}",                   "a:1,2:@!$&'()*+;=",        Some(&[("x", "1,2:@!$&'()*+;=")])),
        ("a:{x}/b",                 "a:1/b",                    Some(&[("x", "1")])),
        ("a:{x}a",                  "a:a",                      None),
        ("a:b{x}b",                 "a:b",                      None),
        ("a:b{x}b",                 "a:bbb",                    Some(&[("x", "b")])),
        ("a:{x}-{y}",               "a:1-2-3",                  Some(&[("x", "1-2"), ("y", "3")])),
        ("a:{x}{y}",                "a:123",                    Some(&[("x", "12"), ("y", "3")])),
        ("a:{x}{y}",                "a:1",                      None),
        ("a:{x}/{y}",               "a:1/2",                    Some(&[("x", "1"), ("y", "2")])),
        ("a:{x}/{y}",               "a:1/2/3",                  None),
        ("a:{x}/{y}",               "a://2",                    None),
        ("a:{x,y}",                 "a:1,2",                    Some(&[("x", "1"), ("y", "2")])),
        ("a:{x,y}",                 "a:1,2,3",                  None),
        ("a:{x,y}",                 "a:1%2C2,3",                Some(&[("x", "1,2"), ("y", "3")])),
        ("a:{+x}",                  "a:1/2?3#4",                Some(&[("x", "1/2?3#4")])),
        ("a:{+x}.{y}",              "a:1.2/3.4",                Some(&[("x", "1.2/3"), ("y", "4")])),
        ("a:{+x}-{y}",              "a:1-2/3-4",                Some(&[("x", "1-2/3"), ("y", "4")])),
        ("a:{+x}-{y}",              "a:1-2/3",                  None),
        ("a:b{/x,y}",               "a:b/1/2",                  Some(&[("x", "1"), ("y", "2")])),
        ("a:b{/x,y}",               "a:b/1",                    None),
        ("a:b{/x}/c",               "a:b/1/c",                  Some(&[("x", "1")])),
        ("a:b{?x,y}",               "a:b",                      Some(&[])),
        ("a:b{?x,y}",               "a:b?",                     Some(&[])),
        ("a:b{?x,y}",               "a:b?y=1",                  Some(&[("y", "1")])),
        ("a:b{?x,y}",               "a:b?y=%26&x=a/b?c",        Some(&[("x", "a/b?c"), ("y", "&")])),
        ("a:b{?x,y}",               "a:b?x",                    Some(&[("x", "")])),
        ("a:b{?x,y}",               "a:b?x=1=2",                Some(&[("x", "1=2")])),
        ("a:b{?x,y}",               "a:b?z=1",                  None),
        ("a:b{?x,y}",               "a:b?x=1&x=2",              None),
        ("a:b{?x}{&y}",             "a:b?y=2&x=1",              Some(&[("x", "1"), ("y", "2")])),
        ("a:b?c=1{&x}",             "a:b?c=1",                  Some(&[])),
        ("a:b?c=1{&x}",             "a:b?c=1&x=2",              Some(&[("x", "2")])),
        ("a:b?c=1{&x}",             "a:b?c=12",                 None),
        ("a:b?c=1{&x}",             "a:b",                      None),
        ("a:b?c={x}&d={y}",         "a:b?c=1&d=2",              Some(&[("x", "1"), ("y", "2")])),
        ("a:b{#x}",                 "a:b#1/2",                  Some(&[("x", "1/2")])),
        ("a:b{?x}{#y}",             "a:b?x=1#2",                Some(&[("x", "1"), ("y", "2")])),
        ("a:é{x}",                  "a:%C3%A91",                Some(&[("x", "1")])),
    ];
    for (text, uri, expected) in rows {
        assert_eq!(template(text).matches(uri), expected.map(values), "{text} {uri}");
    }
}

#[test]
fn templates_that_cannot_be_matched_are_refused() {
    let is_unsupported = |error: &TemplateError, expression: &str| matches!(error, TemplateError::Unsupported { expression: found, .. } if found == expression);
    for text in ["", "{x}", "b/{x}", "{+x}:b", ":b", "1a:b", "a b:{x}"] {
        assert_eq!(text.parse::<UriTemplate>(), Err(TemplateError::NoScheme), "{text}");
    }
    for (text, at) in [("a:{x", 2), ("a:x}", 3), ("a:{{x}}", 2), ("a:{x}}", 5), ("a:{", 2)] {
        assert_eq!(text.parse::<UriTemplate>(), Err(TemplateError::Brace { at }), "{text}");
    }
    for (text, at) in [("a:b c", 3), ("a:%", 2), ("a:{x}%2", 5), ("a:\"", 2), ("a:b\\", 3), ("a:^", 2)] {
        assert_eq!(text.parse::<UriTemplate>(), Err(TemplateError::Character { at }), "{text}");
    }
    for (text, expression) in [
        ("a:{x*}", "{x*}"),
        ("a:{x:3}", "{x:3}"),
        ("a:{.x}", "{.x}"),
        ("a:{;x}", "{;x}"),
        ("a:{=x}", "{=x}"),
        ("a:{|x}", "{|x}"),
        ("a:{+x,y}", "{+x,y}"),
        ("a:{#x,y}", "{#x,y}"),
        ("a:{#x}{y}", "{y}"),
        ("a:{?x}{y}", "{y}"),
        ("a:{?x}{?y}", "{?y}"),
        ("a:{?x}b", "b"),
        ("a:{#x}b", "b"),
        ("a:b?{?x}", "{?x}"),
        ("a:{&x}", "{&x}"),
        ("a:b?{&x}", "{&x}"),
        ("a:b?c={x}{&y}", "{&y}"),
    ] {
        let error = text.parse::<UriTemplate>().expect_err(text);
        assert!(is_unsupported(&error, expression), "{text}: {error:?}");
    }
    for (text, name) in [("a:{}", ""), ("a:{x,}", ""), ("a:{x-y}", "x-y"), ("a:{x y}", "x y"), ("a:{?}", "")] {
        assert_eq!(text.parse::<UriTemplate>(), Err(TemplateError::Name { name: name.to_owned() }), "{text}");
    }
    for text in ["a:{x}{x}", "a:{x,x}", "a:{x}{?x}", "a:{?x,x}", "a:{x}{#x}"] {
        assert_eq!(text.parse::<UriTemplate>(), Err(TemplateError::Twice { name: "x".to_owned() }), "{text}");
    }
}

#[test]
fn values_are_encoded_as_their_place_needs_it() {
    let all = "a b/?#[]@!$&'()*+,;=%é~";
    let with = |text: &str| template(text).expand([("x", all)]).unwrap_or_default();
    assert_eq!(with("a:{x}"), "a:a%20b%2F%3F%23%5B%5D%40%21%24%26%27%28%29%2A%2B%2C%3B%3D%25%C3%A9~");
    assert_eq!(with("a:{+x}"), "a:a%20b/?#[]@!$&'()*+,;=%25%C3%A9~");
    assert_eq!(with("a:{?x}").len(), with("a:{x}").len() + "?x=".len());
    assert_eq!(template("a:{x}/{y}").expand([("x", "1")]), None);
    assert_eq!(template("a:{x}").expand([("x", "")]), None);
    assert_eq!(template("a:b{?x,y}{#z}").expand([]).as_deref(), Some("a:b"));
    assert_eq!(template("a:b?c=1{&x,y}").expand([("y", "")]).as_deref(), Some("a:b?c=1&y="));
}

#[test]
fn variables_are_named_in_order() {
    let template = template("a:{x}/b{/y,z}{?p,q}{#f}");
    assert_eq!(template.variables().collect::<Vec<_>>(), ["x", "y", "z", "p", "q", "f"]);
    assert_eq!(template.to_string(), "a:{x}/b{/y,z}{?p,q}{#f}");
}

mod properties {
    use proptest::prelude::*;

    use super::*;

    /// A template whose variables are apart from each other, and the names that have to have a value.
    fn templates() -> impl Strategy<Value = String> {
        let part = prop_oneof![
            "[a-c]{1,3}",
            Just("{simple}".to_owned()),
            Just("{+reserved}".to_owned()),
            Just("{one,two}".to_owned()),
            Just("{/left,right}".to_owned()),
        ];
        let parts = proptest::collection::vec(part, 0..5);
        let end =
            prop_oneof![Just(""), Just("{?p,q}"), Just("{?p}{&q}"), Just("?k=v{&p,q}"), Just("{?p}{#f}"), Just("{#f}")];
        (parts, end).prop_map(|(parts, end)| format!("s:{}{end}", parts.join("/")))
    }

    proptest! {
        /// Values that have no character in common with the literals come back as they were.
        #[test]
        fn what_was_filled_in_is_found_again(text in templates(), texts in proptest::collection::vec("[x-z %é?#&=,@+.;]{1,6}", 9)) {
            let Ok(template) = text.parse::<UriTemplate>() else { return Ok(()) };
            let pairs: Vec<_> = template.variables().zip(texts.iter().map(String::as_str)).collect();
            // A value that may have any character may have those that end it, too.
            prop_assume!(!(text.contains("{+") && (text.contains('#') || text.contains('?'))) );
            let uri = template.expand(pairs.iter().copied()).unwrap();
            prop_assert_eq!(template.matches(&uri), Some(values(&pairs)), "{} {}", text, uri);
        }

        /// Whatever is taken apart is put together again.
        #[test]
        fn what_is_found_fills_in_to_the_same(text in templates(), uri in "s:[a-cx%/?#,=&]{0,12}") {
            let Ok(template) = text.parse::<UriTemplate>() else { return Ok(()) };
            if let Some(found) = template.matches(&uri) {
                let pairs = found.iter().map(|(name, value)| (name.as_str(), value.as_str()));
                let again = template.expand(pairs).unwrap();
                prop_assert_eq!(template.matches(&again), Some(found), "{} {} {}", text, uri, again);
            }
        }

        #[test]
        fn nothing_panics(text in "\\PC{0,24}", uri in "\\PC{0,24}") {
            if let Ok(template) = format!("s:{text}").parse::<UriTemplate>() {
                drop(template.matches(&uri));
            }
        }
    }

    /// Trying one split after the other, this would not end before the machine does.
    #[test]
    fn a_long_uri_takes_no_more_than_its_length() {
        let template = template("s:{+a}-{+b}-{+c}-{+d}-{+e}");
        for len in [1_000, 100_000] {
            let uri = format!("s:{}", "-".repeat(len));
            assert_eq!(template.matches(&uri).unwrap().values().map(String::len).sum::<usize>(), len - 4);
            let none = format!("s:{}/", "x".repeat(len));
            assert_eq!(template.matches(&none), None);
        }
    }
}
