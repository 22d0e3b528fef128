//! A child that ends by itself.

use std::io::ErrorKind;
use std::time::{Duration, Instant};

use mcp_session::limits::Limits;

use crate::support::{SOON, Said, Wire, runs, sh, state, within};

#[tokio::test]
async fn a_child_that_is_killed_ends_the_input_at_once_and_says_so() {
    let mut wire = Wire::to(&sh("read line; kill -9 $$"));
    let start = Instant::now();
    wire.send("{}").await;
    assert_eq!(wire.next().await, Said::Ended);
    assert!(start.elapsed() < SOON, "{:?}", start.elapsed());
    let cause = wire.cause().unwrap();
    assert_eq!((cause.signal(), cause.code(), cause.success()), (Some(9), None, false));
    assert_eq!(cause.to_string(), "`sh` was killed by signal 9 (SIGKILL)");
    assert_eq!(wire.next().await, Said::Ended);
}

#[tokio::test]
async fn a_child_that_cannot_start_working_leaves_its_status_and_its_last_words() {
    let mut wire = Wire::to(&sh("echo looking >&2; printf 'no configuration' >&2; exit 3"));
    assert_eq!(wire.next().await, Said::Ended);
    let cause = wire.cause().unwrap();
    assert_eq!(cause.code(), Some(3));
    assert_eq!(cause.stderr(), "looking\nno configuration\n");
    assert_eq!(cause.to_string(), "`sh` exited with status 3: no configuration");
    assert_eq!(cause.program(), "sh");
}

#[tokio::test]
async fn the_last_words_are_known_however_much_was_said_before() {
    let script = r"head -c 60000 /dev/zero | tr '\0' '\n' >&2; echo last >&2; exit 1";
    let mut wire = Wire::to(&sh(script));
    assert_eq!(wire.next().await, Said::Ended);
    assert_eq!(wire.cause().unwrap().to_string(), "`sh` exited with status 1: last");
}

#[tokio::test]
async fn what_was_said_before_the_exit_is_heard() {
    let mut wire = Wire::to(&sh(r#"echo '{"a":1}'; printf '{"b":2}'"#));
    assert_eq!(wire.next().await, Said::Frame(r#"{"a":1}"#.to_owned()));
    assert_eq!(wire.next().await, Said::Tail(r#"{"b":2}"#.to_owned()));
    assert_eq!(wire.next().await, Said::Ended);
    assert!(wire.cause().unwrap().success());
}

#[tokio::test]
async fn a_child_that_closes_its_output_and_lives_on_is_waited_for_only_a_moment() {
    let mut limits = Limits::default();
    limits.exit_status = Duration::from_millis(20);
    let mut wire = Wire::to(&sh("exec >&-; read line").limits(&limits));
    assert_eq!(wire.next().await, Said::Ended);
    let cause = wire.cause().unwrap();
    assert_eq!(cause.status(), None);
    assert_eq!(cause.to_string(), "`sh` closed its output");
    wire.end().await;
}

#[tokio::test]
async fn nothing_is_known_of_the_end_before_it() {
    let mut wire = Wire::to(&sh(r#"echo '{}'; read line; exit 1"#));
    wire.next().await;
    assert!(wire.cause().is_none());
    assert!(!wire.process.has_exited());
    assert_eq!(wire.process.exit_status(), None);
    assert_eq!(wire.end().await.0.code(), Some(1));
    assert!(wire.process.has_exited());
}

#[tokio::test]
async fn a_write_to_a_child_that_has_exited_fails_when_it_can_be_said_how() {
    for _ in 0..20 {
        let mut wire = Wire::to(&sh("exec <&-; echo '{}'; exit 8"));
        wire.next().await;
        assert_eq!(wire.try_send("{}").await.unwrap_err().kind(), ErrorKind::BrokenPipe);
        assert_eq!(wire.cause().unwrap().code(), Some(8));
    }
}

#[tokio::test]
async fn a_child_that_closes_its_input_and_lives_on_is_waited_for_only_a_moment() {
    let mut limits = Limits::default();
    limits.exit_status = Duration::from_millis(20);
    let mut wire = Wire::to(&sh("exec <&-; echo '{}'; sleep 600").limits(&limits));
    wire.next().await;
    assert_eq!(wire.try_send("{}").await.unwrap_err().kind(), ErrorKind::BrokenPipe);
    assert!(wire.cause().is_none());
    wire.process.kill();
    within(wire.process.ended()).await;
}

#[tokio::test]
async fn a_child_that_exited_is_no_zombie_while_its_connection_is_kept() {
    let wire = Wire::to(&sh("exit 5"));
    assert_eq!(within(wire.process.wait()).await.code(), Some(5));
    assert_eq!(state(wire.process.id()), None);
    assert_eq!(wire.process.exit_status().unwrap().code(), Some(5));
    within(wire.process.ended()).await;
}

#[tokio::test]
async fn a_descendant_that_holds_the_output_silently_counts_as_gone_and_is_killed() {
    let mut limits = Limits::default();
    limits.descendant = Duration::from_millis(500);
    let mut wire = Wire::to(&sh(r#"sleep 600 & echo '[{"n":'$!'}]'; exit 0"#).limits(&limits));
    let descendant = wire.number().await;
    within(wire.process.wait()).await;
    let start = Instant::now();
    let Said::Gone(error) = wire.next().await else { panic!("the peer is not gone") };
    assert!(error.contains("`sh` has exited"), "{error}");
    assert!(start.elapsed() >= Duration::from_millis(450), "{:?}", start.elapsed());
    assert_eq!(wire.cause().unwrap().code(), Some(0));
    within(wire.process.ended()).await;
    assert!(!runs(descendant));
    assert_eq!(wire.next().await, Said::Ended);
}

#[tokio::test]
async fn a_descendant_that_goes_on_speaking_is_heard_to_its_end() {
    let mut limits = Limits::default();
    limits.descendant = Duration::from_secs(2);
    let script = r#"exec 3<&0; (while read line <&3; do echo "$line"; done; echo '{"last":1}') & exit 0"#;
    let mut wire = Wire::to(&sh(script).limits(&limits));
    within(wire.process.wait()).await;
    let start = Instant::now();
    while start.elapsed() < Duration::from_millis(2500) {
        tokio::time::sleep(Duration::from_millis(250)).await; // tidy: waits for more than the grace altogether
        let line = format!(r#"{{"at":{}}}"#, start.elapsed().as_millis());
        wire.send(&line).await;
        assert_eq!(wire.next().await, Said::Frame(line));
    }
    wire.close().await;
    // It has until SIGTERM comes, which is at once: whether its last line is there is its luck.
    let mut said = wire.next().await;
    if said == Said::Frame(r#"{"last":1}"#.to_owned()) {
        said = wire.next().await;
    }
    assert_eq!(said, Said::Ended);
    within(wire.process.ended()).await;
}

#[tokio::test]
async fn a_child_can_be_killed() {
    let wire = Wire::to(&sh("trap '' TERM; while :; do sleep 600; done"));
    wire.process.kill();
    wire.process.kill();
    assert_eq!(within(wire.process.wait()).await.signal(), Some(9));
    within(wire.process.ended()).await;
}
