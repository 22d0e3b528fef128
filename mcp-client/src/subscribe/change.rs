//! What can change, and what of it is wanted.

use std::collections::BTreeSet;

use mcp_types::listen::SubscriptionFilter;
use mcp_types::method;
use serde::Deserialize;

use crate::lists::Kind;

/// Something of a server that has changed.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
#[non_exhaustive]
pub enum Change {
    /// The list of tools.
    Tools,
    /// The list of prompts.
    Prompts,
    /// The lists of resources and of resource templates.
    Resources,
    /// The contents of a resource.
    Resource {
        /// Where it is. It may be a part of the resource that was subscribed to.
        uri: String,
    },
    /// The server was restarted, and subscribed to again. Meanwhile anything may have changed.
    Restarted,
}

impl Change {
    /// What a notification says has changed. `None`: it says something else.
    pub(super) fn of(method: &str, params: Option<&str>) -> Option<Self> {
        #[derive(Deserialize)]
        struct Updated {
            uri: String,
        }
        Some(match method {
            method::NOTIFICATIONS_TOOLS_LIST_CHANGED => Self::Tools,
            method::NOTIFICATIONS_PROMPTS_LIST_CHANGED => Self::Prompts,
            method::NOTIFICATIONS_RESOURCES_LIST_CHANGED => Self::Resources,
            method::NOTIFICATIONS_RESOURCES_UPDATED => {
                let Updated { uri } = serde_json::from_str(params?).ok()?;
                Self::Resource { uri }
            }
            _ => return None,
        })
    }

    /// The lists that are not what they were.
    pub(super) const fn lists(&self) -> &'static [Kind] {
        match self {
            Self::Tools => &[Kind::Tools],
            Self::Prompts => &[Kind::Prompts],
            Self::Resources => &[Kind::Resources, Kind::ResourceTemplates],
            Self::Resource { .. } | Self::Restarted => &[],
        }
    }
}

/// Which changes are wanted, or will be told.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct Wants {
    pub(super) tools: bool,
    pub(super) prompts: bool,
    pub(super) resources: bool,
    pub(super) uris: BTreeSet<String>,
}

impl Wants {
    pub(super) fn is_empty(&self) -> bool {
        *self == Self::default()
    }

    /// Whether a change of what all sessions of this kind are told belongs here.
    pub(super) fn has(&self, change: &Change) -> bool {
        match change {
            Change::Tools => self.tools,
            Change::Prompts => self.prompts,
            Change::Resources => self.resources,
            Change::Resource { uri } => self.covers(uri),
            Change::Restarted => true,
        }
    }

    /// Whether a resource is one of those that are named, or stands below one.
    fn covers(&self, uri: &str) -> bool {
        self.uris.contains(uri) || self.uris.iter().any(|named| uri.starts_with(&**named))
    }

    pub(super) fn to_filter(&self) -> SubscriptionFilter {
        let mut filter = SubscriptionFilter::new();
        filter.tools_list_changed = self.tools.then_some(true);
        filter.prompts_list_changed = self.prompts.then_some(true);
        filter.resources_list_changed = self.resources.then_some(true);
        filter.resource_subscriptions = (!self.uris.is_empty()).then(|| self.uris.iter().cloned().collect());
        filter
    }

    pub(super) fn of_filter(filter: SubscriptionFilter) -> Self {
        let is_set = |flag: Option<bool>| flag.unwrap_or(false);
        Self {
            tools: is_set(filter.tools_list_changed),
            prompts: is_set(filter.prompts_list_changed),
            resources: is_set(filter.resources_list_changed),
            uris: filter.resource_subscriptions.into_iter().flatten().collect(),
        }
    }
}
