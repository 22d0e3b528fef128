//! A server over HTTP inside the test: the modern era with one tool, right or wrong in one way.

use conformance::http::Site;
use serde_json::{Value, json};
use tokio::{
    io::{AsyncReadExt, AsyncWriteExt},
    net::{TcpListener, TcpStream},
    task::JoinHandle,
};

/// What is wrong with a server.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Wrong {
    Nothing,
    /// Answers everything with 404 and a page.
    NotFound,
    /// Answers nothing.
    Silent,
    /// Closes every connection.
    Closes,
    UnknownMethodBy200,
    JsonAlways,
    EventsAlways,
    AnswersNotifications,
    TrustsHeaders,
    LetsEverybodyIn,
    HasGet,
    ReadsAnyType,
    DropsIds,
    BreaksConnections,
}

/// A server that listens until it is dropped.
pub(crate) struct Server {
    pub(crate) site: Site,
    serving: JoinHandle<()>,
}

impl Server {
    pub(crate) async fn start(wrong: Wrong) -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").await.expect("a port is free");
        let address = listener.local_addr().expect("it is bound");
        let serving = tokio::spawn(async move {
            while let Ok((stream, _)) = listener.accept().await {
                tokio::spawn(serve(stream, wrong));
            }
        });
        Self { site: Site::new(address.to_string(), "/mcp"), serving }
    }
}

impl Drop for Server {
    fn drop(&mut self) {
        self.serving.abort();
    }
}

struct Request {
    method: String,
    headers: Vec<(String, String)>,
    body: Vec<u8>,
}

impl Request {
    fn all(&self, name: &str) -> Vec<&str> {
        self.headers.iter().filter(|(one, _)| one == name).map(|(_, value)| value.as_str()).collect()
    }

    /// The value of a header that stands there once.
    fn one(&self, name: &str) -> Option<&str> {
        match *self.all(name).as_slice() {
            [value] => Some(value),
            _ => None,
        }
    }

    /// Whether a type is accepted: by the range that names most of it.
    fn accepts(&self, media_type: &str) -> bool {
        let accept = self.all("accept").join(",").to_ascii_lowercase();
        if accept.is_empty() {
            return true;
        }
        let kind = media_type.split('/').next().unwrap_or_default();
        let ranges = [media_type.to_owned(), format!("{kind}/*"), "*/*".to_owned()];
        let weight = |range: &String| {
            let found =
                accept.split(',').map(str::trim).find(|one| one.split(';').next().map(str::trim) == Some(range))?;
            let weight = found.split(';').find_map(|part| part.trim().strip_prefix("q="));
            Some(weight.map_or(1.0, |weight| weight.parse().unwrap_or(1.0)))
        };
        ranges.iter().find_map(weight).is_some_and(|weight: f32| weight > 0.0)
    }
}

async fn serve(mut stream: TcpStream, wrong: Wrong) {
    match wrong {
        Wrong::Closes => return,
        Wrong::Silent => {
            let mut sink = Vec::new();
            drop(stream.read_to_end(&mut sink).await);
            return;
        }
        _ => {}
    }
    let mut read = Vec::new();
    while let Some(request) = next(&mut stream, &mut read).await {
        let (status, media_type, body) = answer(&request, wrong);
        let allow = if status == 405 { "Allow: POST\r\n" } else { "" };
        let kind = if body.is_empty() { String::new() } else { format!("Content-Type: {media_type}\r\n") };
        let head = format!("HTTP/1.1 {status} x\r\n{kind}{allow}Content-Length: {}\r\n\r\n", body.len());
        if stream.write_all(&[head.as_bytes(), &body].concat()).await.is_err() || wrong == Wrong::BreaksConnections {
            return;
        }
    }
}

/// The next request on a connection; nothing when that has ended.
async fn next(stream: &mut TcpStream, read: &mut Vec<u8>) -> Option<Request> {
    let end = loop {
        if let Some(end) = read.windows(4).position(|window| window == b"\r\n\r\n") {
            break end;
        }
        fill(stream, read).await?;
    };
    let head: Vec<u8> = read.drain(..end + 4).collect();
    let head = String::from_utf8_lossy(&head).into_owned();
    let mut lines = head.trim_end().split("\r\n");
    let method = lines.next()?.split(' ').next()?.to_owned();
    let headers = lines.filter_map(|line| line.split_once(':'));
    let headers = headers.map(|(name, value)| (name.to_ascii_lowercase(), value.trim().to_owned())).collect();
    let mut request = Request { method, headers, body: Vec::new() };
    if request.one("transfer-encoding").is_some() {
        request.body = chunks(stream, read).await?;
        return Some(request);
    }
    let length: usize = request.one("content-length").and_then(|length| length.parse().ok()).unwrap_or(0);
    while read.len() < length {
        fill(stream, read).await?;
    }
    request.body = read.drain(..length).collect();
    Some(request)
}

async fn chunks(stream: &mut TcpStream, read: &mut Vec<u8>) -> Option<Vec<u8>> {
    let mut body = Vec::new();
    loop {
        let line = line(stream, read).await?;
        let size = usize::from_str_radix(line.split(';').next()?, 16).ok()?;
        if size == 0 {
            while !self::line(stream, read).await?.is_empty() {}
            return Some(body);
        }
        while read.len() < size + 2 {
            fill(stream, read).await?;
        }
        body.extend(read.drain(..size));
        read.drain(..2);
    }
}

async fn line(stream: &mut TcpStream, read: &mut Vec<u8>) -> Option<String> {
    loop {
        if let Some(end) = read.windows(2).position(|window| window == b"\r\n") {
            let line: Vec<u8> = read.drain(..end + 2).collect();
            return Some(String::from_utf8_lossy(&line).trim_end().to_owned());
        }
        fill(stream, read).await?;
    }
}

async fn fill(stream: &mut TcpStream, read: &mut Vec<u8>) -> Option<()> {
    match stream.read_buf(read).await {
        Ok(1..) => Some(()),
        Ok(0) | Err(_) => None,
    }
}

type Answer = (u16, &'static str, Vec<u8>);
const JSON: &str = "application/json";
const EVENTS: &str = "text/event-stream";

fn answer(request: &Request, wrong: Wrong) -> Answer {
    let is_local = |value: &str| value.contains("//localhost:") || value.contains("//127.0.0.1:");
    let body = request.body.strip_prefix(b"\xEF\xBB\xBF").unwrap_or(&request.body);
    let parsed: Result<Value, _> = serde_json::from_slice(body);
    match request {
        _ if wrong == Wrong::NotFound => (404, "text/html", b"<h1>Not Found</h1>".to_vec()),
        _ if wrong != Wrong::LetsEverybodyIn && request.one("origin").is_some_and(|origin| !is_local(origin)) => {
            (403, "", Vec::new())
        }
        Request { method, .. } if method != "POST" => {
            if wrong == Wrong::HasGet {
                (200, EVENTS, b": nothing\n\n".to_vec())
            } else {
                (405, "", Vec::new())
            }
        }
        _ if wrong != Wrong::ReadsAnyType && !is_json(request) => (415, "", Vec::new()),
        _ if !request.accepts(JSON) && !request.accepts(EVENTS) => (406, "", Vec::new()),
        _ => match parsed {
            Err(_) => {
                // An id that stands in text which is broken elsewhere can be read all the same.
                let readable: Value = serde_json::from_str(&String::from_utf8_lossy(body)).unwrap_or_default();
                error(400, readable.get("id").filter(|_| wrong != Wrong::DropsIds), -32700)
            }
            Ok(frame) if !frame.is_object() => error(400, None, -32600),
            Ok(frame) => judged(request, &frame, wrong),
        },
    }
}

fn is_json(request: &Request) -> bool {
    let kind = request.one("content-type").unwrap_or_default();
    kind.split(';').next().is_some_and(|kind| kind.eq_ignore_ascii_case(JSON))
        && request.one("content-encoding").is_none()
}

fn judged(request: &Request, frame: &Value, wrong: Wrong) -> Answer {
    let params = &frame["params"];
    let id = frame.get("id").filter(|id| id.is_string() || id.is_number()).filter(|_| wrong != Wrong::DropsIds);
    let Some(method) = frame["method"].as_str().filter(|_| frame["jsonrpc"] == "2.0") else {
        return error(400, id.filter(|_| frame.get("result").or_else(|| frame.get("error")).is_none()), -32600);
    };
    if frame.get("id").is_none() {
        let body = if wrong == Wrong::AnswersNotifications { b"ok".to_vec() } else { Vec::new() };
        return (202, "text/plain", body);
    }
    if id.is_none() && wrong != Wrong::DropsIds {
        return error(400, None, -32600);
    }
    if params.is_array() {
        return error(400, id, -32602);
    }
    let version = &params["_meta"]["io.modelcontextprotocol/protocolVersion"];
    let subject = if method == "tools/call" { params["name"].as_str() } else { params["uri"].as_str() };
    let said = request.one("mcp-protocol-version").is_some_and(|said| version == said)
        && request.one("mcp-method") == Some(method)
        && (subject.is_none() || request.one("mcp-name") == subject);
    match method {
        _ if !said && wrong != Wrong::TrustsHeaders => error(400, id, -32020),
        _ if version != "2026-07-28" => error(400, id, -32022),
        "server/discover" => served(
            request,
            id,
            wrong,
            &json!({
                "supportedVersions": ["2026-07-28"], "capabilities": {"tools": {}}, "ttlMs": 0, "cacheScope": "private",
            }),
        ),
        "tools/list" => served(
            request,
            id,
            wrong,
            &json!({
                "tools": [{"name": "echo", "inputSchema": {"type": "object"}}], "ttlMs": 0, "cacheScope": "private",
            }),
        ),
        "tools/call" => {
            let content = json!([{"type": "text", "text": params["arguments"]["text"]}]);
            served(request, id, wrong, &json!({"content": content}))
        }
        _ if wrong == Wrong::UnknownMethodBy200 => error(200, id, -32601),
        _ => error(404, id, -32601),
    }
}

fn served(request: &Request, id: Option<&Value>, wrong: Wrong, result: &Value) -> Answer {
    let mut frame = json!({"jsonrpc": "2.0", "id": id, "result": result});
    frame["result"]["resultType"] = "complete".into();
    if (request.accepts(JSON) && wrong != Wrong::EventsAlways) || wrong == Wrong::JsonAlways {
        return (200, JSON, frame.to_string().into_bytes());
    }
    (200, EVENTS, format!("data: {frame}\n\n").into_bytes())
}

fn error(status: u16, id: Option<&Value>, code: i64) -> Answer {
    let mut frame = json!({"jsonrpc": "2.0", "error": {"code": code, "message": "no"}});
    if let Some(id) = id {
        frame["id"] = id.clone();
    }
    (status, JSON, frame.to_string().into_bytes())
}
