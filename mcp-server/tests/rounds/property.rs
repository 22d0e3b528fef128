//! A handler that was written once does the same in both eras, whatever it asks and whatever it is answered.

use std::collections::HashMap;
use std::fmt::Write as _;
use std::pin::Pin;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use mcp_server::{AskError, Context, Limits, Server};
use mcp_types::sampling::{CreateMessageParams, SamplingMessage};
use proptest::collection::vec;
use proptest::prelude::*;
use proptest::test_runner::{Config, TestRunner};
use serde_json::{Value, json};

use crate::questions::Person;
use crate::support::{Client, text};

/// One thing that a handler does.
#[derive(Clone, Debug)]
enum Step {
    Ask(Kind, Answer),
    /// Several questions at once, and a step beside them.
    Join(Vec<(Kind, Answer)>, bool),
    Once,
    /// A step that is not ready at once.
    SlowOnce,
    /// Goes on in one way or the other, by what the user answers.
    Branch(Answer, Vec<Self>, Vec<Self>),
    /// Asks by a key that is taken.
    Twice,
    Yield,
}

#[derive(Clone, Copy, Debug)]
enum Kind {
    Form,
    Page,
    Sample,
    Roots,
}

#[derive(Clone, Copy, Debug)]
enum Answer {
    Accept(u8),
    Decline,
    Cancel,
    Misfit,
}

impl Answer {
    /// The result that a client sends for a question of this kind.
    fn to(self, kind: Kind) -> Value {
        let action = match self {
            Self::Accept(_) | Self::Misfit => "accept",
            Self::Decline => "decline",
            Self::Cancel => "cancel",
        };
        match (kind, self) {
            (Kind::Form, Self::Accept(n)) => json!({"action": action, "content": {"name": n.to_string()}}),
            (Kind::Form | Kind::Page, _) => json!({"action": action}),
            (Kind::Sample, Self::Accept(n)) => {
                json!({"role": "assistant", "content": {"type": "text", "text": n.to_string()}, "model": "m"})
            }
            (Kind::Sample, _) => json!({"role": "user", "content": [], "model": "none"}),
            // A request for roots has no place for a key, by which a legacy client could tell which one it is.
            (Kind::Roots, _) => json!({"roots": [{"uri": "file:///r"}]}),
        }
    }
}

/// What was reached, over all runs.
#[derive(Debug, Default)]
struct Reached {
    kinds: [AtomicUsize; 4],
    answers: [AtomicUsize; 3],
    joins: AtomicUsize,
    joined_steps: AtomicUsize,
    steps: AtomicUsize,
    slow_steps: AtomicUsize,
    branches: [AtomicUsize; 2],
    twice: AtomicUsize,
    yields: AtomicUsize,
    misfits: AtomicUsize,
    rounds: [AtomicUsize; 3],
}

fn count(counter: &AtomicUsize) {
    counter.fetch_add(1, Ordering::Relaxed);
}

/// One run of a script by a handler.
struct Player {
    ctx: Context,
    reached: Arc<Reached>,
    /// How often a step was done to its end.
    done: Arc<AtomicUsize>,
}

impl Player {
    async fn ask(&self, kind: Kind, key: &str) -> Result<String, AskError> {
        count(&self.reached.kinds[kind as usize]);
        Ok(match kind {
            Kind::Form => match self.ctx.elicit::<Person>(key, key).await? {
                mcp_server::Elicited::Accepted(person) => person.name,
                other => other.action().to_owned(),
            },
            Kind::Page => self.ctx.elicit_url(key, key, "https://a.example").await?.action().to_owned(),
            Kind::Sample => {
                let params = CreateMessageParams::new(vec![SamplingMessage::user(key)], 1);
                let told = self.ctx.sample(key, params).await?;
                format!("{} {}", told.model, told.as_text().unwrap_or_default())
            }
            Kind::Roots => self.ctx.roots(key).await?.into_iter().map(|root| root.uri).collect(),
        })
    }

    async fn step(&self, key: String, is_slow: bool) -> Result<String, AskError> {
        let step = async {
            if is_slow {
                tokio::task::yield_now().await;
            }
            count(&self.done);
            format!("step {key}")
        };
        self.ctx.once(key.clone(), step).await
    }

    fn play<'a>(
        &'a self,
        script: &'a [Step],
        path: String,
        log: &'a mut String,
    ) -> Pin<Box<dyn Future<Output = Result<(), AskError>> + Send + 'a>> {
        Box::pin(async move {
            for (at, step) in script.iter().enumerate() {
                let key = format!("{path}/{at}");
                match step {
                    Step::Ask(kind, _) => {
                        let answer = self.ask(*kind, &key).await?;
                        writeln!(log, "{key} {answer}").unwrap();
                    }
                    Step::Join(asked, beside) => {
                        count(&self.reached.joins);
                        let all = asked.iter().enumerate().map(|(n, (kind, _))| {
                            let key = format!("{key}+{n}");
                            async move { self.ask(*kind, &key).await }
                        });
                        let beside = async {
                            if *beside {
                                count(&self.reached.joined_steps);
                                return self.step(format!("{key}+step"), true).await;
                            }
                            Ok(String::new())
                        };
                        let (answers, step) = tokio::join!(join_all(all), beside);
                        for answer in answers {
                            writeln!(log, "{key} {}", answer?).unwrap();
                        }
                        writeln!(log, "{key} {}", step?).unwrap();
                    }
                    Step::Once | Step::SlowOnce => {
                        let is_slow = matches!(step, Step::SlowOnce);
                        count(if is_slow { &self.reached.slow_steps } else { &self.reached.steps });
                        writeln!(log, "{}", self.step(key, is_slow).await?).unwrap();
                    }
                    Step::Branch(_, then, otherwise) => {
                        let answer = self.ask(Kind::Form, &key).await?;
                        let is_number = answer.parse::<u8>().is_ok();
                        count(&self.reached.branches[usize::from(is_number)]);
                        let (way, taken) = if is_number { ("then", then) } else { ("else", otherwise) };
                        writeln!(log, "{key} {way}").unwrap();
                        self.play(taken, format!("{key}/{way}"), log).await?;
                    }
                    Step::Twice => {
                        count(&self.reached.twice);
                        self.ctx.once(&*key, async { 1 }).await?;
                        let error = self.ctx.roots(&*key).await.unwrap_err();
                        writeln!(log, "{error}").unwrap();
                    }
                    Step::Yield => {
                        count(&self.reached.yields);
                        tokio::task::yield_now().await;
                    }
                }
            }
            Ok(())
        })
    }
}

/// Polls all in their order until all are ready.
async fn join_all<F: Future>(futures: impl Iterator<Item = F>) -> Vec<F::Output> {
    let mut futures: Vec<_> = futures.map(|future| (Box::pin(future), None)).collect();
    std::future::poll_fn(|cx| {
        for (future, output) in &mut futures {
            if output.is_none()
                && let std::task::Poll::Ready(value) = future.as_mut().poll(cx)
            {
                *output = Some(value);
            }
        }
        if futures.iter().all(|(_, output)| output.is_some()) {
            std::task::Poll::Ready(())
        } else {
            std::task::Poll::Pending
        }
    })
    .await;
    futures.into_iter().filter_map(|(_, output)| output).collect()
}

/// The answers to all that a script may ask, by key.
fn answers(script: &[Step], path: &str, all: &mut HashMap<String, Value>) {
    for (at, step) in script.iter().enumerate() {
        let key = format!("{path}/{at}");
        match step {
            Step::Ask(kind, answer) => drop(all.insert(key, answer.to(*kind))),
            Step::Join(asked, _) => {
                let keyed = asked.iter().enumerate();
                all.extend(keyed.map(|(n, (kind, answer))| (format!("{key}+{n}"), answer.to(*kind))));
            }
            Step::Branch(answer, then, otherwise) => {
                answers(then, &format!("{key}/then"), all);
                answers(otherwise, &format!("{key}/else"), all);
                all.insert(key, answer.to(Kind::Form));
            }
            Step::Once | Step::SlowOnce | Step::Twice | Step::Yield => {}
        }
    }
}

/// How a call ended, with the parts that eras say differently made equal.
#[derive(Debug, PartialEq)]
enum End {
    Result(String),
    /// An answer did not fit: an error of the protocol in one era and of the tool in the other.
    Misfit(String),
}

impl End {
    fn of(answer: &Value) -> Self {
        match answer["message"].as_str() {
            Some(message) => Self::Misfit(message.to_owned()),
            None if answer["isError"] == true => Self::Misfit(text(answer).to_owned()),
            None => Self::Result(text(answer).to_owned()),
        }
    }
}

/// Plays a client that answers of each round `share` at least, and everything in the end.
async fn modern(server: &Server, all: &HashMap<String, Value>, share: usize) -> (End, usize) {
    let mut client = Client::modern(server);
    let mut answer = client.call("script").await;
    let mut rounds = 0;
    while answer["resultType"] == "input_required" {
        rounds += 1;
        let asked = answer["inputRequests"].as_object().unwrap();
        assert!(!asked.is_empty());
        let given = asked.keys().take(share).map(|key| (key.clone(), all[key].clone()));
        let given = Value::Object(given.collect());
        answer = client.retry("script", &answer.clone(), given).await;
    }
    (End::of(&answer), rounds)
}

async fn legacy(server: &Server, all: &HashMap<String, Value>) -> End {
    let mut client = Client::legacy(server).await;
    let call = client.request("tools/call", json!({"name": "script"})).await;
    loop {
        let message = client.recv().await;
        let params = &message["params"];
        let answer = match message["method"].as_str() {
            Some("elicitation/create") => all[params["message"].as_str().unwrap()].clone(),
            Some("sampling/createMessage") => all[params["messages"][0]["content"]["text"].as_str().unwrap()].clone(),
            Some("roots/list") => Answer::Decline.to(Kind::Roots),
            // What else was asked together with what did not fit is withdrawn.
            Some("notifications/cancelled") => continue,
            Some(other) => panic!("{other}"),
            None => {
                assert_eq!(message["id"], call);
                return End::of(message.get("result").or_else(|| message.get("error")).unwrap());
            }
        };
        client.respond(&message, answer).await;
    }
}

fn kind() -> impl Strategy<Value = Kind> {
    prop_oneof![Just(Kind::Form), Just(Kind::Page), Just(Kind::Sample), Just(Kind::Roots)]
}

fn answer() -> impl Strategy<Value = Answer> {
    prop_oneof![
        6 => any::<u8>().prop_map(Answer::Accept),
        2 => Just(Answer::Decline),
        2 => Just(Answer::Cancel),
        1 => Just(Answer::Misfit),
    ]
}

fn script() -> impl Strategy<Value = Vec<Step>> {
    let step = prop_oneof![
        4 => (kind(), answer()).prop_map(|(kind, answer)| Step::Ask(kind, answer)),
        3 => (vec((kind(), answer()), 0..4), any::<bool>()).prop_map(|(asked, beside)| Step::Join(asked, beside)),
        2 => Just(Step::Once),
        2 => Just(Step::SlowOnce),
        1 => Just(Step::Twice),
        1 => Just(Step::Yield),
    ];
    let step = step.prop_recursive(2, 12, 3, |step| {
        (answer(), vec(step.clone(), 0..3), vec(step, 0..3))
            .prop_map(|(answer, then, otherwise)| Step::Branch(answer, then, otherwise))
    });
    vec(step, 0..5)
}

fn server(script: &Arc<Vec<Step>>, reached: &Arc<Reached>, done: &Arc<AtomicUsize>) -> Server {
    let mut limits = Limits::default();
    limits.input_rounds = 1000;
    let (script, reached, done) = (Arc::clone(script), Arc::clone(reached), Arc::clone(done));
    let tool = move |ctx: Context| {
        let player = Player { ctx, reached: Arc::clone(&reached), done: Arc::clone(&done) };
        let script = Arc::clone(&script);
        async move {
            let mut log = String::new();
            player.play(&script, String::new(), &mut log).await?;
            Ok::<_, AskError>(log)
        }
    };
    Server::new("s", "1").with_limits(limits).tool("script", "", tool)
}

fn run(script: Vec<Step>, share: usize, reached: &Arc<Reached>) {
    let script = Arc::new(script);
    let mut all = HashMap::new();
    answers(&script, "", &mut all);
    let runtime = tokio::runtime::Builder::new_current_thread().enable_time().start_paused(true).build().unwrap();
    runtime.block_on(async {
        let done = [(); 2].map(|()| Arc::new(AtomicUsize::new(0)));
        let (in_rounds, rounds) = modern(&server(&script, reached, &done[0]), &all, share).await;
        let at_once = legacy(&server(&script, reached, &done[1]), &all).await;
        assert_eq!(in_rounds, at_once);
        if let End::Result(log) = &in_rounds {
            let [in_rounds, at_once] = done.map(|done| done.load(Ordering::Relaxed));
            assert_eq!(in_rounds, at_once, "steps are done once in all rounds");
            for (counter, word) in reached.answers.iter().zip(["accept", "decline", "cancel"]) {
                counter.fetch_add(log.matches(word).count(), Ordering::Relaxed);
            }
        } else {
            count(&reached.misfits);
        }
        count(&reached.rounds[rounds.min(2)]);
    });
}

#[test]
fn a_handler_does_the_same_in_both_eras() {
    let reached = Arc::new(Reached::default());
    let mut runner = TestRunner::new(Config { cases: 300, failure_persistence: None, ..Config::default() });
    let strategy = (script(), prop_oneof![Just(1), Just(2), Just(usize::MAX)]);
    let outcome = runner.run(&strategy, |(script, share)| {
        run(script, share, &reached);
        Ok(())
    });
    outcome.unwrap_or_else(|failure| panic!("{failure}"));
    let Reached { kinds, answers, joins, joined_steps, steps, slow_steps, branches, twice, yields, misfits, rounds } =
        &*reached;
    let single = [joins, joined_steps, steps, slow_steps, twice, yields, misfits];
    let counters = kinds.iter().chain(answers).chain(branches).chain(rounds).chain(single);
    assert!(counters.into_iter().all(|counter| counter.load(Ordering::Relaxed) > 0), "{reached:?}");
}
