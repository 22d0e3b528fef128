//! Pages over a server that is a list of answers, on a clock that stands still.

#![expect(clippy::unwrap_used, reason = "tests")]

use std::collections::VecDeque;
use std::future::{pending, ready};
use std::sync::{Arc, Mutex};
use std::time::Duration;

use crate::error::CallError;
use mcp_types::jsonrpc::{ErrorCode, ErrorObject};
use mcp_types::prompts::Prompt;
use mcp_types::resources::{Resource, ResourceTemplate};
use mcp_types::{RawJson, Tool, method};
use proptest::prelude::*;
use serde_json::{Value, json};

use super::{Ask, Cache, Element, Kind, ListError, Pages, Source};

/// A server that answers with these pages one after the other and writes down the cursors that it was asked for.
#[derive(Clone, Default)]
struct Script {
    pages: Arc<Mutex<VecDeque<Result<String, i64>>>>,
    asked: Arc<Mutex<Vec<Option<String>>>>,
}

impl Script {
    fn new(pages: impl IntoIterator<Item = Value>) -> Self {
        let script = Self::default();
        script.add(pages);
        script
    }

    fn add(&self, pages: impl IntoIterator<Item = Value>) {
        self.pages.lock().unwrap().extend(pages.into_iter().map(|page| Ok(page.to_string())));
    }

    fn add_error(&self, code: ErrorCode) {
        self.pages.lock().unwrap().push_back(Err(code.0));
    }

    fn source(&self) -> Source {
        let script = self.clone();
        Source::new(move |Ask { cursor, .. }| {
            script.asked.lock().unwrap().push(cursor);
            match script.pages.lock().unwrap().pop_front() {
                Some(Ok(page)) => Box::pin(ready(Ok(RawJson::parse(&page).unwrap()))),
                Some(Err(code)) => {
                    let error = Box::new(ErrorObject::new(ErrorCode(code), "no"));
                    Box::pin(ready(Err(CallError::Peer { method: "x".into(), error })))
                }
                None => Box::pin(pending()),
            }
        })
    }

    fn tools(&self) -> Pages<Tool> {
        Pages::new(self.source())
    }

    fn asked(&self) -> Vec<Option<String>> {
        self.asked.lock().unwrap().clone()
    }
}

fn tool(name: &str) -> Value {
    json!({ "name": name, "inputSchema": { "type": "object" } })
}

fn page(names: &[&str], next: Option<&str>) -> Value {
    let tools: Vec<_> = names.iter().map(|name| tool(name)).collect();
    match next {
        Some(next) => json!({ "tools": tools, "nextCursor": next }),
        None => json!({ "tools": tools }),
    }
}

fn kept_for(millis: i64, mut page: Value) -> Value {
    page["ttlMs"] = millis.into();
    page
}

fn names(tools: &[Tool]) -> Vec<&str> {
    tools.iter().map(|tool| &*tool.name).collect()
}

#[tokio::test]
async fn elements_come_over_all_pages_and_a_page_is_asked_for_when_it_is_needed() {
    let script = Script::new([page(&["a", "b"], Some("1")), page(&[], Some("")), page(&["c"], None)]);
    let mut tools = script.tools();
    assert_eq!(script.asked().len(), 0, "nothing is asked for before it is polled");
    assert_eq!(tools.next().await.unwrap().unwrap().name, "a");
    assert_eq!(tools.next().await.unwrap().unwrap().name, "b");
    assert_eq!(script.asked(), [None]);
    assert_eq!(tools.next().await.unwrap().unwrap().name, "c", "an empty page and an empty cursor end nothing");
    assert!(tools.next().await.is_none());
    assert!(tools.next().await.is_none());
    assert_eq!(script.asked(), [None, Some("1".to_owned()), Some(String::new())]);
}

#[tokio::test]
async fn a_null_cursor_ends_the_list_and_null_is_an_empty_list() {
    let script = Script::new([json!({ "tools": [tool("a")], "nextCursor": null })]);
    assert_eq!(names(&script.tools().all().await.unwrap().items), ["a"]);
    let script = Script::new([json!({ "tools": null })]);
    assert!(script.tools().all().await.unwrap().items.is_empty());
}

#[tokio::test]
async fn pages_can_be_read_one_by_one_from_any_place() {
    let script = Script::new([page(&["a", "b"], Some("1")), page(&["c"], None)]);
    let mut tools = script.tools();
    tools.next().await.unwrap().unwrap();
    let rest = tools.page().await.unwrap().unwrap();
    assert_eq!((names(&rest.items), rest.next_cursor.as_deref()), (vec!["b"], Some("1")));

    let mut rest = script.tools().starting_at("1");
    let last = rest.page().await.unwrap().unwrap();
    assert_eq!((names(&last.items), last.next_cursor), (vec!["c"], None));
    assert!(rest.page().await.is_none());
    assert_eq!(script.asked(), [None, Some("1".to_owned())]);
}

#[tokio::test]
async fn a_cursor_that_stands_still_ends_the_list_with_an_error_after_its_elements() {
    for cursors in [["x", "x"], ["", ""]] {
        let script = Script::new(cursors.iter().map(|cursor| page(&["a"], Some(cursor))));
        let mut tools = script.tools();
        assert!(tools.next().await.unwrap().is_ok());
        assert!(tools.next().await.unwrap().is_ok());
        let error = tools.next().await.unwrap().unwrap_err();
        assert!(matches!(error, ListError::CursorStandsStill { method: method::TOOLS_LIST, pages: 2 }), "{error}");
        assert!(tools.next().await.is_none());
    }
    // A circle is no better.
    let script = Script::new(["x", "y", "x"].iter().map(|cursor| page(&[], Some(cursor))));
    let error = script.tools().all().await.unwrap_err();
    assert!(matches!(error, ListError::CursorStandsStill { pages: 3, .. }));
}

#[tokio::test]
async fn the_number_of_pages_and_of_elements_is_limited() {
    let many = || Script::new((0..).take(5).map(|number| page(&["a", "b"], Some(&number.to_string()))));
    let script = many();
    let mut tools = script.tools().max_pages(2);
    for _ in 0..4 {
        assert!(tools.next().await.unwrap().is_ok());
    }
    assert!(matches!(tools.next().await, Some(Err(ListError::TooManyPages { limit: 2, .. }))));
    assert!(tools.next().await.is_none());
    assert_eq!(script.asked().len(), 2);

    let error = many().tools().max_elements(5).all().await.unwrap_err();
    assert!(matches!(error, ListError::TooManyElements { limit: 5, .. }));
    let script = Script::new([page(&["a", "b"], None)]);
    assert_eq!(script.tools().max_pages(1).max_elements(2).all().await.unwrap().items.len(), 2);
}

#[tokio::test]
async fn what_is_not_offered_is_not_asked_for() {
    let script = Script::new([]);
    let unsupported = || Pages::<Tool>::new(script.source().with_offered(false));
    let error = unsupported().all().await.unwrap_err();
    assert!(matches!(error, ListError::NotSupported { method: method::TOOLS_LIST }) && error.is_not_supported());
    assert!(unsupported().or_empty().all().await.unwrap().items.is_empty());
    assert!(script.asked().is_empty());
}

#[tokio::test]
async fn a_method_that_the_server_does_not_know_is_not_supported_either() {
    let script = Script::new([]);
    script.add_error(ErrorCode::METHOD_NOT_FOUND);
    script.add_error(ErrorCode::METHOD_NOT_FOUND);
    script.add_error(ErrorCode::INTERNAL_ERROR);
    assert!(script.tools().all().await.unwrap_err().is_not_supported());
    assert!(script.tools().or_empty().all().await.unwrap().items.is_empty());
    assert!(!script.tools().or_empty().all().await.unwrap_err().is_not_supported());
}

#[tokio::test]
async fn a_cursor_that_is_taken_back_begins_the_list_again_once() {
    let script = Script::new([page(&["a"], Some("1"))]);
    script.add_error(ErrorCode::INVALID_PARAMS);
    script.add([page(&["b"], Some("1")), page(&["c"], None)]);
    assert_eq!(names(&script.tools().all().await.unwrap().items), ["b", "c"]);
    assert_eq!(script.asked(), [None, Some("1".to_owned()), None, Some("1".to_owned())]);

    let script = Script::default();
    for _ in 0..2 {
        script.add([page(&["a"], Some("1"))]);
        script.add_error(ErrorCode::INVALID_PARAMS);
    }
    assert!(matches!(script.tools().all().await, Err(ListError::Call(CallError::Peer { .. }))));
    let script = Script::default();
    script.add_error(ErrorCode::INVALID_PARAMS);
    assert!(script.tools().all().await.is_err(), "the first page has no cursor to take back");
    assert_eq!(script.asked().len(), 1);
}

#[tokio::test]
async fn an_element_that_is_wrong_costs_none_of_the_others() {
    #[rustfmt::skip]
    let rows = [
        (json!({ "name": "x", "inputSchema": null }), "tools[1].inputSchema: a schema is an object"),
        (json!({ "name": "x", "inputSchema": { "type": "object" }, "outputSchema": "none" }), "tools[1].outputSchema: a schema is an object"),
        (json!({ "name": "x", "inputSchema": {}, "annotations": { "readOnlyHint": "yes" } }), "tools[1].annotations.readOnlyHint: invalid type: string \"yes\", expected a boolean"),
        (json!({ "name": "x", "inputSchema": {}, "icons": [{ "src": "data:", "sizes": "48x48" }] }), "tools[1].icons[0].sizes: invalid type: string \"48x48\", expected a sequence"),
        (json!({ "name": "x" }), "tools[1]: missing field `inputSchema`"),
    ];
    for (wrong, expected) in rows {
        let script = Script::new([json!({ "tools": [tool("a"), wrong, tool("b")] })]);
        let listing = script.tools().all().await.unwrap();
        assert_eq!(names(&listing.items), ["a", "b"]);
        let [bad] = &*listing.bad else { panic!("{:?}", listing.bad) };
        assert_eq!(bad.to_string(), format!("`x`: {expected}"));
        assert_eq!(bad.raw.decode::<Value>().unwrap(), wrong);

        let script = Script::new([json!({ "tools": [tool("a"), wrong, tool("b")] })]);
        let mut tools = script.tools();
        for name in ["a", "b"] {
            assert_eq!(tools.next().await.unwrap().unwrap().name, name);
        }
        assert_eq!(tools.bad(), listing.bad);
    }
}

#[tokio::test]
async fn what_has_no_name_is_told_of_by_its_place() {
    let script = Script::new([json!({ "tools": [7, { "name": 7 }] })]);
    let listing = script.tools().all().await.unwrap();
    assert!(listing.bad.iter().all(|bad| bad.name.is_none()));
    let paths: Vec<_> = listing.bad.iter().map(|bad| &*bad.path).collect();
    assert_eq!(paths, ["tools[0]", "tools[1].name"]);
}

#[tokio::test]
async fn a_schema_of_an_output_may_be_any_schema() {
    let wide = json!({ "name": "x", "inputSchema": {}, "outputSchema": { "type": ["null", "array"] } });
    let listing = Script::new([json!({ "tools": [wide] })]).tools().all().await.unwrap();
    assert!(listing.bad.is_empty());
    assert_eq!(listing.items[0].output_schema.as_ref().unwrap().get(), r#"{"type":["null","array"]}"#);
}

#[tokio::test]
async fn each_kind_of_element_is_read_in_its_own_member() {
    async fn one<T: Element>(member: &str, good: Value) -> usize {
        let page = json!({ member: [good, { "title": 1 }] });
        let listing = Pages::<T>::new(Script::new([page]).source()).all().await.unwrap();
        assert_eq!(listing.bad.len(), 1);
        listing.items.len()
    }
    assert_eq!(one::<Prompt>("prompts", json!({ "name": "p" })).await, 1);
    assert_eq!(one::<Resource>("resources", json!({ "name": "r", "uri": "a:b" })).await, 1);
    assert_eq!(one::<ResourceTemplate>("resourceTemplates", json!({ "name": "t", "uriTemplate": "a:{b}" })).await, 1);
}

#[tokio::test]
async fn what_is_no_page_is_an_error_that_says_where() {
    #[rustfmt::skip]
    let rows = [
        (json!([]),                                                     "result: "),
        (json!({}),                                                     "tools: missing"),
        (json!({ "tools": {} }),                                        "tools: invalid type: map"),
        (json!({ "tools": [], "nextCursor": 7 }),                       "nextCursor: invalid type: integer `7`"),
        (json!({ "tools": [], "resultType": "input_required" }),        "resultType: a list has no result"),
    ];
    for (page, expected) in rows {
        let error = Script::new([page]).tools().all().await.unwrap_err();
        let ListError::Call(CallError::Malformed { detail, .. }) = error else { panic!("{error}") };
        assert!(detail.starts_with(expected), "{detail}");
    }
}

#[tokio::test(start_paused = true)]
async fn a_list_is_kept_for_the_shortest_time_of_its_pages() {
    let cache = Arc::new(Cache::default());
    let script = Script::new([
        kept_for(60_000, page(&["a"], Some("1"))),
        kept_for(5_000, page(&["b"], Some("2"))),
        kept_for(60_000, page(&[], None)),
    ]);
    let tools = || Pages::<Tool>::new(script.source().with_cache(Some(Arc::clone(&cache))));
    assert_eq!(names(&tools().all().await.unwrap().items), ["a", "b"]);
    tokio::time::advance(Duration::from_millis(4_999)).await;
    assert_eq!(names(&tools().all().await.unwrap().items), ["a", "b"], "in the same order, from memory");
    let mut remembered = tools();
    assert_eq!(remembered.page().await.unwrap().unwrap().next_cursor.as_deref(), Some("1"));
    assert_eq!(script.asked().len(), 3);
    tokio::time::advance(Duration::from_millis(1)).await;
    script.add([page(&["c"], None)]);
    assert_eq!(names(&tools().all().await.unwrap().items), ["c"]);
    assert_eq!(script.asked().len(), 4);
}

#[tokio::test(start_paused = true)]
async fn what_may_not_be_kept_is_asked_for_each_time() {
    let cache = Arc::new(Cache::default());
    let odd = |ttl: Value| json!({ "tools": [], "ttlMs": ttl });
    let rows = [page(&[], None), odd(json!(0)), odd(json!(-5)), odd(json!("60000")), odd(json!(null))];
    let half = [kept_for(60_000, page(&["a"], Some("1"))), page(&["b"], None)];
    for pages in rows.map(|page| vec![page]).into_iter().chain([half.to_vec()]) {
        let script = Script::new(pages.iter().cloned().chain(pages.iter().cloned()));
        let tools = || Pages::<Tool>::new(script.source().with_cache(Some(Arc::clone(&cache))));
        let first = tools().all().await.unwrap();
        assert_eq!(tools().all().await.unwrap(), first);
        assert_eq!(script.asked().len(), 2 * pages.len(), "{pages:?}");
    }
    let script = Script::new([kept_for(i64::MAX, page(&[], None))]);
    let tools = || Pages::<Tool>::new(script.source().with_cache(Some(Arc::clone(&cache))));
    tools().all().await.unwrap();
    tools().all().await.unwrap();
    assert_eq!(script.asked().len(), 1, "a very long time is a time");
}

#[tokio::test(start_paused = true)]
async fn a_change_makes_what_is_kept_stale_at_once_even_while_it_is_read() {
    let cache = Arc::new(Cache::default());
    let script = Script::new([kept_for(60_000, page(&["a"], None))]);
    let tools = || Pages::<Tool>::new(script.source().with_cache(Some(Arc::clone(&cache))));
    tools().all().await.unwrap();
    cache.changed(Kind::Prompts);
    assert_eq!(names(&tools().all().await.unwrap().items), ["a"], "another list changed");
    cache.changed(Kind::Tools);
    script.add([kept_for(60_000, page(&["b"], Some("1"))), kept_for(60_000, page(&["c"], None))]);
    let mut reading = tools();
    reading.next().await.unwrap().unwrap();
    cache.changed(Kind::Tools);
    while reading.next().await.is_some() {}
    script.add([kept_for(60_000, page(&["d"], None))]);
    assert_eq!(names(&tools().all().await.unwrap().items), ["d"]);
    script.add([kept_for(60_000, page(&["e"], None))]);
    assert_eq!(names(&tools().fresh().all().await.unwrap().items), ["e"]);
    assert_eq!(names(&tools().all().await.unwrap().items), ["e"], "what was asked for anew is kept");
    cache.turn_to(0);
    assert_eq!(names(&tools().all().await.unwrap().items), ["e"], "it is the same session");
    cache.turn_to(1);
    script.add([page(&["f"], None)]);
    assert_eq!(names(&tools().all().await.unwrap().items), ["f"]);
}

#[tokio::test(start_paused = true)]
async fn a_future_that_is_dropped_loses_nothing_and_a_list_that_is_dropped_asks_no_more() {
    let script = Script::new([page(&["a"], Some("1"))]);
    let mut tools = script.tools();
    assert!(tools.next().await.is_some());
    for _ in 0..3 {
        assert!(tokio::time::timeout(Duration::from_secs(1), tools.next()).await.is_err());
    }
    assert_eq!(script.asked().len(), 2, "the page that is under way is asked for once");
    drop(tools);
    assert_eq!(script.asked().len(), 2);
}

/// Elements of a list, and whether each is good.
fn elements() -> impl Strategy<Value = Vec<(Value, bool)>> {
    let good = "[a-z]{0,8}".prop_map(|name| (tool(&name), true));
    let bad = prop_oneof![
        Just(json!(null)),
        Just(json!([])),
        any::<i64>().prop_map(|number| json!({ "name": number, "inputSchema": {} })),
        "[a-z]{0,8}".prop_map(|name| json!({ "name": name, "inputSchema": [] })),
        "[a-z]{0,8}".prop_map(|name| json!({ "name": name, "inputSchema": {}, "annotations": name })),
        "[a-z]{0,8}".prop_map(|name| json!({ "name": name, "inputSchema": {}, "icons": [{}] })),
    ];
    prop::collection::vec(prop_oneof![good, bad.prop_map(|element| (element, false))], 0..40)
}

proptest! {
    #[test]
    fn all_good_elements_come_in_order_whatever_stands_between_them(elements in elements(), size in 1..10_usize) {
        let good: Vec<_> = elements.iter().filter(|(_, is_good)| *is_good).map(|(tool, _)| tool["name"].clone()).collect();
        let pages: Vec<Vec<_>> = elements.chunks(size).map(|page| page.iter().map(|(tool, _)| tool.clone()).collect()).collect();
        let last = pages.len().saturating_sub(1);
        let script = Script::new(pages.into_iter().enumerate().map(|(number, tools)| match number == last {
            true => json!({ "tools": tools }),
            false => json!({ "tools": tools, "nextCursor": number.to_string() }),
        }));
        if elements.is_empty() {
            script.add([json!({ "tools": [] })]);
        }
        let runtime = tokio::runtime::Builder::new_current_thread().build().unwrap();
        let listing = runtime.block_on(script.tools().all()).unwrap();
        let read: Vec<Value> = listing.items.iter().map(|tool| (&*tool.name).into()).collect();
        prop_assert_eq!(&read, &good);
        prop_assert_eq!(listing.bad.len(), elements.len() - good.len());
    }
}
