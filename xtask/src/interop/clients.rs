//! The official clients against our server.

use std::ffi::OsString;
use std::path::PathBuf;

use xshell::cmd;

use super::outcome::{self, Outcome};
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
    let mut outcomes = Vec::new();
    for client in installed {
        println!("\n-- {}: {}", client.name, client.title);
        let Installed { program, arguments, .. } = &client;
        let output = cmd!(project.shell, "{program} {arguments...} {server}").quiet().ignore_status().output()?;
        let stdout = String::from_utf8_lossy(&output.stdout);
        print!("{stdout}");
        eprint!("{}", String::from_utf8_lossy(&output.stderr));
        outcomes.push(Outcome::read(client.name, &stdout, output.status.success()));
    }
    let (summary, agreed) = outcome::judge(&outcomes);
    Ok(Verdict { summary, agreed })
}

pub(super) fn names() -> impl Iterator<Item = &'static str> {
    CLIENTS.iter().map(|client| client.name)
}

struct Client {
    name: &'static str,
    package: Package,
    script: &'static str,
}

/// What the client is made of. Versions of Python packages stand here, those of npm in their `package.json`.
enum Package {
    Python { version: &'static str },
    TypeScript { name: &'static str },
}

/// A client that is ready to run.
struct Installed {
    name: &'static str,
    title: String,
    program: PathBuf,
    arguments: Vec<OsString>,
}

impl Client {
    fn install(&self, project: &Project) -> anyhow::Result<Installed> {
        let environments = project.target_dir()?.join("interop");
        let (title, program, arguments) = match self.package {
            Package::Python { version } => {
                let python = python::environment(project, &environments.join(self.name), version)?;
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
        Ok(Installed { name: self.name, title, program, arguments })
    }
}

#[rustfmt::skip]
const CLIENTS: &[Client] = &[
    Client { name: "python-legacy",     script: "legacy_client.py",  package: Package::Python { version: "1.28.1" } },
    Client { name: "python-modern",     script: "modern_client.py",  package: Package::Python { version: "2.3.0" } },
    Client { name: "typescript-legacy", script: "legacy_client.mjs", package: Package::TypeScript { name: "@modelcontextprotocol/sdk" } },
    Client { name: "typescript-modern", script: "modern_client.mjs", package: Package::TypeScript { name: "@modelcontextprotocol/client" } },
];
