//! What a child gets of the environment of this process.

use std::ffi::{OsStr, OsString};

/// Which variables a child has.
#[derive(Clone, Debug, Default)]
pub(super) struct Environment {
    inherited: Inherited,
    /// The last one of a name wins; `None` takes it away.
    set: Vec<(OsString, Option<OsString>)>,
}

#[derive(Clone, Debug)]
enum Inherited {
    All,
    /// Those of the list, and these.
    Listed(Vec<OsString>),
}

impl Default for Inherited {
    fn default() -> Self {
        Self::Listed(Vec::new())
    }
}

impl Environment {
    pub(super) fn set(&mut self, name: &OsStr, value: Option<&OsStr>) {
        self.set.push((name.to_owned(), value.map(OsStr::to_owned)));
    }

    pub(super) fn inherit(&mut self, name: &OsStr) {
        if let Inherited::Listed(names) = &mut self.inherited {
            names.push(name.to_owned());
        }
    }

    pub(super) fn inherit_all(&mut self) {
        self.inherited = Inherited::All;
    }

    /// The variables for a child, of those that this process has now.
    pub(super) fn variables(&self, ours: impl Iterator<Item = (OsString, OsString)>) -> Vec<(OsString, OsString)> {
        let mut variables: Vec<_> = ours.filter(|(name, value)| self.inherits(name, value)).collect();
        for (name, value) in &self.set {
            variables.retain(|(other, _)| other != name);
            variables.extend(value.clone().map(|value| (name.clone(), value)));
        }
        variables
    }

    fn inherits(&self, name: &OsStr, value: &OsStr) -> bool {
        let Inherited::Listed(names) = &self.inherited else { return true };
        if names.iter().any(|listed| listed == name) {
            return true;
        }
        let is_listed = LISTED.iter().any(|listed| name == *listed) || name.as_encoded_bytes().starts_with(LOCALE);
        // What a shell exports as a function is code.
        is_listed && !value.as_encoded_bytes().starts_with(b"()")
    }
}

/// Who runs it, where its programs and files are, and how it talks to a person. Nothing of it is secret.
const LISTED: &[&str] = &["HOME", "LANG", "LOGNAME", "PATH", "SHELL", "TERM", "TMPDIR", "TZ", "USER"];
const LOCALE: &[u8] = b"LC_";

#[cfg(test)]
mod tests {
    use super::*;

    fn names(environment: &Environment) -> Vec<String> {
        let ours = [("HOME", "/h"), ("API_KEY", "x"), ("LC_ALL", "C"), ("SHELL", "() { :; }"), ("PATH", "/bin")];
        let ours = ours.map(|(name, value)| (name.into(), value.into()));
        let variables = environment.variables(ours.into_iter());
        variables.into_iter().map(|(name, value)| format!("{}={}", name.display(), value.display())).collect()
    }

    #[test]
    fn only_what_is_listed_is_inherited() {
        assert_eq!(names(&Environment::default()), ["HOME=/h", "LC_ALL=C", "PATH=/bin"]);
    }

    #[test]
    fn what_is_asked_for_is_inherited_and_what_is_set_wins() {
        let mut environment = Environment::default();
        environment.inherit("API_KEY".as_ref());
        environment.set("PATH".as_ref(), Some("/one".as_ref()));
        environment.set("HOME".as_ref(), None);
        environment.set("PATH".as_ref(), Some("/two".as_ref()));
        assert_eq!(names(&environment), ["API_KEY=x", "LC_ALL=C", "PATH=/two"]);
    }

    #[test]
    fn everything_is_inherited_when_that_is_asked_for() {
        let mut environment = Environment::default();
        environment.inherit_all();
        environment.inherit("HOME".as_ref());
        assert_eq!(names(&environment).len(), 5);
    }
}
