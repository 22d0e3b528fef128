//! Keeping what a call needs in its next round with the client instead of here.

use mcp_session::limits::Limits;
use mcp_types::RawJson;
use ring::digest::{Context, SHA256};

use super::binding::Binding;
use super::sealer::{OpenError, SealError, Sealer};
use crate::rounds::{Digest, Kept, NotKept, Purpose, StateFault, StateKeeper};

/// Seals what is kept. Any server with the same keys finds it again.
#[derive(Debug)]
pub(crate) struct SealedKeeper {
    /// None when there was no randomness for a key: then nothing is kept.
    sealer: Option<Sealer>,
}

#[cfg_attr(not(feature = "http-core"), expect(dead_code, reason = "it is for who serves HTTP"))]
impl SealedKeeper {
    pub(crate) const fn new(sealer: Sealer) -> Self {
        Self { sealer: Some(sealer) }
    }

    /// Seals texts within these limits by a key that ends with the process.
    pub(crate) fn random(limits: &Limits) -> Self {
        let sealer = Sealer::random().inspect_err(|error| {
            tracing::error!(%error, "no call can ask its client over more than one round");
        });
        let within = |sealer: Sealer| sealer.with_limit(limits.sealed_state).with_ttl(limits.input_state_age);
        Self { sealer: sealer.ok().map(within) }
    }
}

impl StateKeeper for SealedKeeper {
    /// Of the whole purpose, with lengths between its parts so that none can lend a byte to the next.
    fn digest(&self, purpose: &Purpose<'_>) -> Digest {
        let Purpose { principal, method, target, arguments } = *purpose;
        let mut context = Context::new(&SHA256);
        // One with an empty name is not nobody.
        context.update(&[principal.is_some().into()]);
        for part in [principal.unwrap_or_default(), method, target, arguments] {
            context.update(&(part.len() as u64).to_be_bytes());
            context.update(part.as_bytes());
        }
        let mut digest = Digest::default();
        digest.copy_from_slice(context.finish().as_ref());
        digest
    }

    //= 2026-07-28/basic/patterns/mrtr#server-requirements-basic-workflow
    //# a short expiry (TTL), rejecting state presented after it lapses;
    fn keep(&self, kept: Kept, of: Digest) -> Result<String, NotKept> {
        let Kept { rounds, answers, steps } = &kept;
        let payload = serde_json::to_vec(&(rounds, answers, steps)).expect("numbers, texts and JSON can be JSON");
        let sealer = self.sealer.as_ref().ok_or(NotKept::NoRandomness)?;
        sealer.seal(&binding(&of), &payload).map_err(|error| match error {
            SealError::TooLarge { limit, .. } => NotKept::TooLarge { limit },
            SealError::NoRandomness => NotKept::NoRandomness,
        })
    }

    fn find(&self, text: &str, of: Digest) -> Result<Kept, StateFault> {
        let sealer = self.sealer.as_ref().ok_or(StateFault::Unknown)?;
        let payload = sealer.open(&binding(&of), text).map_err(|error| match error {
            OpenError::Foreign { .. } => StateFault::Foreign,
            OpenError::TooLarge { .. } | OpenError::Broken | OpenError::UnknownKey | OpenError::Expired => {
                StateFault::Unknown
            }
        })?;
        // It is ours, but may be that of another version of this server.
        let (rounds, answers, steps) =
            serde_json::from_slice::<(usize, Entries, Entries)>(&payload).map_err(|_| StateFault::Unknown)?;
        Ok(Kept { rounds, answers, steps })
    }
}

/// The digest says everything that there is to say of the purpose.
const fn binding(of: &Digest) -> Binding<'_> {
    Binding::new("", "", of)
}

/// Pieces of JSON by their keys.
type Entries = Vec<(Box<str>, RawJson)>;

#[cfg(test)]
#[expect(clippy::unwrap_used, reason = "tests")]
mod tests {
    use std::time::Duration;

    use super::super::keys::SealKey;
    use super::*;

    fn keeper() -> SealedKeeper {
        SealedKeeper::new(Sealer::with_keys([SealKey::new(1, [7; 32])]).unwrap())
    }

    fn kept() -> Kept {
        let json = |text| RawJson::parse(text).unwrap();
        Kept {
            rounds: 2,
            answers: vec![
                ("name".into(), json(r#"{"action":"accept","content":{"n":1.0}}"#)),
                ("é\"".into(), json("null")),
            ],
            steps: vec![("seat".into(), json("7"))],
        }
    }

    const PURPOSE: Purpose<'static> =
        Purpose { principal: Some("anna"), method: "tools/call", target: "book", arguments: "{}" };

    #[test]
    fn another_server_with_the_same_keys_finds_what_was_kept() {
        let (one, other) = (keeper(), keeper());
        let text = one.keep(kept(), one.digest(&PURPOSE)).unwrap();
        let found = other.find(&text, other.digest(&PURPOSE)).unwrap();
        assert_eq!((found.rounds, found.answers, found.steps), (2, kept().answers, kept().steps));
        assert!(!text.contains("seat") && text.len() < 400, "{text}");
    }

    #[test]
    fn what_was_kept_is_for_its_call_alone() {
        let own = keeper();
        let text = own.keep(kept(), own.digest(&PURPOSE)).unwrap();
        #[rustfmt::skip]
        let rows = [
            (PURPOSE,                                               None),
            (Purpose { principal: Some("berta"), ..PURPOSE },       Some(StateFault::Foreign)),
            (Purpose { principal: None, ..PURPOSE },                Some(StateFault::Foreign)),
            (Purpose { method: "prompts/get", ..PURPOSE },          Some(StateFault::Foreign)),
            (Purpose { target: "books", ..PURPOSE },                Some(StateFault::Foreign)),
            (Purpose { arguments: "{ }", ..PURPOSE },               Some(StateFault::Foreign)),
            (Purpose { target: "book{", arguments: "}", ..PURPOSE }, Some(StateFault::Foreign)),
        ];
        for (purpose, fault) in rows {
            assert_eq!(own.find(&text, own.digest(&purpose)).err(), fault, "{purpose:?}");
        }
        let nobody = |principal| own.digest(&Purpose { principal, ..PURPOSE });
        assert_ne!(nobody(None), nobody(Some("")), "an empty name is a name");
        for broken in ["", "garbage", &format!("{text}-TAMPERED")] {
            assert_eq!(own.find(broken, own.digest(&PURPOSE)).unwrap_err(), StateFault::Unknown, "{broken}");
        }
    }

    #[test]
    fn there_is_a_bound_and_an_end() {
        let own = keeper();
        let large = RawJson::from(serde_json::Value::from("x".repeat(8 << 10)));
        let kept = Kept { rounds: 1, answers: vec![("k".into(), large)], steps: Vec::new() };
        let of = own.digest(&PURPOSE);
        assert_eq!(own.keep(kept, of).unwrap_err(), NotKept::TooLarge { limit: 8 << 10 });
        let mut limits = Limits::default();
        (limits.sealed_state, limits.input_state_age) = (1 << 10, Duration::ZERO);
        let random = SealedKeeper::random(&limits);
        let kept = Kept {
            answers: vec![("k".into(), RawJson::from(serde_json::Value::from("x".repeat(1 << 10))))],
            ..Kept::default()
        };
        assert_eq!(random.keep(kept, of).unwrap_err(), NotKept::TooLarge { limit: 1 << 10 });
        let text = random.keep(Kept::default(), of).unwrap();
        assert_eq!(random.find(&text, of).unwrap_err(), StateFault::Unknown);
        let short = SealedKeeper { sealer: own.sealer.map(|sealer| sealer.with_ttl(Duration::ZERO)) };
        let text = short.keep(Kept::default(), of).unwrap();
        assert_eq!(short.find(&text, of).unwrap_err(), StateFault::Unknown);
    }
}
