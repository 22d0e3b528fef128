//! The proof of the gate: a server that answers 404 to everything fails every scenario.

use std::io::{BufRead, BufReader, Read, Write};
use std::net::{TcpListener, TcpStream};
use std::thread;

use anyhow::ensure;
use serde_json::{Value, json};

use super::judge::Verdict;
use super::list::List;
use super::{Place, play, table};
use crate::project::Project;

pub(super) fn run(project: &Project, list: &List, place: &Place) -> anyhow::Result<()> {
    let listener = TcpListener::bind("127.0.0.1:0")?;
    let url = format!("http://{}/mcp", listener.local_addr()?);
    // It serves for as long as this process lives.
    thread::spawn(move || listener.incoming().flatten().for_each(serve));
    let verdicts = play(project, list, place, &url)?;
    println!("\n{}", table::of(&verdicts));
    let named = |is: fn(&Verdict) -> bool| -> Vec<_> {
        verdicts.iter().filter(|verdict| is(verdict)).map(|verdict| &*verdict.scenario).collect()
    };
    // What did not run proves nothing.
    let (absent, passed) = (named(|verdict| !verdict.has_run), named(Verdict::holds));
    ensure!(absent.is_empty(), "these did not run: {}", absent.join(", "));
    ensure!(passed.is_empty(), "a server that does nothing passes {}", passed.join(", "));
    println!("\nall {} scenarios fail with a server that does nothing, as they should", verdicts.len());
    Ok(())
}

fn serve(stream: TcpStream) {
    // A client that goes away in the middle is none of our business here.
    thread::spawn(move || drop(refuse_all(&stream)));
}

/// Answers each request of a connection until the client has no more.
fn refuse_all(stream: &TcpStream) -> std::io::Result<()> {
    let mut reader = BufReader::new(stream);
    while let Some(body) = request(&mut reader)? {
        let id = serde_json::from_slice::<Value>(&body).map_or(Value::Null, |mut message| message["id"].take());
        let error = json!({ "code": -32601, "message": "Method not found" });
        let answer = json!({ "jsonrpc": "2.0", "id": id, "error": error }).to_string();
        let head = format!("content-type: application/json\r\ncontent-length: {}", answer.len());
        write!(&mut &*stream, "HTTP/1.1 404 Not Found\r\n{head}\r\n\r\n{answer}")?;
    }
    Ok(())
}

/// The body of the next request.
fn request(reader: &mut impl BufRead) -> std::io::Result<Option<Vec<u8>>> {
    let mut length = 0;
    let mut line = String::new();
    loop {
        line.clear();
        if reader.read_line(&mut line)? == 0 {
            return Ok(None);
        }
        if line.trim().is_empty() {
            break;
        }
        if let Some((name, value)) = line.split_once(':')
            && name.eq_ignore_ascii_case("content-length")
        {
            length = value.trim().parse().unwrap_or(0);
        }
    }
    let mut body = Vec::new();
    reader.take(length).read_to_end(&mut body)?;
    Ok(Some(body))
}

#[cfg(test)]
mod tests {
    #![expect(clippy::unwrap_used, reason = "a test fails by panicking")]

    use super::*;

    #[test]
    fn requests_are_taken_one_after_the_other() {
        let mut bytes = &b"POST /mcp HTTP/1.1\r\nContent-Length: 4\r\nHost: x\r\n\r\n1234GET / HTTP/1.1\r\n\r\n"[..];
        assert_eq!(request(&mut bytes).unwrap().unwrap(), b"1234");
        assert_eq!(request(&mut bytes).unwrap().unwrap(), b"");
        assert!(request(&mut bytes).unwrap().is_none());
    }
}
