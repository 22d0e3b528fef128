//! Every event in every combination of facts: something is said about each, or it is listed as nothing.

use std::collections::BTreeMap;

use mcp_session::engine::{Event, Facts, Rule, Table};

/// Facts that cannot hold together, and why.
const IMPOSSIBLE: &[(Facts, &str)] = &[
    (Facts::MODERN.and(Facts::UNSUPPORTED), "a claim is one thing"),
    (Facts::MODERN.and(Facts::PARTIAL), "a claim is one thing"),
    (Facts::UNSUPPORTED.and(Facts::PARTIAL), "a claim is one thing"),
    (Facts::PING.and(Facts::INITIALIZE), "a method is one thing"),
    (Facts::WRITABLE.and(Facts::WRITE_OVER), "the halves of a session hold for its exchanges"),
    (Facts::STORED.and(Facts::WRITE_OVER), "the halves of a session hold for its exchanges"),
    (Facts::WRITABLE.and(Facts::STORED), "frames are kept only while nobody is attached"),
    (Facts::RESPONSE.and(Facts::NOTIFICATION), "a frame is one thing"),
    (Facts::OUR_LISTEN.and(Facts::KNOWN), "a cancel names one thing"),
    (Facts::BAD_PARAMS.and(Facts::RESPONSE), "a response has no params"),
    (Facts::BAD_PARAMS.and(Facts::TRUNCATED), "a fault is one thing"),
    (Facts::BAD_PARAMS.and(Facts::LOST), "a fault is one thing"),
    (Facts::TRUNCATED.and(Facts::LOST), "a fault is one thing"),
    (Facts::LOST.and(Facts::KNOWN), "without an id no call is named"),
];

/// Facts that hold only together with others, and why. Asked only where a row of the event asks about both.
const IMPLIED: &[(Facts, Facts, &str)] = &[
    (Facts::PING, Facts::LEGACY_ONLY.and(Facts::LEGACY_METHOD), "`ping` is a legacy method"),
    (Facts::INITIALIZE, Facts::LEGACY_ONLY.and(Facts::LEGACY_METHOD), "`initialize` is a legacy method"),
    (Facts::LEGACY_ONLY, Facts::LEGACY_METHOD, "what only legacy has, legacy has"),
    (Facts::QUEUED, Facts::KNOWN, "what waits is known"),
];

/// What is deliberately nothing: no row speaks of it.
const NOTHING: &[(Event, Facts, Facts, &str)] = &[
    (Event::Close, Facts::CLIENT.and(Facts::CLOSING), Facts::DRAINING, "a client that closes is closing already"),
    (Event::HandlesDropped, Facts::CLIENT.and(Facts::CLOSING), Facts::NONE, "a client that closes is closing already"),
    (Event::Idle, Facts::READ_ENDED, Facts::DRAINING.and(Facts::SINGLE), "idleness means nothing before an ending"),
];

fn is_possible(facts: Facts, relevant: Facts) -> bool {
    IMPOSSIBLE.iter().all(|(together, _)| !facts.has(*together))
        && IMPLIED.iter().all(|(fact, other, _)| {
            let asked = other.iter().filter(|other| relevant.has(*other)).fold(Facts::NONE, Facts::and);
            !(relevant.has(*fact) && facts.has(*fact)) || facts.has(asked)
        })
}

/// Every possible combination of the facts that rows of `event` ask about, with the rules that fire.
fn outcomes(event: Event) -> Vec<(Facts, Vec<Rule>)> {
    let table = Table::standard();
    let relevant = table.relevant(event);
    let single: Vec<_> = relevant.iter().collect();
    (0_u32..1 << single.len())
        .map(|bits| {
            let holds = |(at, _): &(usize, &Facts)| bits & (1 << at) != 0;
            single.iter().enumerate().filter(holds).fold(Facts::NONE, |all, (_, fact)| all | *fact)
        })
        .filter(|facts| is_possible(*facts, relevant))
        .map(|facts| (facts, table.fires(event, facts)))
        .collect()
}

#[test]
fn every_event_in_every_state_has_a_row() {
    let mut unanswered = Vec::new();
    let mut unused: Vec<_> = NOTHING.iter().collect();
    for event in Event::ALL {
        for (facts, rules) in outcomes(*event) {
            let listed = |(on, when, unless, _): &&(Event, Facts, Facts, &str)| {
                on == event && facts.has(*when) && !facts.any(*unless)
            };
            if rules.is_empty() && !NOTHING.iter().any(|it| listed(&it)) {
                unanswered.push(format!("{event:?}: {facts}"));
            }
            unused.retain(|it| !(rules.is_empty() && listed(it)));
        }
    }
    assert!(unanswered.is_empty(), "no row for:\n{}", unanswered.join("\n"));
    assert!(unused.is_empty(), "listed as nothing, and something: {unused:?}");
}

#[test]
fn every_exclusion_is_asked_about_somewhere() {
    let asked = |facts: Facts| Event::ALL.iter().any(|event| Table::standard().relevant(*event).has(facts));
    let idle: Vec<_> = IMPOSSIBLE.iter().filter(|(facts, _)| !asked(*facts)).collect();
    assert!(idle.is_empty(), "no event asks about both: {idle:#?}");
}

/// The table, event by event: each list of rules with how many combinations of facts lead to it, and the smallest.
#[test]
fn what_each_event_does() {
    let mut text = String::new();
    for event in Event::ALL {
        let mut by_rules: BTreeMap<Vec<Rule>, Vec<Facts>> = BTreeMap::new();
        for (facts, rules) in outcomes(*event) {
            by_rules.entry(rules).or_default().push(facts);
        }
        text.push_str(&format!("{event:?}\n"));
        for (rules, cases) in by_rules {
            let smallest = cases.iter().min_by_key(|facts| facts.iter().count()).unwrap();
            let rules: Vec<_> = rules.iter().map(ToString::to_string).collect();
            let rules = if rules.is_empty() { "nothing".to_owned() } else { rules.join(" ") };
            text.push_str(&format!("  {rules:<24} {:>4} × {{{smallest}}}\n", cases.len()));
        }
    }
    insta::assert_snapshot!(text);
}
