//! The life of a connection: its sessions, one after the other, until no other one follows.

use std::sync::Arc;

use tokio::time::{Instant, sleep};

use crate::connect::Connect;
use crate::opening::{Ending, Established, establish};
use crate::shared::Shared;

/// Watches over the session that is open. When it ends, and nobody asked for that, another one is opened as often as
/// the way to the server allows.
pub(crate) async fn live<C: Connect>(over: Over, mut way: C, mut ending: Ending) {
    let shared = Arc::clone(&over.0);
    let (mut number, mut attempts) = (0, 0);
    loop {
        let since = Instant::now();
        ending.session().await;
        let may_follow = shared.ended();
        ending.rest().await;
        if !may_follow {
            return;
        }
        if since.elapsed() > shared.restart().longest() {
            attempts = 0;
        }
        number += 1;
        let Some(next) = reopen(&shared, &mut way, number, &mut attempts).await else { return };
        ending = next;
    }
}

/// Opens the next session. `None` when it was tried often enough, or nobody wants it any more.
async fn reopen<C: Connect>(shared: &Arc<Shared>, way: &mut C, number: u32, attempts: &mut u32) -> Option<Ending> {
    loop {
        let pause = shared.restart().pause(*attempts)?;
        *attempts += 1;
        tracing::info!(attempt = *attempts, ?pause, "the server is restarted");
        tokio::select! {
            // Nobody waits for what nobody wants.
            biased;
            () = shared.until_unwanted() => return None,
            () = sleep(pause) => {}
        }
        let verdict = shared.link().map(|link| link.verdict());
        match establish(shared, way, verdict, number).await {
            Ok(Established { link, handle, mut ending }) => {
                if shared.opened(link, handle) {
                    if let Some(callback) = &shared.callbacks().restarted {
                        callback(&crate::Connection::unowned(Arc::clone(shared)));
                    }
                    return Some(ending);
                }
                ending.session().await;
                ending.rest().await;
                return None;
            }
            Err(error) => tracing::warn!(%error, attempt = *attempts, "the server was not restarted"),
        }
    }
}

/// Whatever ends the life of a connection, or keeps it from beginning: when this is dropped, there will be no other
/// session, and nobody waits for one.
pub(crate) struct Over(pub(crate) Arc<Shared>);

impl Drop for Over {
    fn drop(&mut self) {
        self.0.over();
    }
}
