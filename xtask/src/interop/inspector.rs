//! The Inspector of the MCP project, in its command-line mode, against our server.
//!
//! It makes a connection for each request and prints the result as JSON. Each step is one such request, in both eras
//! and over each transport.

use std::fmt::Write as _;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::Duration;

use serde_json::{Value, json};
use xshell::cmd;

use super::Verdict;
use super::conversation::{Step, check, gives_up, has, is, names as lists};
use crate::everything::HttpServer;
use crate::project::Project;
use crate::{limited, npm};

pub(super) fn run(project: &Project, is_chosen: impl Fn(&str) -> bool) -> anyhow::Result<Verdict> {
    let mut verdict = Verdict { summary: String::new(), agreed: true };
    let chosen: Vec<_> = COLUMNS.iter().filter(|column| is_chosen(column.name)).collect();
    if chosen.is_empty() {
        return Ok(verdict);
    }
    let inspector = Inspector::install(project)?;
    let server = project.build_release("examples", "everything-server")?;
    for column in chosen {
        println!("\n-- {}: {PACKAGE} {}", column.name, inspector.version);
        let steps: Vec<_> = STEPS.iter().chain(column.steps).collect();
        let held = match column.transport {
            Transport::Stdio => inspector.ask_all(project, column, &[&server.to_string_lossy(), "--stdio"], &steps)?,
            Transport::Http => {
                let http = HttpServer::start(&server, &inspector.folder.join("server.log"))?;
                let held = inspector.ask_all(project, column, &[&http.url(), "--transport", "http"], &steps)?;
                http.stop()?;
                held
            }
        };
        writeln!(verdict.summary, "{:<22} {held} of {} steps held", column.name, steps.len())?;
        verdict.agreed &= held == steps.len();
    }
    Ok(verdict)
}

pub(super) fn names() -> impl Iterator<Item = &'static str> {
    COLUMNS.iter().map(|column| column.name)
}

/// What it is run against, and how.
struct Column {
    name: &'static str,
    transport: Transport,
    era: &'static str,
    /// What holds in this era alone.
    steps: &'static [Step],
}

#[derive(Clone, Copy)]
enum Transport {
    Stdio,
    Http,
}

/// The installed package.
struct Inspector {
    version: String,
    program: PathBuf,
    folder: PathBuf,
}

impl Inspector {
    fn install(project: &Project) -> anyhow::Result<Self> {
        let (sources, folder) =
            (project.root.join("interop/inspector"), project.target_dir()?.join("interop/inspector"));
        npm::install(project, &sources, &folder)?;
        let program = folder.join("node_modules").join(PACKAGE).join("clients/launcher/build/index.js");
        Ok(Self { version: npm::version(&sources, PACKAGE)?, program, folder })
    }

    /// Makes each step, prints a line for it, and says how many held.
    fn ask_all(&self, project: &Project, column: &Column, target: &[&str], steps: &[&Step]) -> anyhow::Result<usize> {
        let mut held = 0;
        for step in steps {
            let line = self.ask(project, column, target, step.says)?;
            match check(step, &[line], "") {
                Ok(seen) => {
                    println!("ok      {}: {seen}", step.says);
                    held += 1;
                }
                Err(why) => println!("FAILED  {}: {why}", step.says),
            }
        }
        Ok(held)
    }

    /// Makes a request. Gives what came of it in the form of a step of our client.
    fn ask(&self, project: &Project, column: &Column, target: &[&str], says: &str) -> anyhow::Result<Value> {
        let (program, era) = (&self.program, column.era);
        let asked = says.split(' ');
        let command = cmd!(project.shell, "node {program} --cli {target...} --protocol-era {era} --method {asked...}")
            // It keeps its settings there.
            .env("HOME", &self.folder);
        let (stdout, stderr) = (self.folder.join("stdout.txt"), self.folder.join("stderr.txt"));
        limited::run(Command::from(command), &stdout, &stderr, LONGEST)?;
        let (stdout, stderr) = (read(&stdout)?, read(&stderr)?);
        Ok(line(says, &stdout, &stderr))
    }
}

fn read(path: &Path) -> anyhow::Result<String> {
    Ok(String::from_utf8_lossy(&fs::read(path)?).into_owned())
}

/// A result is what it prints as JSON, and nothing else. The result of a tool that failed is one too.
fn line(says: &str, stdout: &str, stderr: &str) -> Value {
    match serde_json::from_str::<Value>(stdout) {
        Ok(result) => json!({ "step": says, "ok": true, "result": result }),
        Err(_) => {
            let told = stderr.lines().find_map(|line| serde_json::from_str::<Value>(line).ok());
            let message = told.map_or_else(|| stderr.trim().into(), |mut told| told["error"]["message"].take());
            json!({ "step": says, "ok": false, "error": { "message": message } })
        }
    }
}

/// How long one request may take.
const LONGEST: Duration = Duration::from_secs(60);

const PACKAGE: &str = "@modelcontextprotocol/inspector";

#[rustfmt::skip]
const COLUMNS: &[Column] = &[
    Column { name: "inspector-stdio-legacy", transport: Transport::Stdio, era: "legacy", steps: LEGACY },
    Column { name: "inspector-stdio-modern", transport: Transport::Stdio, era: "modern", steps: MODERN },
    Column { name: "inspector-http-legacy",  transport: Transport::Http,  era: "legacy", steps: LEGACY },
    Column { name: "inspector-http-modern",  transport: Transport::Http,  era: "modern", steps: MODERN },
];

/// What is asked, without the option `--method` that it begins with.
#[rustfmt::skip]
const STEPS: &[Step] = &[
    lists("tools/list",                                              "/tools", &["echo", "add", "test_simple_text", "json_schema_2020_12_tool"]),
    is("tools/call --tool-name add --tool-arg a=19 b=23",            "/content/0/text", r#""42""#),
    is("tools/call --tool-name divide --tool-arg dividend=17 divisor=5", "/structuredContent", r#"{"quotient": 3, "rest": 2}"#),
    is("tools/call --tool-name test_multiple_content_types",         "/content/2/resource/uri", r#""test://mixed-content-resource""#),
    has("tools/call --tool-name test_tool_with_progress",            "/content/0/text", "progress"),
    is("tools/call --tool-name fail",                                "/isError", "true"),
    gives_up("tools/call --tool-name no_such_tool"),
    lists("resources/list",                                          "/resources", &["static-text", "static-binary"]),
    lists("resources/templates/list",                                "/resourceTemplates", &["template-data"]),
    is("resources/read --uri test://static-text",                    "/contents/0/text", r#""This is the content of the static text resource.""#),
    has("resources/read --uri test://template/7/data",               "/contents/0/text", "Data for ID: 7"),
    gives_up("resources/read --uri test://nothing"),
    lists("prompts/list",                                            "/prompts", &["test_simple_prompt", "test_prompt_with_arguments"]),
    is("prompts/get --prompt-name test_prompt_with_arguments --prompt-args arg1=a arg2=b", "/messages/0/content/text", r#""Prompt with arguments: arg1='a', arg2='b'""#),
];

#[rustfmt::skip]
const LEGACY: &[Step] = &[
    is("logging/setLevel --log-level debug",                         "", "{}"),
];

/// What only a modern result says shows that it was one.
#[rustfmt::skip]
const MODERN: &[Step] = &[
    is("tools/call --tool-name test_simple_text",                    "/_meta/io.modelcontextprotocol~1serverInfo/name", r#""everything-server""#),
];

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_result_is_json_and_nothing_else() {
        let good = line("prompts/list", "{\n  \"prompts\": []\n}\n", "");
        assert_eq!(good, json!({ "step": "prompts/list", "ok": true, "result": { "prompts": [] } }));
        for (stdout, stderr, message) in [
            ("", "{\"error\":{\"code\":\"error\",\"message\":\"no\"}}\n", "no"),
            ("chatter {}", "it broke\n", "it broke"),
            ("{} {}", "", ""),
        ] {
            let bad = line("x", stdout, stderr);
            assert_eq!((&bad["ok"], &bad["error"]), (&json!(false), &json!({ "message": message })));
        }
    }
}
