//! What our client says to a server, and what must come back.

use serde_json::Value;

/// One step of the client's script, and what its line must say.
#[derive(Debug)]
pub(super) struct Step {
    pub(super) says: &'static str,
    expects: Expected,
}

#[derive(Debug)]
enum Expected {
    /// It succeeds, and this JSON pointer leads to this JSON.
    Is(&'static str, &'static str),
    /// It succeeds, and this JSON pointer leads to a text that has this in it.
    Has(&'static str, &'static str),
    /// It succeeds, and this JSON pointer leads to an array with members of these names.
    Names(&'static str, &'static [&'static str]),
    /// It succeeds.
    Succeeds,
    /// It fails, with this code of the server's.
    Fails(i64),
    /// It fails, and not by an error of the server's.
    GivesUp,
}

pub(super) const fn is(says: &'static str, at: &'static str, json: &'static str) -> Step {
    Step { says, expects: Expected::Is(at, json) }
}

pub(super) const fn has(says: &'static str, at: &'static str, text: &'static str) -> Step {
    Step { says, expects: Expected::Has(at, text) }
}

pub(super) const fn names(says: &'static str, at: &'static str, names: &'static [&'static str]) -> Step {
    Step { says, expects: Expected::Names(at, names) }
}

pub(super) const fn succeeds(says: &'static str) -> Step {
    Step { says, expects: Expected::Succeeds }
}

pub(super) const fn fails(says: &'static str, code: i64) -> Step {
    Step { says, expects: Expected::Fails(code) }
}

pub(super) const fn gives_up(says: &'static str) -> Step {
    Step { says, expects: Expected::GivesUp }
}

/// The script of a conversation, with `$FOLDER` in it replaced.
pub(super) fn script(steps: &[Step], folder: &str) -> String {
    let steps: Vec<_> = steps.iter().filter(|step| step.says != "connect").map(|step| step.says).collect();
    steps.join(",").replace("$FOLDER", folder)
}

/// What a step came to: what was seen, or what is wrong with it.
pub(super) fn check(step: &Step, lines: &[Value], folder: &str) -> Result<String, String> {
    let says = step.says.replace("$FOLDER", folder);
    let line = lines.iter().find(|line| line["step"] == *says).ok_or("the client printed no line for it")?;
    let at = |pointer: &str| line["result"].pointer(pointer).unwrap_or(&Value::Null);
    let seen = shortened(if line["ok"] == true { &line["result"] } else { &line["error"] });
    let (holds, seen) = match &step.expects {
        Expected::Fails(code) => (line["ok"] == false && line["error"]["code"] == *code, seen),
        Expected::GivesUp => (line["ok"] == false && line["error"].get("code").is_none(), seen),
        _ if line["ok"] != true => (false, seen),
        Expected::Succeeds => (true, seen),
        Expected::Is(pointer, json) => {
            let expected: Value = serde_json::from_str(json).map_err(|error| error.to_string())?;
            (*at(pointer) == expected, shortened(at(pointer)))
        }
        Expected::Has(pointer, text) => {
            (at(pointer).as_str().is_some_and(|found| found.contains(text)), shortened(at(pointer)))
        }
        Expected::Names(pointer, names) => {
            let listed = at(pointer).as_array().map(Vec::as_slice).unwrap_or_default();
            let has = |name: &&str| listed.iter().any(|one| one["name"] == **name);
            (names.iter().all(has), format!("{} of them", listed.len()))
        }
    };
    if holds { Ok(seen) } else { Err(format!("expected {:?}, found {seen}", step.expects)) }
}

fn shortened(value: &Value) -> String {
    const LONGEST: usize = 120;
    let text = value.to_string();
    match text.char_indices().nth(LONGEST) {
        Some((at, _)) => format!("{}…", &text[..at]),
        None => text,
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn what_was_expected_is_compared_with_what_came() {
        let lines = [
            json!({"step": "call:add:{}", "ok": true, "result": {"content": [{"type": "text", "text": "the sum is 3"}]}}),
            json!({"step": "call:nope", "ok": false, "error": {"code": -32602, "message": "unknown"}}),
            json!({"step": "list", "ok": true, "result": {"tools": [{"name": "add"}]}}),
        ];
        let holds = |step: Step| check(&step, &lines, "").is_ok();
        assert!(holds(has("call:add:{}", "/content/0/text", "is 3")));
        assert!(!holds(has("call:add:{}", "/content/0/text", "is 4")));
        assert!(holds(is("call:add:{}", "/content/0/type", "\"text\"")));
        assert!(!holds(is("call:add:{}", "/content/1/type", "\"text\"")));
        assert!(holds(fails("call:nope", -32602)));
        assert!(!holds(fails("call:nope", -32601)));
        assert!(!holds(succeeds("call:nope")));
        assert!(!holds(fails("call:add:{}", -32602)));
        assert!(holds(names("list", "/tools", &["add"])));
        assert!(!holds(names("list", "/tools", &["add", "echo"])));
        assert!(!holds(succeeds("close")), "a step without a line has not held");
    }

    #[test]
    fn a_script_is_all_steps_but_the_first_line() {
        let steps = [succeeds("connect"), succeeds("list"), succeeds("call:a:{\"path\":\"$FOLDER/x\"}")];
        assert_eq!(script(&steps, "/tmp/f"), "list,call:a:{\"path\":\"/tmp/f/x\"}");
    }
}
