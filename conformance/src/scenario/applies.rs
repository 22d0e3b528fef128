//! Which cells of the matrix a scenario has.

use std::fmt;

use crate::target::Transport;

/// Where a scenario applies. What is left out here is not applicable, with [`Applies::why`].
#[derive(Debug, Clone, Copy)]
#[non_exhaustive]
pub struct Applies {
    /// The transports; empty means all.
    pub transports: &'static [Transport],
    /// The eras.
    pub eras: &'static [Era],
    /// The roles that the target may have.
    pub roles: &'static [Role],
    /// What the target must provide.
    pub needs: &'static [Need],
    /// What the way to the target must have.
    pub ways: &'static [Need],
    /// Whether the target makes calls of its own, which a modern server does not.
    pub calls: bool,
    /// Why it does not apply to the transports and eras that are left out.
    pub why: &'static str,
}

impl Applies {
    /// A server, over every transport, in both eras, without special needs.
    pub const EVERYWHERE: Self =
        Self { transports: &[], eras: &Era::ALL, roles: &[Role::Server], needs: &[], ways: &[], calls: false, why: "" };

    /// Nowhere, for this reason: the place of a row that no target of this suite can show.
    pub const fn nowhere(why: &'static str) -> Self {
        let mut applies = Self::EVERYWHERE.to(&Role::ALL);
        applies.eras = &[];
        applies.why = why;
        applies
    }

    /// Only in the legacy era, for this reason.
    pub const fn legacy_only(why: &'static str) -> Self {
        let mut applies = Self::EVERYWHERE;
        applies.eras = &[Era::Legacy];
        applies.why = why;
        applies
    }

    /// Only in the modern era, for this reason.
    pub const fn modern_only(why: &'static str) -> Self {
        let mut applies = Self::EVERYWHERE;
        applies.eras = &[Era::Modern];
        applies.why = why;
        applies
    }

    /// Where the target provides all of these.
    pub const fn with_needs(mut self, needs: &'static [Need]) -> Self {
        self.needs = needs;
        self
    }

    /// Where the way to the target has all of these.
    pub const fn by(mut self, ways: &'static [Need]) -> Self {
        self.ways = ways;
        self
    }

    /// Over these transports alone, for this reason.
    pub const fn over(mut self, transports: &'static [Transport], why: &'static str) -> Self {
        self.transports = transports;
        self.why = why;
        self
    }

    /// All that it needs.
    pub fn all_needs(&self) -> impl Iterator<Item = &'static Need> + use<> {
        self.needs.iter().chain(self.ways)
    }

    /// To targets of these roles.
    pub const fn to(mut self, roles: &'static [Role]) -> Self {
        self.roles = roles;
        self
    }

    /// Where the target makes calls of its own.
    pub const fn by_calling(mut self) -> Self {
        self.calls = true;
        self
    }

    /// Why this era or transport has no such cell, or nothing when it has.
    pub fn excludes(&self, transport: Transport, era: Era, role: Role) -> Option<String> {
        let reason = |what: &dyn fmt::Display| match self.why {
            "" => format!("not for {what}"),
            why => why.to_owned(),
        };
        if !self.eras.contains(&era) {
            return Some(reason(&era));
        }
        if !self.transports.is_empty() && !self.transports.contains(&transport) {
            return Some(reason(&transport));
        }
        if !self.roles.contains(&role) {
            return Some(format!("not for a {role}"));
        }
        if self.calls && role == Role::Server && era == Era::Modern {
            return Some("a modern server sends no requests".to_owned());
        }
        None
    }
}

/// The two eras of the protocol.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
#[non_exhaustive]
pub enum Era {
    /// 2024-11-05 to 2025-11-25: a handshake, then a session.
    Legacy,
    /// 2026-07-28: each request says what it needs.
    Modern,
}

impl Era {
    /// Both.
    pub const ALL: [Self; 2] = [Self::Legacy, Self::Modern];

    /// Its name on the command line and in reports.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Legacy => "legacy",
            Self::Modern => "modern",
        }
    }
}

impl fmt::Display for Era {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(self.as_str())
    }
}

/// What the target is.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
#[non_exhaustive]
pub enum Role {
    /// It answers.
    Server,
    /// It asks.
    Client,
}

impl Role {
    /// Both.
    pub const ALL: [Self; 2] = [Self::Server, Self::Client];

    /// Its name on the command line and in reports.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Server => "server",
            Self::Client => "client",
        }
    }
}

impl fmt::Display for Role {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(self.as_str())
    }
}

/// Something that not every target or transport has.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub enum Need {
    /// The report of the run.
    Report,
    /// A tool of this name; see the crate's README for what each does.
    Tool(&'static str),
    /// Limits and policies that can be set.
    Settings,
    /// The documented limits: 1 024 requests running and 1 024 waiting.
    DefaultLimits,
    /// A process that takes signals.
    Signals,
    /// A process with an exit code of its own.
    ExitCode,
    /// A reader that can go away while the writer stays.
    ReaderGone,
    /// A byte stream, on which a frame can be torn.
    Bytes,
    /// Frames that are any bytes, not only JSON.
    AnyBytes,
    /// A way to stop reading and let the peer's output pile up.
    Stall,
    /// A standard error of its own.
    Stderr,
    /// A full disk to write to.
    FullDisk,
    /// A connection that can be made to misbehave.
    Faults,
    /// A program in this process, which does what it is told.
    Orders,
    /// A client that starts its server as a process.
    Spawns,
    /// An input that can end while the peer goes on writing.
    HalfClose,
    /// One stream that carries everything in the order in which it was sent.
    OneStream,
    /// A session that lasts longer than a request.
    Session,
    /// A way to tell a server that a request is not wanted any more.
    Cancel,
    /// Requests of which no header says again what their bodies say.
    Unmirrored,
    /// A server that still hears its client while it is closing.
    Closing,
}

impl fmt::Display for Need {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Report => f.write_str("a report of the run"),
            Self::Tool(name) => write!(f, "the tool `{name}`"),
            Self::Settings => f.write_str("limits and policies that can be set"),
            Self::DefaultLimits => f.write_str("known limits for running and waiting requests"),
            Self::Signals => f.write_str("a process that takes signals"),
            Self::ExitCode => f.write_str("an exit code"),
            Self::ReaderGone => f.write_str("a reader that can go away alone"),
            Self::Bytes => f.write_str("a byte stream"),
            Self::AnyBytes => f.write_str("frames of any bytes"),
            Self::Stall => f.write_str("a way to stop reading"),
            Self::Stderr => f.write_str("a standard error of its own"),
            Self::FullDisk => f.write_str("a full disk to write to"),
            Self::Faults => f.write_str("a connection that can be made to misbehave"),
            Self::Orders => f.write_str("a program that does what it is told"),
            Self::Spawns => f.write_str("a client that starts its server as a process"),
            Self::HalfClose => f.write_str("an input that can end while the peer writes on"),
            Self::OneStream => f.write_str("one stream for everything, in order"),
            Self::Session => f.write_str("a session that lasts longer than a request"),
            Self::Cancel => f.write_str("a way to cancel a request"),
            Self::Unmirrored => f.write_str("requests whose headers say nothing of their bodies"),
            Self::Closing => f.write_str("a server that can be reached while it is closing"),
        }
    }
}
