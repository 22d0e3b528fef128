//! Small complete programs; see `src/bin`. What several of them and the suites beside them share is here.

pub mod everything;
pub mod everything_client;
