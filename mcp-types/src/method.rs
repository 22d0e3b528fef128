//! The methods and notifications of the protocol: who sends which in which revision.

use crate::version::{Era, Version};

/// A set of revisions.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Revisions(u8);

impl Revisions {
    /// No revision.
    pub const NONE: Self = Self(0);
    /// The four revisions with a handshake.
    pub const LEGACY: Self = Self::between(Version::V2024_11_05, Version::LATEST_LEGACY);
    /// The revision without a handshake.
    pub const MODERN: Self = Self::only(Version::MODERN);
    /// Every revision.
    pub const ALL: Self = Self::between(Version::V2024_11_05, Version::MODERN);

    /// One revision.
    pub const fn only(version: Version) -> Self {
        Self(1 << version.index())
    }

    /// Both revisions and what lies between them.
    pub const fn between(first: Version, last: Version) -> Self {
        Self(((2 << last.index()) - 1) & !((1 << first.index()) - 1))
    }

    /// Whether the revision is one of them.
    pub const fn contains(self, version: Version) -> bool {
        self.0 & Self::only(version).0 != 0
    }

    /// Whether some revision of the era is one of them.
    pub const fn has_era(self, era: Era) -> bool {
        let of_era = match era {
            Era::Legacy => Self::LEGACY,
            Era::Modern => Self::MODERN,
        };
        self.0 & of_era.0 != 0
    }
}

/// Whether a method is answered.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[expect(clippy::exhaustive_enums, reason = "JSON-RPC has no third kind")]
pub enum Kind {
    /// It has an id and gets a response.
    Request,
    /// It has none and gets none.
    Notification,
}

/// What the protocol says about a method.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct MethodInfo {
    /// Its name on the wire.
    pub name: &'static str,
    /// Whether it is answered.
    pub kind: Kind,
    /// The revisions in which a client sends it.
    pub from_client: Revisions,
    /// The revisions in which a server sends it as a message of its own.
    pub from_server: Revisions,
}

/// Finds a method. `None` for methods of vendors and for names that nobody knows.
///
/// ```
/// use mcp_types::method::{self, Kind, lookup};
/// use mcp_types::version::Version;
///
/// let sampling = lookup(method::SAMPLING_CREATE_MESSAGE).unwrap();
/// assert_eq!(sampling.kind, Kind::Request);
/// assert!(sampling.from_server.contains(Version::V2025_06_18));
/// // Modern servers ask inside a result and never send a request.
/// assert!(!sampling.from_server.contains(Version::MODERN));
/// assert_eq!(lookup("tools/destroy"), None);
/// ```
pub fn lookup(name: &str) -> Option<&'static MethodInfo> {
    find(name)
}

/// Whether a client may send this as a request in some revision with a handshake.
pub fn is_legacy_request(name: &str) -> bool {
    is_request(name, Era::Legacy)
}

/// Whether a client may send this as a request in the revision without a handshake.
pub fn is_modern_request(name: &str) -> bool {
    is_request(name, Era::Modern)
}

fn is_request(name: &str, era: Era) -> bool {
    find(name).is_some_and(|method| method.kind == Kind::Request && method.from_client.has_era(era))
}

macro_rules! methods {
    ($($constant:ident $name:literal $kind:ident $from_client:ident $from_server:ident;)*) => {
        $(
            #[doc = concat!("`", $name, "`")]
            pub const $constant: &str = $name;
        )*

        /// All methods of the core protocol and of the tasks extension.
        pub const METHODS: &[MethodInfo] = &[$(MethodInfo {
            name: $name,
            kind: Kind::$kind,
            from_client: $from_client,
            from_server: $from_server,
        }),*];

        /// A comparison of strings instead of a search: it is done for each message.
        fn find(name: &str) -> Option<&'static MethodInfo> {
            match name {
                $($name => {
                    const METHOD: &MethodInfo = &MethodInfo {
                        name: $name,
                        kind: Kind::$kind,
                        from_client: $from_client,
                        from_server: $from_server,
                    };
                    Some(METHOD)
                })*
                _ => None,
            }
        }
    };
}

const ALL: Revisions = Revisions::ALL;
const LEGACY: Revisions = Revisions::LEGACY;
const MODERN: Revisions = Revisions::MODERN;
const NONE: Revisions = Revisions::NONE;
const ONLY_2025_11_25: Revisions = Revisions::only(Version::V2025_11_25);
const LEGACY_FROM_2025_06_18: Revisions = Revisions::between(Version::V2025_06_18, Version::LATEST_LEGACY);
const FROM_2025_11_25: Revisions = Revisions::between(Version::V2025_11_25, Version::MODERN);

// In 2026-07-28 the methods of tasks belong to an extension; both sides have to name it first.
#[rustfmt::skip]
methods! {
    INITIALIZE                              "initialize"                                Request      LEGACY          NONE;
    PING                                    "ping"                                      Request      LEGACY          LEGACY;
    SERVER_DISCOVER                         "server/discover"                           Request      MODERN          NONE;
    TOOLS_LIST                              "tools/list"                                Request      ALL             NONE;
    TOOLS_CALL                              "tools/call"                                Request      ALL             NONE;
    PROMPTS_LIST                            "prompts/list"                              Request      ALL             NONE;
    PROMPTS_GET                             "prompts/get"                               Request      ALL             NONE;
    RESOURCES_LIST                          "resources/list"                            Request      ALL             NONE;
    RESOURCES_READ                          "resources/read"                            Request      ALL             NONE;
    RESOURCES_TEMPLATES_LIST                "resources/templates/list"                  Request      ALL             NONE;
    RESOURCES_SUBSCRIBE                     "resources/subscribe"                       Request      LEGACY          NONE;
    RESOURCES_UNSUBSCRIBE                   "resources/unsubscribe"                     Request      LEGACY          NONE;
    SUBSCRIPTIONS_LISTEN                    "subscriptions/listen"                      Request      MODERN          NONE;
    COMPLETION_COMPLETE                     "completion/complete"                       Request      ALL             NONE;
    LOGGING_SET_LEVEL                       "logging/setLevel"                          Request      LEGACY          NONE;
    SAMPLING_CREATE_MESSAGE                 "sampling/createMessage"                    Request      NONE            LEGACY;
    ROOTS_LIST                              "roots/list"                                Request      NONE            LEGACY;
    ELICITATION_CREATE                      "elicitation/create"                        Request      NONE            LEGACY_FROM_2025_06_18;
    TASKS_GET                               "tasks/get"                                 Request      FROM_2025_11_25 ONLY_2025_11_25;
    TASKS_RESULT                            "tasks/result"                              Request      ONLY_2025_11_25 ONLY_2025_11_25;
    TASKS_LIST                              "tasks/list"                                Request      ONLY_2025_11_25 ONLY_2025_11_25;
    TASKS_CANCEL                            "tasks/cancel"                              Request      FROM_2025_11_25 ONLY_2025_11_25;
    TASKS_UPDATE                            "tasks/update"                              Request      MODERN          NONE;
    NOTIFICATIONS_INITIALIZED               "notifications/initialized"                 Notification LEGACY          NONE;
    NOTIFICATIONS_CANCELLED                 "notifications/cancelled"                   Notification ALL             ALL;
    NOTIFICATIONS_PROGRESS                  "notifications/progress"                    Notification LEGACY          ALL;
    NOTIFICATIONS_MESSAGE                   "notifications/message"                     Notification NONE            ALL;
    NOTIFICATIONS_TOOLS_LIST_CHANGED        "notifications/tools/list_changed"          Notification NONE            ALL;
    NOTIFICATIONS_PROMPTS_LIST_CHANGED      "notifications/prompts/list_changed"        Notification NONE            ALL;
    NOTIFICATIONS_RESOURCES_LIST_CHANGED    "notifications/resources/list_changed"      Notification NONE            ALL;
    NOTIFICATIONS_RESOURCES_UPDATED         "notifications/resources/updated"           Notification NONE            ALL;
    NOTIFICATIONS_SUBSCRIPTIONS_ACKNOWLEDGED "notifications/subscriptions/acknowledged" Notification NONE            MODERN;
    NOTIFICATIONS_ROOTS_LIST_CHANGED        "notifications/roots/list_changed"          Notification LEGACY          NONE;
    NOTIFICATIONS_ELICITATION_COMPLETE      "notifications/elicitation/complete"        Notification NONE            ONLY_2025_11_25;
    NOTIFICATIONS_TASKS_STATUS              "notifications/tasks/status"                Notification ONLY_2025_11_25 ONLY_2025_11_25;
    NOTIFICATIONS_TASKS                     "notifications/tasks"                       Notification NONE            MODERN;
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_method_is_found_by_its_name() {
        for method in METHODS {
            assert_eq!(lookup(method.name), Some(method));
        }
        for name in ["", "tools", "tools/", "Tools/list", "notifications/", "vendor/method"] {
            assert_eq!(lookup(name), None, "{name}");
        }
    }

    #[test]
    fn revisions_are_ranges() {
        let range = Revisions::between(Version::V2025_03_26, Version::V2025_11_25);
        let contained = Version::ALL.iter().map(|version| range.contains(*version));
        assert_eq!(contained.collect::<Vec<_>>(), [false, true, true, true, false]);
        assert!(range.has_era(Era::Legacy) && !range.has_era(Era::Modern));
        assert!(Version::ALL.iter().all(|version| Revisions::ALL.contains(*version)));
        assert!(!Version::ALL.iter().any(|version| Revisions::NONE.contains(*version)));
    }

    #[test]
    fn requests_are_known_by_era() {
        #[rustfmt::skip]
        let rows = [
            (INITIALIZE,                true,  false),
            (PING,                      true,  false),
            (SERVER_DISCOVER,           false, true),
            (TOOLS_CALL,                true,  true),
            (SUBSCRIPTIONS_LISTEN,      false, true),
            (LOGGING_SET_LEVEL,         true,  false),
            (SAMPLING_CREATE_MESSAGE,   false, false),
            (NOTIFICATIONS_CANCELLED,   false, false),
            ("vendor/method",           false, false),
        ];
        for (name, legacy, modern) in rows {
            assert_eq!((is_legacy_request(name), is_modern_request(name)), (legacy, modern), "{name}");
        }
    }

    #[test]
    fn modern_servers_send_no_requests() {
        let mut from_server = METHODS.iter().filter(|method| method.from_server.has_era(Era::Modern));
        assert!(from_server.all(|method| method.kind == Kind::Notification));
    }
}
