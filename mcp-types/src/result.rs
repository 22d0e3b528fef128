//! What results have in common.

use crate::wire::open_enum;

open_enum! {
    /// What kind of result it is (from 2026-07-28). Absent on the wire means complete.
    ///
    /// A kind that was not agreed on makes the response invalid: it must not be read as complete.
    ///
    /// Spec: [`resultType`](https://modelcontextprotocol.io/specification/2026-07-28/basic/index#resulttype)
    ResultType {
        /// The final result.
        Complete = "complete",
        /// The server needs answers first.
        InputRequired = "input_required",
        /// A task was created (tasks extension).
        Task = "task",
    }
}

open_enum! {
    /// Who may keep a cached result (from 2026-07-28). Absent on the wire is read as private.
    CacheScope {
        /// Anyone.
        Public = "public",
        /// Only for the principal it was made for.
        Private = "private",
    }
}
