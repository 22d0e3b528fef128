//! Our client against servers that are used in the field.

use std::ffi::OsString;
use std::fmt::Write as _;
use std::path::{Path, PathBuf};

use serde_json::Value;
use xshell::cmd;

use super::conversation::{self, Step, check, fails, gives_up, has, is, names as lists, succeeds};
use super::{Verdict, python, typescript};
use crate::project::Project;

pub(super) fn run(project: &Project, is_chosen: impl Fn(&str) -> bool) -> anyhow::Result<Verdict> {
    let mut verdict = Verdict { summary: String::new(), agreed: true };
    let environments = project.target_dir()?.join("interop");
    let chosen = SERVERS.iter().filter(|server| is_chosen(server.name));
    let installed = chosen.map(|server| server.install(project, &environments)).collect::<anyhow::Result<Vec<_>>>()?;
    if installed.is_empty() {
        return Ok(verdict);
    }
    let client = project.build_release("examples", "everything-client")?;
    for server in installed {
        let held = server.converse(project, &client, &environments.join("playground"))?;
        let total = server.steps.len() + 1;
        writeln!(verdict.summary, "{:<22} {held} of {total} steps held", server.name)?;
        verdict.agreed &= held == total;
    }
    Ok(verdict)
}

pub(super) fn names() -> impl Iterator<Item = &'static str> {
    SERVERS.iter().map(|server| server.name)
}

struct Server {
    name: &'static str,
    program: Program,
    steps: &'static [Step],
}

/// What the server is made of. Versions of npm packages stand in `interop/servers/package.json`.
enum Program {
    Python {
        version: &'static str,
        environment: &'static str,
        script: &'static str,
    },
    /// A package, its command, and what the command is given; `$FOLDER` is a folder to play in.
    Npm {
        package: &'static str,
        command: &'static str,
        arguments: &'static [&'static str],
    },
}

/// A server that is ready to run.
struct Installed {
    name: &'static str,
    title: String,
    command: Vec<OsString>,
    steps: &'static [Step],
}

impl Server {
    fn install(&self, project: &Project, environments: &Path) -> anyhow::Result<Installed> {
        let sources = project.root.join("interop/servers");
        let (title, command) = match &self.program {
            Program::Python { version, environment, script } => {
                let python = python::environment(project, &environments.join(environment), version)?;
                let command = [python.into(), "-B".into(), sources.join(script).into()];
                (format!("a Python server, mcp {version}"), command.to_vec())
            }
            Program::Npm { package, command, arguments } => {
                let folder = environments.join("servers");
                let version = typescript::environment(project, &sources, &folder, package)?;
                let playground = environments.join("playground").to_string_lossy().into_owned();
                let arguments = arguments.iter().map(|argument| argument.replace("$FOLDER", &playground).into());
                let program: PathBuf = folder.join("node_modules/.bin").join(command);
                (format!("{package} {version}"), std::iter::once(program.into()).chain(arguments).collect())
            }
        };
        Ok(Installed { name: self.name, title, command, steps: self.steps })
    }
}

impl Installed {
    /// Has the conversation, prints a line for each step, and says how many held.
    fn converse(&self, project: &Project, client: &Path, folder: &Path) -> anyhow::Result<usize> {
        println!("\n-- {}: {}", self.name, self.title);
        project.shell.remove_path(folder)?;
        project.shell.create_dir(folder)?;
        project.shell.write_file(folder.join("a.txt"), "hello")?;
        let folder = folder.to_string_lossy();
        let (script, command) = (conversation::script(self.steps, &folder), &self.command);
        let output =
            cmd!(project.shell, "{client} -- {command...}").env("SCRIPT", script).quiet().ignore_status().output()?;
        let stdout = String::from_utf8_lossy(&output.stdout);
        let lines: Vec<Value> = stdout.lines().filter_map(|line| serde_json::from_str(line).ok()).collect();
        let mut held = 0;
        let mut tell = |what: &str, outcome: Result<String, String>| {
            held += usize::from(outcome.is_ok());
            match outcome {
                Ok(seen) => println!("ok      {what}: {seen}"),
                Err(why) => println!("FAILED  {what}: {why}"),
            }
        };
        for step in self.steps {
            tell(step.says, check(step, &lines, &folder));
        }
        let status = output.status;
        tell("exit", if status.success() { Ok(status.to_string()) } else { Err(status.to_string()) });
        if held < self.steps.len() + 1 {
            eprint!("{}", String::from_utf8_lossy(&output.stderr));
        }
        Ok(held)
    }
}

/// What both Python servers are asked.
const PYTHON: &[Step] = &[
    succeeds("connect"),
    lists("list", "/tools", &["echo", "add", "sleep", "progress", "ask", "sample"]),
    is(r#"call:echo:{"text":"é \"x\""}"#, "/content/0/text", r#""é \"x\"""#),
    is(r#"call:add:{"a":19,"b":23}"#, "/content/0/text", r#""42""#),
    is(r#"call:add:{"a":19}"#, "/isError", "true"),
    is(r#"call:progress:{"steps":3}"#, "/content/0/text", r#""done""#),
    is("progress", "", "[1,2,3]"),
    is("call:ask", "/content/0/text", r#""action=accept""#),
    succeeds("call:sample"),
    is("read:test://static-text", "/contents/0/text", r#""a text""#),
    is("read:test://template/7/data", "/contents/0/text", r#""data of 7""#),
    has("prompt:greet", "/messages/0/content/text", "Greet"),
    succeeds("set:timeout_ms=200"),
    gives_up(r#"call:sleep:{"ms":3000}"#),
    succeeds("set:timeout_ms=10000"),
    is(r#"call:echo:{"text":"still there"}"#, "/content/0/text", r#""still there""#),
    succeeds("close"),
];

#[rustfmt::skip]
const SERVERS: &[Server] = &[
    Server {
        name: "python-legacy-server",
        program: Program::Python { version: "1.28.1", environment: "python-legacy", script: "legacy_server.py" },
        steps: PYTHON,
    },
    Server {
        name: "python-modern-server",
        program: Program::Python { version: "2.3.0", environment: "python-modern", script: "modern_server.py" },
        steps: PYTHON,
    },
    Server {
        name: "npm-everything",
        program: Program::Npm {
            package: "@modelcontextprotocol/server-everything",
            command: "mcp-server-everything",
            arguments: &["stdio"],
        },
        steps: &[
            succeeds("connect"),
            lists("list", "/tools", &["echo", "get-sum", "get-tiny-image", "get-structured-content"]),
            is(r#"call:echo:{"message":"hello"}"#, "/content/0/text", r#""Echo: hello""#),
            has(r#"call:get-sum:{"a":19,"b":23}"#, "/content/0/text", "42"),
            is("call:get-tiny-image", "/content/1/type", r#""image""#),
            is(r#"call:get-resource-links:{"count":2}"#, "/content/1/type", r#""resource_link""#),
            is(r#"call:get-structured-content:{"location":"Chicago"}"#, "/structuredContent/conditions", r#""Light rain / drizzle""#),
            is(r#"call:get-sum:{"a":"x"}"#, "/isError", "true"),
            succeeds(r#"call:trigger-long-running-operation:{"duration":1,"steps":4}"#),
            is("progress", "", "[1,2,3,4]"),
            has("call:trigger-elicitation-request", "/content/1/text", "x"),
            has(r#"call:trigger-sampling-request:{"prompt":"p","maxTokens":10}"#, "/content/0/text", "model"),
            has("read:demo://resource/dynamic/text/1", "/contents/0/text", "Resource 1"),
            is("read:demo://resource/dynamic/blob/1", "/contents/0/mimeType", r#""text/plain""#),
            fails("read:demo://nothing", -32602),
            is("prompt:simple-prompt", "/messages/0/role", r#""user""#),
            succeeds("close"),
        ],
    },
    Server {
        name: "npm-filesystem",
        program: Program::Npm {
            package: "@modelcontextprotocol/server-filesystem",
            command: "mcp-server-filesystem",
            arguments: &["$FOLDER"],
        },
        steps: &[
            succeeds("connect"),
            lists("list", "/tools", &["read_text_file", "write_file", "list_directory"]),
            is(r#"call:read_text_file:{"path":"$FOLDER/a.txt"}"#, "/content/0/text", r#""hello""#),
            succeeds(r#"call:write_file:{"path":"$FOLDER/b.txt","content":"bye"}"#),
            is(r#"call:read_text_file:{"path":"$FOLDER/b.txt"}"#, "/structuredContent/content", r#""bye""#),
            is(r#"call:read_text_file:{"path":"/nowhere/c.txt"}"#, "/isError", "true"),
            has(r#"call:list_directory:{"path":"$FOLDER"}"#, "/content/0/text", "b.txt"),
            succeeds("close"),
        ],
    },
    Server {
        name: "npm-memory",
        program: Program::Npm {
            package: "@modelcontextprotocol/server-memory",
            command: "mcp-server-memory",
            arguments: &[],
        },
        steps: &[
            succeeds("connect"),
            lists("list", "/tools", &["create_entities", "read_graph"]),
            succeeds(r#"call:delete_entities:{"entityNames":["a"]}"#),
            succeeds(r#"call:create_entities:{"entities":[{"name":"a","entityType":"t","observations":["o"]}]}"#),
            is("call:read_graph", "/structuredContent/entities/0/name", r#""a""#),
            fails("prompt:nothing", -32601),
            succeeds("close"),
        ],
    },
];
