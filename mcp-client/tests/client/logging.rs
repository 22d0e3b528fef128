//! The log level, which each era is told in its own way.

use mcp_client::Era;
use mcp_session::transports::memory;
use mcp_types::logging::LoggingLevel;
use serde_json::json;

use crate::support::{INITIALIZED, LEGACY, NO_CONTENT, Server, client, connected};

const LEVEL: &str = "io.modelcontextprotocol/logLevel";

#[tokio::test(start_paused = true)]
async fn a_legacy_server_that_has_logging_is_told_after_the_handshake() {
    for has_logging in [true, false] {
        let (end, server) = memory::raw();
        let mut server = Server(server);
        let client = client().with_era(LEGACY).with_log_level(LoggingLevel::Warning);
        let connecting = tokio::spawn(async move { client.connect(end).await });
        let initialize = server.asked("initialize").await;
        let result = if has_logging { INITIALIZED.to_owned() } else { INITIALIZED.replace(r#","logging":{}"#, "") };
        server.answer(&initialize, &result).await;
        server.asked("notifications/initialized").await;
        if has_logging {
            let set = server.asked("logging/setLevel").await;
            assert_eq!(set["params"], json!({ "level": "warning" }));
            server.answer(&set, "{}").await;
        }
        let connection = connecting.await.unwrap().unwrap();
        connection.close().await;
        server.ended().await;
    }
}

#[tokio::test(start_paused = true)]
async fn a_modern_server_is_told_with_each_request() {
    let (connection, mut server) = connected(client().with_log_level(LoggingLevel::Error), Era::Modern).await;
    for level in ["error", "debug"] {
        let call = tokio::spawn(connection.call_tool("a", &()));
        let request = server.asked("tools/call").await;
        assert_eq!(request["params"]["_meta"][LEVEL], level);
        server.answer(&request, NO_CONTENT).await;
        call.await.unwrap().unwrap();
        connection.set_log_level(LoggingLevel::Debug).await.unwrap();
    }
}

#[tokio::test(start_paused = true)]
async fn the_level_of_a_legacy_server_can_be_changed() {
    let (connection, mut server) = connected(client(), LEGACY).await;
    let (set, ()) = tokio::join!(connection.set_log_level(LoggingLevel::Info), async {
        let request = server.asked("logging/setLevel").await;
        assert_eq!(request["params"], json!({ "level": "info" }));
        server.answer(&request, "{}").await;
    });
    set.unwrap();
}
