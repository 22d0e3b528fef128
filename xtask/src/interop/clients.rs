//! The official clients against our server, over stdio and over HTTP.

use std::ffi::{OsStr, OsString};
use std::path::PathBuf;

use xshell::cmd;

use super::outcome::{self, Outcome};
use super::witness::Watched;
use super::{Verdict, python, typescript};
use crate::project::Project;

pub(super) fn run(project: &Project, is_chosen: impl Fn(&str) -> bool) -> anyhow::Result<Verdict> {
    let chosen = CLIENTS.iter().filter(|client| is_chosen(client.name));
    // Installing comes first: who lacks a program hears of it before a long build.
    let installed = chosen.map(|client| client.install(project)).collect::<anyhow::Result<Vec<_>>>()?;
    if installed.is_empty() {
        return Ok(Verdict { summary: String::new(), agreed: true });
    }
    let server = project.build_release("examples", "everything-server")?;
    let folder = project.target_dir()?.join("interop");
    let (mut on_stdio, mut over_http) = (Vec::new(), Vec::new());
    for client in installed {
        println!("\n-- {}: {}", client.name, client.title);
        match client.over.path() {
            None => on_stdio.push(client.converse(project, server.as_os_str())?.told(client.name)),
            Some(path) => {
                let watched = Watched::start(&server, &folder, client.name)?;
                let mut said = client.converse(project, watched.url_of(path).as_ref())?;
                said.stdout += &watched.end()?;
                over_http.push(said.told(client.name));
            }
        }
    }
    // A server on stdio is looked at more closely, so that the checks are the same ones within a group only.
    let mut verdict = Verdict { summary: String::new(), agreed: true };
    for group in [on_stdio, over_http].iter().filter(|group| !group.is_empty()) {
        let (summary, agreed) = outcome::judge(group);
        verdict.summary += &format!("{summary}\n");
        verdict.agreed &= agreed;
    }
    Ok(verdict)
}

pub(super) fn names() -> impl Iterator<Item = &'static str> {
    CLIENTS.iter().map(|client| client.name)
}

struct Client {
    name: &'static str,
    over: Over,
    package: Package,
    script: &'static str,
}

/// How it reaches the server.
#[derive(Clone, Copy)]
enum Over {
    /// It starts the server.
    Stdio,
    /// Streamable HTTP.
    Http,
    /// HTTP+SSE of revision 2024-11-05.
    Sse,
}

impl Over {
    /// Where the server answers, if that is not its standard output.
    const fn path(self) -> Option<&'static str> {
        match self {
            Self::Stdio => None,
            Self::Http => Some("/mcp"),
            Self::Sse => Some("/sse"),
        }
    }
}

/// What the client is made of. Versions of Python packages stand here, those of npm in their `package.json`.
enum Package {
    Python { version: &'static str, environment: &'static str },
    TypeScript { name: &'static str },
}

/// A client that is ready to run.
struct Installed {
    name: &'static str,
    over: Over,
    title: String,
    program: PathBuf,
    arguments: Vec<OsString>,
}

impl Installed {
    /// Has the conversation with the server that is started by this path, or listens at this URL.
    fn converse(&self, project: &Project, server: &OsStr) -> anyhow::Result<Said> {
        let Self { program, arguments, .. } = self;
        let output = cmd!(project.shell, "{program} {arguments...} {server}").quiet().ignore_status().output()?;
        eprint!("{}", String::from_utf8_lossy(&output.stderr));
        Ok(Said { stdout: String::from_utf8_lossy(&output.stdout).into_owned(), succeeded: output.status.success() })
    }
}

/// What a client printed, and whether it was content.
struct Said {
    stdout: String,
    succeeded: bool,
}

impl Said {
    /// Prints it, and reads the checks out of it.
    fn told(self, client: &'static str) -> Outcome {
        print!("{}", self.stdout);
        Outcome::read(client, &self.stdout, self.succeeded)
    }
}

impl Client {
    fn install(&self, project: &Project) -> anyhow::Result<Installed> {
        let environments = project.target_dir()?.join("interop");
        let (title, program, arguments) = match self.package {
            Package::Python { version, environment } => {
                let python = python::environment(project, &environments.join(environment), version)?;
                let script = project.root.join("interop/python").join(self.script);
                // `-B`: no compiled files beside the scripts.
                (format!("the Python client, mcp {version}"), python, vec!["-B".into(), script.into()])
            }
            Package::TypeScript { name } => {
                let folder = environments.join("typescript");
                let version =
                    typescript::environment(project, &project.root.join("interop/typescript"), &folder, name)?;
                let title = format!("the TypeScript client, {name} {version}");
                (title, "node".into(), vec![folder.join(self.script).into()])
            }
        };
        Ok(Installed { name: self.name, over: self.over, title, program, arguments })
    }
}

const LEGACY_PYTHON: Package = Package::Python { version: "1.28.1", environment: "python-legacy" };
const MODERN_PYTHON: Package = Package::Python { version: "2.3.0", environment: "python-modern" };
const LEGACY_TYPESCRIPT: Package = Package::TypeScript { name: "@modelcontextprotocol/sdk" };
const MODERN_TYPESCRIPT: Package = Package::TypeScript { name: "@modelcontextprotocol/client" };

#[rustfmt::skip]
const CLIENTS: &[Client] = &[
    Client { name: "python-legacy",          over: Over::Stdio, script: "legacy_client.py",  package: LEGACY_PYTHON },
    Client { name: "python-modern",          over: Over::Stdio, script: "modern_client.py",  package: MODERN_PYTHON },
    Client { name: "typescript-legacy",      over: Over::Stdio, script: "legacy_client.mjs", package: LEGACY_TYPESCRIPT },
    Client { name: "typescript-modern",      over: Over::Stdio, script: "modern_client.mjs", package: MODERN_TYPESCRIPT },
    Client { name: "python-legacy-http",     over: Over::Http,  script: "legacy_client.py",  package: LEGACY_PYTHON },
    Client { name: "python-modern-http",     over: Over::Http,  script: "modern_client.py",  package: MODERN_PYTHON },
    Client { name: "typescript-legacy-http", over: Over::Http,  script: "legacy_client.mjs", package: LEGACY_TYPESCRIPT },
    Client { name: "typescript-modern-http", over: Over::Http,  script: "modern_client.mjs", package: MODERN_TYPESCRIPT },
    Client { name: "python-legacy-sse",      over: Over::Sse,   script: "legacy_client.py",  package: LEGACY_PYTHON },
    Client { name: "typescript-legacy-sse",  over: Over::Sse,   script: "legacy_client.mjs", package: LEGACY_TYPESCRIPT },
];
