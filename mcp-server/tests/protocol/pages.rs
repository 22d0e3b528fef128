//! Lists in pages.

use mcp_server::{Prompt, Resource, ResourceTemplate, Server, Tool};
use serde_json::{Value, json};

use crate::support::{Client, Era, assert_error};

fn server(count: usize) -> Server {
    (0..count).fold(Server::new("s", "1").with_page_size(2), |server, number| {
        server
            .tool(format!("t{number}"), "", async || "")
            .add_prompt(Prompt::new(format!("p{number}"), async || ""))
            .add_resource(Resource::new(format!("r:{number}"), format!("r{number}"), async || ""))
            .add_resource_template(ResourceTemplate::new(
                &format!("x{number}:{{y}}"),
                format!("x{number}"),
                async || "",
            ))
    })
}

const LISTS: [(&str, &str); 4] = [
    ("tools/list", "tools"),
    ("prompts/list", "prompts"),
    ("resources/list", "resources"),
    ("resources/templates/list", "resourceTemplates"),
];

async fn page(client: &mut Client, list: (&str, &str), cursor: Option<&Value>) -> (Vec<String>, Option<Value>) {
    let params = cursor.map_or(json!({}), |cursor| json!({"cursor": cursor}));
    let result = client.ask(list.0, params).await["result"].clone();
    let names = result[list.1].as_array().unwrap().iter().map(|item| item["name"].as_str().unwrap().to_owned());
    (names.collect(), result.get("nextCursor").cloned())
}

#[tokio::test(start_paused = true)]
async fn pages_have_every_item_once() {
    for era in [Era::Legacy, Era::Modern] {
        let mut client = Client::ready(&server(5), era).await;
        for list in LISTS {
            let (mut all, mut cursor) = page(&mut client, list, None).await;
            assert_eq!(all.len(), 2);
            while let Some(at) = cursor {
                let (more, next) = page(&mut client, list, Some(&at)).await;
                all.extend(more);
                cursor = next;
            }
            let letter = &all[0][..1];
            assert_eq!(all, (0..5).map(|number| format!("{letter}{number}")).collect::<Vec<_>>());
        }
        // A page that is full and the last has nothing after it.
        let mut client = Client::ready(&server(2), era).await;
        assert_eq!(page(&mut client, LISTS[0], None).await.1, None);
    }
}

//= 2026-07-28/server/utilities/pagination#error-handling
//# Invalid cursors **SHOULD** result in an error with code -32602 (Invalid params).
#[tokio::test(start_paused = true)]
async fn cursors_that_were_never_given_out_are_refused() {
    for era in [Era::Legacy, Era::Modern] {
        let mut client = Client::ready(&server(5), era).await;
        let of_tools = page(&mut client, LISTS[0], None).await.1.unwrap();
        for list in LISTS {
            for cursor in [json!("zzz"), json!(""), json!("1"), json!("0.0000000000000000")] {
                assert_error(&client.ask(list.0, json!({"cursor": cursor})).await, -32602, "unknown `cursor`");
            }
            for cursor in [json!(1), json!({}), json!(true)] {
                assert_error(&client.ask(list.0, json!({"cursor": cursor})).await, -32602, "`cursor` to be a string");
            }
            assert!(client.ask(list.0, json!({"cursor": null})).await["result"].is_object());
            if list.0 != "tools/list" {
                assert_error(&client.ask(list.0, json!({"cursor": of_tools})).await, -32602, "unknown `cursor`");
            }
        }
    }
}

#[tokio::test(start_paused = true)]
async fn a_list_that_changes_between_two_pages_goes_on_after_the_last_item() {
    let server = server(5);
    let mut client = Client::ready(&server, Era::Modern).await;
    let cursor = page(&mut client, LISTS[0], None).await.1.unwrap();
    assert!(server.tools().remove("t0"));
    server.tools().add(Tool::new("t5", async || ""));
    let (names, next) = page(&mut client, LISTS[0], Some(&cursor)).await;
    assert_eq!(names, ["t2", "t3"]);
    assert_eq!(page(&mut client, LISTS[0], next.as_ref()).await, (vec!["t4".to_owned(), "t5".to_owned()], None));
    assert!(server.tools().remove("t1"));
    assert_error(&client.ask("tools/list", json!({"cursor": cursor})).await, -32602, "unknown `cursor`");
}
