//! The language of scripts.

use serde_json::{Map, Value};

/// What is played when no script is given.
pub const DEFAULT: &str = r#"list,call:echo:{"text":"x"},close"#;

/// A list of steps, divided by commas outside brackets and braces.
///
/// ```
/// use examples::everything_client::{Script, Step};
///
/// let script = Script::parse(r#"list,call:add:{"a":1,"b":2},close"#);
/// let texts: Vec<&str> = script.steps().iter().map(|(text, _)| text.as_str()).collect();
/// assert_eq!(texts, ["list", r#"call:add:{"a":1,"b":2}"#, "close"]);
/// assert_eq!(script.steps()[2].1, Step::Close);
/// ```
#[derive(Clone, Debug, PartialEq)]
pub struct Script(Vec<(String, Step)>);

/// One step of a script.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub enum Step {
    /// Lists all tools, over all pages.
    List,
    /// Calls a tool and waits for its result.
    Call(Call),
    /// Calls a tool in the background.
    Start(Call),
    /// Waits until all calls in the background have ended.
    Wait,
    /// Drops the futures of all calls in the background.
    Forget,
    /// Reads a resource.
    Read(String),
    /// Gets a prompt, without arguments.
    Prompt(String),
    /// Sends a request of any method, and waits for its result.
    Request(String, Option<Map<String, Value>>),
    /// Sends a notification without parameters.
    Notify(String),
    /// Waits for so many milliseconds.
    Sleep(u64),
    /// Tells which values of progress came so far.
    Progress,
    /// Changes a setting.
    Set(Setting),
    /// Closes the connection and waits until that is done.
    Close,
    /// Closes it twice at once, and waits until both are done.
    CloseTwice,
    /// Drops the connection, and waits until it is closed.
    Drop,
    /// Not a step that this program knows.
    Unknown,
    /// A step that it knows, with parameters that cannot be read.
    Malformed(String),
}

/// A call of a tool.
#[derive(Clone, Debug, PartialEq)]
pub struct Call {
    /// The tool.
    pub name: String,
    /// Its arguments, if there are any.
    pub arguments: Option<Map<String, Value>>,
}

/// A setting.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Setting {
    /// How long the calls that follow may be silent, in milliseconds.
    Timeout(u64),
    /// How long the calls that follow may take altogether, in milliseconds.
    MaxTime(u64),
    /// Whether progress restarts the time that a call may be silent.
    ResetOnProgress(bool),
    /// Whether tools are listed whenever the server says that their list has changed.
    ListOnChange(bool),
    /// Whether the session is left to itself at the end, where that can be said.
    NoDelete,
}

impl Script {
    /// Reads a script. A step that cannot be read is one that fails when it is played.
    #[must_use]
    pub fn parse(text: &str) -> Self {
        Self(divide(text).map(|step| (step.to_owned(), Step::parse(step))).collect())
    }

    /// The steps, each with its text.
    #[must_use]
    pub fn steps(&self) -> &[(String, Step)] {
        &self.0
    }
}

impl Step {
    fn parse(text: &str) -> Self {
        let (name, rest) = match text.split_once(':') {
            Some((name, rest)) => (name, Some(rest)),
            None => (text, None),
        };
        match (name, rest) {
            ("list", None) => Self::List,
            ("call", Some(rest)) => named(rest, |name, arguments| Self::Call(Call { name, arguments })),
            ("start", Some(rest)) => named(rest, |name, arguments| Self::Start(Call { name, arguments })),
            ("wait", None) => Self::Wait,
            ("forget", None) => Self::Forget,
            ("read", Some(uri)) => Self::Read(uri.to_owned()),
            ("prompt", Some(name)) => Self::Prompt(name.to_owned()),
            ("request", Some(rest)) => named(rest, Self::Request),
            ("notify", Some(method)) => Self::Notify(method.to_owned()),
            ("sleep", Some(millis)) => number(millis, Self::Sleep),
            ("progress", None) => Self::Progress,
            ("set", Some(rest)) => setting(rest),
            ("close", None) => Self::Close,
            ("close_twice", None) => Self::CloseTwice,
            ("drop", None) => Self::Drop,
            _ => Self::Unknown,
        }
    }
}

/// A name, and after a colon perhaps a JSON object.
fn named(text: &str, step: impl FnOnce(String, Option<Map<String, Value>>) -> Step) -> Step {
    // A name may hold colons; an object begins with a brace.
    let Some((name, object)) = text.split_once(":{") else { return step(text.to_owned(), None) };
    match serde_json::from_str(&format!("{{{object}")) {
        Ok(object) => step(name.to_owned(), Some(object)),
        Err(error) => Step::Malformed(error.to_string()),
    }
}

fn number(text: &str, step: impl FnOnce(u64) -> Step) -> Step {
    text.parse().map_or_else(|error| Step::Malformed(format!("{text}: {error}")), step)
}

fn setting(text: &str) -> Step {
    match text.split_once('=') {
        Some(("timeout_ms", millis)) => number(millis, |millis| Step::Set(Setting::Timeout(millis))),
        Some(("max_time_ms", millis)) => number(millis, |millis| Step::Set(Setting::MaxTime(millis))),
        Some(("reset_on_progress", flag)) => Step::Set(Setting::ResetOnProgress(flag == "1")),
        Some(("on_list_changed", what)) => Step::Set(Setting::ListOnChange(what == "list")),
        Some(("no_delete", "1")) => Step::Set(Setting::NoDelete),
        _ => Step::Unknown,
    }
}

fn divide(text: &str) -> impl Iterator<Item = &str> {
    let mut depth = 0_u32;
    let divides = move |character: char| {
        match character {
            '{' | '[' => depth += 1,
            '}' | ']' => depth = depth.saturating_sub(1),
            _ => {}
        }
        character == ',' && depth == 0
    };
    text.split(divides).map(str::trim).filter(|step| !step.is_empty())
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn steps(text: &str) -> Vec<Step> {
        Script::parse(text).0.into_iter().map(|(_, step)| step).collect()
    }

    fn call(name: &str, arguments: &Value) -> Call {
        Call { name: name.to_owned(), arguments: arguments.as_object().cloned() }
    }

    #[test]
    fn the_default_lists_calls_and_closes() {
        let echo = call("echo", &json!({"text": "x"}));
        assert_eq!(steps(DEFAULT), [Step::List, Step::Call(echo), Step::Close]);
    }

    #[test]
    fn commas_inside_brackets_divide_nothing() {
        let a = call("a", &json!({"b": [1, {"c": 2, "d": 3}], "e": "x,y"}));
        assert_eq!(steps(r#"start:a:{"b":[1,{"c":2,"d":3}],"e":"x,y"},wait"#), [Step::Start(a), Step::Wait]);
    }

    #[test]
    fn colons_belong_to_names_and_uris() {
        assert_eq!(steps("read:test://static-text"), [Step::Read("test://static-text".to_owned())]);
        assert_eq!(steps("call:a:b"), [Step::Call(call("a:b", &Value::Null))]);
        assert_eq!(steps(r#"call:a:b:{"c":1}"#), [Step::Call(call("a:b", &json!({"c": 1})))]);
    }

    #[test]
    fn settings_are_read() {
        let text = "set:timeout_ms=250,set:reset_on_progress=1,set:on_list_changed=list,set:no_delete=1";
        let settings =
            [Setting::Timeout(250), Setting::ResetOnProgress(true), Setting::ListOnChange(true), Setting::NoDelete];
        assert_eq!(steps(text), settings.map(Step::Set));
    }

    #[test]
    fn what_is_not_known_is_told_apart_from_what_cannot_be_read() {
        assert_eq!(steps("dance,set:mood=1,close:now"), [Step::Unknown, Step::Unknown, Step::Unknown]);
        for text in ["call:a:{b}", "sleep:soon", "set:timeout_ms=-1"] {
            assert!(matches!(steps(text).as_slice(), [Step::Malformed(_)]), "{text}");
        }
    }

    #[test]
    fn empty_steps_are_none() {
        assert_eq!(steps(" list , ,close,"), [Step::List, Step::Close]);
        assert_eq!(steps(""), []);
    }
}
