//! Finding out what an unknown target offers, so that what it lacks is not held against it.

use std::{collections::HashSet, sync::Arc, time::Duration};

use serde_json::json;

use crate::{
    scenario::{Ctx, Era, Ledger, Need, Role, Stop},
    session::Session,
    target::{Offer, OpenOptions, Target},
};

/// What is known of a target: per era the names of its tools, or why there are none.
///
/// A target that answers in neither era is not excused from anything: its cells run and fail.
pub(super) struct Probed {
    eras: Vec<(Era, Result<HashSet<String>, String>)>,
}

impl Probed {
    pub(super) async fn of(target: &Arc<dyn Target>, patience: Duration) -> Self {
        let mut eras = Vec::new();
        if target.offer() == Offer::Unknown {
            for era in target.eras().iter().copied() {
                let found = match target.role() {
                    Role::Server => tools(target, era, patience).await,
                    Role::Client => connects(target, era, patience).await,
                };
                eras.push((era, found.map_err(|Stop(why)| why)));
            }
            if eras.iter().all(|(_, tools)| tools.is_err()) {
                eras.clear();
            }
        }
        Self { eras }
    }

    /// What the target lacks of this, in words.
    pub(super) fn lacks(&self, era: Era, needs: &[Need]) -> Option<String> {
        let (_, found) = self.eras.iter().find(|(one, _)| *one == era)?;
        match found {
            Err(why) => Some(format!("it does not speak the {era} era: {why}")),
            Ok(tools) => needs.iter().find_map(|need| match need {
                Need::Tool(name) if !tools.contains(*name) => Some(format!("the server has no tool `{name}`")),
                _ => None,
            }),
        }
    }
}

async fn tools(target: &Arc<dyn Target>, era: Era, patience: Duration) -> Result<HashSet<String>, Stop> {
    let ledger = Arc::new(Ledger::new());
    let ctx = Ctx::new(Arc::clone(target), era, ledger).with_patience(patience);
    let mut session = ctx.open().await?;
    let found = list(&mut session).await;
    session.finish().await;
    found
}

/// Whether a client connects in this era. It has no tools that could be missing.
async fn connects(target: &Arc<dyn Target>, era: Era, patience: Duration) -> Result<HashSet<String>, Stop> {
    let ledger = Arc::new(Ledger::new());
    let ctx = Ctx::new(Arc::clone(target), era, ledger).with_patience(patience);
    let mut session = ctx.open_with(OpenOptions::new().with_script("close")).await?;
    let welcomed = session.welcome().await;
    session.finish().await;
    welcomed.map(|()| HashSet::new())
}

async fn list(session: &mut Session) -> Result<HashSet<String>, Stop> {
    session.make_ready().await?;
    session.request(1, "tools/list", json!({})).await;
    let answer = session.answer_to(1).await?;
    let tools = answer["result"]["tools"].as_array();
    let tools = tools.ok_or_else(|| Stop(format!("`tools/list` was answered {answer}")))?;
    Ok(tools.iter().filter_map(|tool| tool["name"].as_str()).map(str::to_owned).collect())
}
