//! Who is told of what changes, and when.

use std::collections::{BTreeMap, BTreeSet};
use std::time::Duration;

use mcp_session::engine::{CallSpec, Change, Frame, Input, Origin};
use proptest::prelude::*;

use crate::closing_table::scenarios;
use crate::support::{Fixture, PIPE, client, limited, server};

scenarios! {
    C39 a_listen_beyond_the_subscriptions_is_refused(limited(server(), |limits| limits.subscriptions = 2), handshaken) |f| {
        f.listen_for(1, &["a", "b"])?;
        f.says("write x0")?;
        f.listen_for(2, &["a"])?;
        f.says("Answered, x0 ← refused 2 Overloaded")?;
        f.updated("a");
        f.says("x0 ← updated 1 a")?;
        // What one gives back another may have.
        f.peer_cancels(1);
        f.listen_for(3, &["a"])?;
        f.says("write x0")?;
        f.holds("it was counted as refused", f.engine.tally().refused == 1)
    }

    S6 what_a_subscription_of_ours_is_told_belongs_to_its_call(client(), handshaken) |f| {
        let call = f.sent_call()?;
        f.feed(Input::Frame(PIPE, Frame::Subscribed { call: Some(call) }));
        f.says("deliver subscribed c1")?;
        f.response(call);
        f.feed(Input::Frame(PIPE, Frame::Subscribed { call: Some(call) }));
        f.says("dropped UnknownSubscription")?;
        f.feed(Input::Frame(PIPE, Frame::Subscribed { call: None }));
        f.says("dropped UnknownSubscription")
    }

    C10 the_peer_ends_a_listen_of_ours(client(), handshaken) |f| {
        let mut spec = CallSpec::new(Origin::Own);
        spec.listens = true;
        let listen = f.call_with(spec).ok_or("no call")?;
        f.sent(listen);
        f.peer_cancels(1);
        f.says("settle c1 endedbypeer")?;
        // What comes for it afterwards is late.
        f.response(listen);
        f.says("dropped UnknownResponse")?;
        f.peer_cancels(1);
        f.says("dropped LateCancel")
    }

    C22 the_peer_cancels_a_call_of_ours_that_is_no_listen(client(), handshaken) |f| {
        let call = f.sent_call()?;
        f.peer_cancels(1);
        f.says("dropped LateCancel")?;
        f.response(call);
        f.says("settle c1 answered")
    }

    C22 the_peer_cancels_a_listen_of_ours_that_it_cannot_know_of(client(), handshaken) |f| {
        let mut spec = CallSpec::new(Origin::Own);
        spec.listens = true;
        let listen = f.call_with(spec).ok_or("no call")?;
        f.peer_cancels(1);
        f.says("dropped LateCancel")?;
        f.sent(listen);
        f.peer_cancels(1);
        f.says("settle c1 endedbypeer")
    }

    C19 what_was_not_told_when_a_listen_ends_is_not_told(server(), handshaken) |f| {
        f.listen_for(1, &["a"])?;
        f.engine.subscribe("a").map_err(|error| error.to_string())?;
        f.request(2);
        f.feed(Input::WriteBlocked);
        f.updated("a");
        f.read_ends();
        f.says("x0 ← listen end 1")?;
        f.updated("a");
        f.feed(Input::WriteReady);
        f.says("x0 ← updated a")?;
        f.finish(2)?;
        f.says("write x0, close x0")?;
        f.updated("a");
        f.says("")
    }
}

#[test]
fn what_a_subscription_is_told_restarts_its_idle_limit() {
    let mut f = Fixture::handshaken(client());
    let mut spec = CallSpec::new(Origin::Own);
    spec.idle = Some(Duration::from_secs(60));
    let call = f.call_with(spec).unwrap();
    f.passes(Duration::from_secs(50));
    f.feed(Input::Frame(PIPE, Frame::Subscribed { call: Some(call) }));
    f.timeout().unwrap();
    f.says("").unwrap();
    assert_eq!(f.due_in(), Some(Duration::from_secs(50)));
}

#[test]
fn until_it_is_told_something_a_subscription_has_another_idle_limit() {
    for later in [None, Some(Duration::from_secs(60))] {
        let mut spec = CallSpec::new(Origin::Own);
        (spec.listens, spec.first, spec.idle) = (true, Some(Duration::from_secs(10)), later);
        // Nothing comes.
        let mut f = Fixture::handshaken(client());
        let call = f.call_with(spec).unwrap();
        f.sent(call);
        assert_eq!(f.due_in(), Some(Duration::from_secs(10)));
        f.passes(Duration::from_secs(10));
        f.timeout().unwrap();
        f.says("x0 ← cancel c1, settle c1 idle").unwrap();
        // Something comes: that something else does not count.
        let mut f = Fixture::handshaken(client());
        let (call, other) = (f.call_with(spec).unwrap(), f.call_with(CallSpec::new(Origin::Own)).unwrap());
        f.passes(Duration::from_secs(9));
        f.feed(Input::Frame(PIPE, Frame::Progress { call: Some(other), progress: None }));
        assert_eq!(f.due_in(), Some(Duration::from_secs(1)));
        f.feed(Input::Frame(PIPE, Frame::Subscribed { call: Some(call) }));
        f.passes(Duration::from_secs(1));
        f.timeout().unwrap();
        f.says("").unwrap();
        assert_eq!(f.due_in(), later.map(|later| later - Duration::from_secs(1)));
    }
}

#[test]
fn each_listen_is_told_of_the_resources_that_it_named() {
    let mut f = Fixture::handshaken(server());
    f.listen_for(1, &["a", "b", "a"]).unwrap();
    f.listen_for(2, &["b"]).unwrap();
    f.updated("a");
    f.says("x0 ← updated 1 a").unwrap();
    f.updated("b");
    f.says("x0 ← updated 1 b, x0 ← updated 2 b").unwrap();
    f.updated("c");
    f.says("").unwrap();
    f.changed(Change::Resources);
    f.says("x0 ← changed Resources").unwrap();
}

#[test]
fn a_legacy_session_is_told_of_the_resources_that_it_subscribed_to() {
    let mut f = Fixture::handshaken(server());
    f.updated("a");
    f.says("").unwrap();
    f.engine.subscribe("a").unwrap();
    f.engine.subscribe("a").unwrap();
    f.updated("a");
    f.says("x0 ← updated a").unwrap();
    f.engine.unsubscribe("a");
    f.engine.unsubscribe("a");
    f.updated("a");
    f.says("").unwrap();
}

#[test]
fn a_change_that_was_not_told_before_the_unsubscribe_is_not_told() {
    let mut f = Fixture::handshaken(server());
    f.engine.subscribe("a").unwrap();
    f.engine.subscribe("b").unwrap();
    f.feed(Input::WriteBlocked);
    f.updated("a");
    f.updated("b");
    f.engine.unsubscribe("a");
    f.feed(Input::WriteReady);
    f.says("x0 ← updated b").unwrap();
}

#[test]
fn changes_of_one_resource_coalesce_while_writing_is_blocked() {
    let mut f = Fixture::handshaken(server());
    f.listen_for(1, &["a", "b"]).unwrap();
    f.engine.subscribe("a").unwrap();
    f.feed(Input::WriteBlocked);
    for uri in ["b", "a", "b", "a"] {
        f.updated(uri);
        f.says("").unwrap();
    }
    f.feed(Input::WriteReady);
    f.says("x0 ← updated 1 a, x0 ← updated 1 b, x0 ← updated a").unwrap();
    f.updated("a");
    f.says("x0 ← updated 1 a, x0 ← updated a").unwrap();
}

#[test]
fn subscriptions_of_both_eras_count_together() {
    let mut f = Fixture::handshaken(limited(server(), |limits| limits.subscriptions = 2));
    f.listen_for(1, &["a"]).unwrap();
    f.engine.subscribe("a").unwrap();
    let refused = f.engine.subscribe("b").unwrap_err();
    assert_eq!(refused.limit, 2);
    f.engine.subscribe("a").unwrap();
    f.engine.unsubscribe("never");
    assert!(f.engine.subscribe("b").is_err());
    f.peer_cancels(1);
    f.engine.subscribe("b").unwrap();
}

#[test]
fn a_listen_that_the_peer_cancelled_is_told_nothing() {
    let mut f = Fixture::handshaken(server());
    f.listen_for(1, &["a"]).unwrap();
    f.peer_cancels(1);
    f.updated("a");
    f.says("").unwrap();
}

#[test]
fn a_session_without_a_handshake_is_told_nothing_outside_its_listens() {
    let mut f = Fixture::fresh(server());
    f.listen_for(1, &["a"]).unwrap();
    f.updated("a");
    f.says("x0 ← updated 1 a").unwrap();
    let mut f = Fixture::handshaken(client());
    f.updated("a");
    f.says("").unwrap();
}

/// Something that happens around subscriptions; resources and listens are few, so that they meet.
#[derive(Clone, Copy, Debug)]
enum Step {
    Listen(i64, u8),
    Cancel(i64),
    Subscribe(usize),
    Unsubscribe(usize),
    Updated(usize),
    Blocked,
    Ready,
}

const URIS: [&str; 3] = ["a", "b", "c"];

fn steps() -> impl Strategy<Value = Vec<Step>> {
    let step = prop_oneof![
        (1..4_i64, 0..8_u8).prop_map(|(id, uris)| Step::Listen(id, uris)),
        (1..4_i64).prop_map(Step::Cancel),
        (0..3_usize).prop_map(Step::Subscribe),
        (0..3_usize).prop_map(Step::Unsubscribe),
        (0..3_usize).prop_map(Step::Updated),
        Just(Step::Blocked),
        Just(Step::Ready),
    ];
    proptest::collection::vec(step, 0..40)
}

/// Who wants what, and what they have not been told: the session of the handshake under the id 0.
#[derive(Default)]
struct Model {
    wants: BTreeMap<i64, BTreeSet<&'static str>>,
    untold: BTreeSet<(i64, &'static str)>,
    blocked: bool,
}

impl Model {
    fn count(&self) -> usize {
        self.wants.values().map(BTreeSet::len).sum()
    }

    /// What is said, when something can be.
    fn says(&mut self) -> BTreeSet<String> {
        if self.blocked {
            return BTreeSet::new();
        }
        let told = std::mem::take(&mut self.untold).into_iter();
        told.map(|(id, uri)| if id == 0 { format!("x0 ← updated {uri}") } else { format!("x0 ← updated {id} {uri}") })
            .collect()
    }
}

proptest! {
    #[test]
    fn whoever_subscribed_is_told_once(steps in steps()) {
        const LIMIT: usize = 4;
        let mut f = Fixture::handshaken(limited(server(), |limits| limits.subscriptions = LIMIT));
        let mut model = Model::default();
        for step in steps {
            f.step.clear();
            match step {
                Step::Listen(id, _) if model.wants.contains_key(&id) => continue,
                Step::Listen(id, bits) => {
                    let uris: BTreeSet<_> = (0..3).filter(|at| bits & (1 << at) != 0).map(|at| URIS[at]).collect();
                    let is_refused = model.count() + uris.len() > LIMIT;
                    f.listen_for(id, &uris.iter().copied().collect::<Vec<_>>()).unwrap();
                    prop_assert_eq!(f.said().contains("refused"), is_refused);
                    if !is_refused {
                        model.wants.insert(id, uris);
                    }
                    continue;
                }
                Step::Cancel(id) => {
                    f.peer_cancels(id);
                    model.wants.remove(&id);
                    model.untold.retain(|(who, _)| *who != id);
                    continue;
                }
                Step::Subscribe(at) => {
                    let has_room = model.count() < LIMIT;
                    let mine = model.wants.entry(0).or_default();
                    let is_fine = has_room || mine.contains(URIS[at]);
                    if is_fine {
                        mine.insert(URIS[at]);
                    }
                    prop_assert_eq!(f.engine.subscribe(URIS[at]).is_ok(), is_fine);
                }
                Step::Unsubscribe(at) => {
                    f.engine.unsubscribe(URIS[at]);
                    model.wants.entry(0).or_default().remove(URIS[at]);
                    model.untold.remove(&(0, URIS[at]));
                }
                Step::Updated(at) => {
                    f.updated(URIS[at]);
                    let told = model.wants.iter().filter(|(_, uris)| uris.contains(URIS[at]));
                    model.untold.extend(told.map(|(id, _)| (*id, URIS[at])));
                }
                Step::Blocked => {
                    f.feed(Input::WriteBlocked);
                    model.blocked = true;
                }
                Step::Ready => {
                    f.feed(Input::WriteReady);
                    model.blocked = false;
                }
            }
            let said: Vec<_> = f.step.iter().map(|said| f.words(said)).collect();
            prop_assert_eq!(said.iter().cloned().collect::<BTreeSet<_>>().len(), said.len(), "said twice");
            prop_assert_eq!(said.into_iter().collect::<BTreeSet<_>>(), model.says());
            prop_assert!(f.is_sound().is_ok());
        }
    }
}
