//! `subscriptions/listen`: one request that stays open and brings changes (from 2026-07-28).

use serde::{Deserialize, Serialize};
use serde_json::Value;

use crate::jsonrpc::Id;
use crate::meta::SUBSCRIPTION_ID;
use crate::result::ResultType;
use crate::wire::{Object, with};

/// Which changes are wanted, or are sent.
///
/// Spec: [Subscriptions](https://modelcontextprotocol.io/specification/2026-07-28/basic/patterns/subscriptions)
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
#[non_exhaustive]
pub struct SubscriptionFilter {
    /// The list of tools changed. Absent means no.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub tools_list_changed: Option<bool>,
    /// The list of prompts changed. Absent means no.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub prompts_list_changed: Option<bool>,
    /// The list of resources changed. Absent means no.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub resources_list_changed: Option<bool>,
    /// The URIs of resources whose contents changed.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub resource_subscriptions: Option<Vec<String>>,
    /// The ids of tasks whose status changed (tasks extension).
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub task_ids: Option<Vec<String>>,
    /// Members that this crate does not know.
    #[serde(flatten)]
    pub extra: Object,
}

impl SubscriptionFilter {
    /// Creates a filter that wants nothing.
    pub fn new() -> Self {
        Self::default()
    }

    with! {
        /// Says whether changes of the list of tools are wanted.
        with_tools_list_changed(tools_list_changed: bool);
        /// Says whether changes of the list of prompts are wanted.
        with_prompts_list_changed(prompts_list_changed: bool);
        /// Says whether changes of the list of resources are wanted.
        with_resources_list_changed(resources_list_changed: bool);
        /// Names resources.
        with_resource_subscriptions(resource_subscriptions: Vec<String>);
        /// Names tasks.
        with_task_ids(task_ids: Vec<String>);
    }
}

/// The params of `subscriptions/listen`.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
#[non_exhaustive]
pub struct ListenParams {
    /// What is wanted.
    pub notifications: SubscriptionFilter,
    /// `_meta`.
    #[serde(rename = "_meta", default, skip_serializing_if = "Option::is_none")]
    pub meta: Option<Object>,
    /// Members that this crate does not know.
    #[serde(flatten)]
    pub extra: Object,
}

impl ListenParams {
    /// Asks for changes.
    pub fn new(notifications: SubscriptionFilter) -> Self {
        Self { notifications, meta: None, extra: Object::new() }
    }

    with! {
        /// Sets `_meta`.
        with_meta(meta: Object);
    }
}

/// The params of `notifications/subscriptions/acknowledged`, the first that comes on a subscription.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
#[non_exhaustive]
pub struct AcknowledgedParams {
    /// What will be sent: that part of what was wanted which the server has.
    pub notifications: SubscriptionFilter,
    /// `_meta`; the id of the subscription stands in it.
    #[serde(rename = "_meta", default, skip_serializing_if = "Option::is_none")]
    pub meta: Option<Object>,
    /// Members that this crate does not know.
    #[serde(flatten)]
    pub extra: Object,
}

impl AcknowledgedParams {
    /// Says what will be sent on a subscription.
    pub fn new(subscription: &Id, notifications: SubscriptionFilter) -> Self {
        Self { notifications, meta: Some(subscription_meta(subscription)), extra: Object::new() }
    }

    /// The id of the listen request that it belongs to.
    pub fn subscription(&self) -> Option<Id> {
        subscription_of(self.meta.as_ref()?)
    }
}

/// The result of `subscriptions/listen`: the server has ended the subscription.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
#[non_exhaustive]
pub struct ListenResult {
    /// What kind of result it is.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub result_type: Option<ResultType>,
    /// `_meta`; the id of the subscription stands in it.
    #[serde(rename = "_meta", default, skip_serializing_if = "Option::is_none")]
    pub meta: Option<Object>,
    /// Members that this crate does not know.
    #[serde(flatten)]
    pub extra: Object,
}

impl ListenResult {
    /// Ends a subscription.
    pub fn new(subscription: &Id) -> Self {
        Self {
            result_type: Some(ResultType::Complete),
            meta: Some(subscription_meta(subscription)),
            extra: Object::new(),
        }
    }

    /// The id of the listen request that it ends.
    pub fn subscription(&self) -> Option<Id> {
        subscription_of(self.meta.as_ref()?)
    }
}

/// The `_meta` of what belongs to a subscription.
pub fn subscription_meta(subscription: &Id) -> Object {
    let value = match subscription {
        Id::Int(number) => Value::from(*number),
        Id::Str(text) => Value::from(&**text),
        // Numbers beyond `f64` cannot be a `Value`; their text is the next best thing.
        Id::Raw(raw) => serde_json::from_str(raw).unwrap_or_else(|_| Value::from(&**raw)),
    };
    Object::from_iter([(SUBSCRIPTION_ID.to_owned(), value)])
}

fn subscription_of(meta: &Object) -> Option<Id> {
    Id::parse(&meta.get(SUBSCRIPTION_ID)?.to_string())
}
