//! The text files of the project.

use std::path::Path;
use std::{fs, io};

/// A file and its path from the root, with `/` between its parts.
#[derive(Debug)]
pub(super) struct TextFile {
    pub(super) path: String,
    pub(super) text: String,
}

impl TextFile {
    #[cfg(test)]
    pub(super) fn new(path: &str, text: &str) -> Self {
        Self { path: path.to_owned(), text: text.to_owned() }
    }
}

/// Reads all text files below the root, in the order of their paths.
///
/// It walks by itself instead of asking git: a source archive has no git, and git refuses to look at
/// a checkout that belongs to another user, as it does in many containers.
pub(super) fn walk(root: &Path) -> io::Result<Vec<TextFile>> {
    let mut files = Vec::new();
    let mut folders = vec![root.to_owned()];
    while let Some(folder) = folders.pop() {
        for entry in fs::read_dir(&folder)? {
            let entry = entry?;
            let (path, kind) = (entry.path(), entry.file_type()?);
            if kind.is_dir() {
                if !skipped(&entry.file_name().to_string_lossy()) {
                    folders.push(path);
                }
            } else if kind.is_file()
                && let Ok(text) = String::from_utf8(fs::read(&path)?)
            {
                let parts = path.strip_prefix(root).unwrap_or(&path).components();
                let parts: Vec<_> = parts.map(|part| part.as_os_str().to_string_lossy()).collect();
                files.push(TextFile { path: parts.join("/"), text });
            }
        }
    }
    files.sort_by(|a, b| a.path.cmp(&b.path));
    Ok(files)
}

/// What is not ours to keep tidy: build output, installed packages, git's own files.
fn skipped(folder: &str) -> bool {
    ["target", ".git", ".venv", "node_modules", "__pycache__"].contains(&folder)
}

#[cfg(test)]
mod tests {
    #![expect(clippy::unwrap_used, reason = "a test fails by panicking")]

    use super::*;

    #[test]
    fn the_walk_finds_this_file_and_no_build_output() {
        let root = Path::new(env!("CARGO_MANIFEST_DIR")).parent().unwrap();
        let files = walk(root).unwrap();
        assert!(files.iter().any(|file| file.path == "xtask/src/tidy/files.rs"));
        assert!(!files.iter().any(|file| file.path.starts_with("target/")));
    }
}
