//! Resources: what a server lets clients read.
//!
//! What is read, [`ResourceContents`], is content and stands there.

use serde::{Deserialize, Serialize};

use crate::content::{Annotations, ResourceContents};
use crate::implementation::Icon;
use crate::result::{CacheScope, ResultType};
use crate::wire::{Object, with, with_plain};

/// A resource, as a server lists it.
///
/// Spec: [Resource](https://modelcontextprotocol.io/specification/2026-07-28/server/resources#resource)
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
#[non_exhaustive]
pub struct Resource {
    /// Where it is.
    pub uri: String,
    /// Its name for programs.
    pub name: String,
    /// Its name for people (from 2025-06-18).
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub title: Option<String>,
    /// What it is, for a language model.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub description: Option<String>,
    /// What kind it is.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub mime_type: Option<String>,
    /// How many bytes it has, before any Base64.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub size: Option<u64>,
    /// Pictures to show (from 2025-11-25).
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub icons: Option<Vec<Icon>>,
    /// For whom it is.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub annotations: Option<Annotations>,
    /// `_meta` (from 2025-06-18).
    #[serde(rename = "_meta", default, skip_serializing_if = "Option::is_none")]
    pub meta: Option<Object>,
    /// Members that this crate does not know.
    #[serde(flatten)]
    pub extra: Object,
}

impl Resource {
    /// Names a resource.
    pub fn new(uri: impl Into<String>, name: impl Into<String>) -> Self {
        Self {
            uri: uri.into(),
            name: name.into(),
            title: None,
            description: None,
            mime_type: None,
            size: None,
            icons: None,
            annotations: None,
            meta: None,
            extra: Object::new(),
        }
    }

    with! {
        /// Sets its name for people.
        with_title(title: String);
        /// Says what it is.
        with_description(description: String);
        /// Says what kind it is.
        with_mime_type(mime_type: String);
        /// Sets the pictures to show.
        with_icons(icons: Vec<Icon>);
        /// Says for whom it is.
        with_annotations(annotations: Annotations);
        /// Sets `_meta`.
        with_meta(meta: Object);
    }

    with_plain! {
        /// Says how many bytes it has.
        with_size(size: u64);
    }
}

/// Many resources, whose URIs follow a template of RFC 6570.
///
/// Spec: [Resource templates](https://modelcontextprotocol.io/specification/2026-07-28/server/resources#resource-templates)
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
#[non_exhaustive]
pub struct ResourceTemplate {
    /// The template of their URIs.
    pub uri_template: String,
    /// Their name for programs.
    pub name: String,
    /// Their name for people (from 2025-06-18).
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub title: Option<String>,
    /// What they are, for a language model.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub description: Option<String>,
    /// What kind all of them are.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub mime_type: Option<String>,
    /// Pictures to show (from 2025-11-25).
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub icons: Option<Vec<Icon>>,
    /// For whom they are.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub annotations: Option<Annotations>,
    /// `_meta` (from 2025-06-18).
    #[serde(rename = "_meta", default, skip_serializing_if = "Option::is_none")]
    pub meta: Option<Object>,
    /// Members that this crate does not know.
    #[serde(flatten)]
    pub extra: Object,
}

impl ResourceTemplate {
    /// Names the resources of a template.
    pub fn new(uri_template: impl Into<String>, name: impl Into<String>) -> Self {
        Self {
            uri_template: uri_template.into(),
            name: name.into(),
            title: None,
            description: None,
            mime_type: None,
            icons: None,
            annotations: None,
            meta: None,
            extra: Object::new(),
        }
    }

    with! {
        /// Sets their name for people.
        with_title(title: String);
        /// Says what they are.
        with_description(description: String);
        /// Says what kind all of them are.
        with_mime_type(mime_type: String);
        /// Sets the pictures to show.
        with_icons(icons: Vec<Icon>);
        /// Says for whom they are.
        with_annotations(annotations: Annotations);
        /// Sets `_meta`.
        with_meta(meta: Object);
    }
}

/// The result of `resources/list`.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
#[non_exhaustive]
pub struct ListResourcesResult {
    /// What kind of result it is (from 2026-07-28).
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub result_type: Option<ResultType>,
    /// The resources of this page.
    pub resources: Vec<Resource>,
    /// Where to go on. Absent on the last page; an empty text is a cursor too.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub next_cursor: Option<String>,
    /// For how many milliseconds it may be cached (from 2026-07-28). Absent means not at all.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub ttl_ms: Option<u64>,
    /// Who may cache it (from 2026-07-28). Absent means private.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub cache_scope: Option<CacheScope>,
    /// `_meta`.
    #[serde(rename = "_meta", default, skip_serializing_if = "Option::is_none")]
    pub meta: Option<Object>,
    /// Members that this crate does not know.
    #[serde(flatten)]
    pub extra: Object,
}

impl ListResourcesResult {
    /// Lists resources on the last page; not to be cached.
    pub fn new(resources: Vec<Resource>) -> Self {
        Self {
            result_type: Some(ResultType::Complete),
            resources,
            next_cursor: None,
            ttl_ms: Some(0),
            cache_scope: Some(CacheScope::Private),
            meta: None,
            extra: Object::new(),
        }
    }

    with! {
        /// Says that there is another page.
        with_next_cursor(next_cursor: String);
        /// Sets who may cache it.
        with_cache_scope(cache_scope: CacheScope);
        /// Sets `_meta`.
        with_meta(meta: Object);
    }

    with_plain! {
        /// Sets for how many milliseconds it may be cached.
        with_ttl_ms(ttl_ms: u64);
    }
}

/// The result of `resources/templates/list`.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
#[non_exhaustive]
pub struct ListResourceTemplatesResult {
    /// What kind of result it is (from 2026-07-28).
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub result_type: Option<ResultType>,
    /// The templates of this page.
    pub resource_templates: Vec<ResourceTemplate>,
    /// Where to go on. Absent on the last page; an empty text is a cursor too.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub next_cursor: Option<String>,
    /// For how many milliseconds it may be cached (from 2026-07-28). Absent means not at all.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub ttl_ms: Option<u64>,
    /// Who may cache it (from 2026-07-28). Absent means private.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub cache_scope: Option<CacheScope>,
    /// `_meta`.
    #[serde(rename = "_meta", default, skip_serializing_if = "Option::is_none")]
    pub meta: Option<Object>,
    /// Members that this crate does not know.
    #[serde(flatten)]
    pub extra: Object,
}

impl ListResourceTemplatesResult {
    /// Lists templates on the last page; not to be cached.
    pub fn new(resource_templates: Vec<ResourceTemplate>) -> Self {
        Self {
            result_type: Some(ResultType::Complete),
            resource_templates,
            next_cursor: None,
            ttl_ms: Some(0),
            cache_scope: Some(CacheScope::Private),
            meta: None,
            extra: Object::new(),
        }
    }

    with! {
        /// Says that there is another page.
        with_next_cursor(next_cursor: String);
        /// Sets who may cache it.
        with_cache_scope(cache_scope: CacheScope);
        /// Sets `_meta`.
        with_meta(meta: Object);
    }

    with_plain! {
        /// Sets for how many milliseconds it may be cached.
        with_ttl_ms(ttl_ms: u64);
    }
}

/// The params of `resources/read`.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
#[non_exhaustive]
pub struct ReadResourceParams {
    /// Where it is.
    pub uri: String,
    /// `_meta`.
    #[serde(rename = "_meta", default, skip_serializing_if = "Option::is_none")]
    pub meta: Option<Object>,
    /// Members that this crate does not know.
    #[serde(flatten)]
    pub extra: Object,
}

impl ReadResourceParams {
    /// Asks for what is there.
    pub fn new(uri: impl Into<String>) -> Self {
        Self { uri: uri.into(), meta: None, extra: Object::new() }
    }

    with! {
        /// Sets `_meta`.
        with_meta(meta: Object);
    }
}

/// The result of `resources/read`.
///
/// A resource may have several contents: those of the files in a folder, for instance.
///
/// Spec: [Reading resources](https://modelcontextprotocol.io/specification/2026-07-28/server/resources#reading-resources)
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
#[non_exhaustive]
pub struct ReadResourceResult {
    /// What kind of result it is (from 2026-07-28).
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub result_type: Option<ResultType>,
    /// What is there.
    pub contents: Vec<ResourceContents>,
    /// For how many milliseconds it may be cached (from 2026-07-28). Absent means not at all.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub ttl_ms: Option<u64>,
    /// Who may cache it (from 2026-07-28). Absent means private.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub cache_scope: Option<CacheScope>,
    /// `_meta`.
    #[serde(rename = "_meta", default, skip_serializing_if = "Option::is_none")]
    pub meta: Option<Object>,
    /// Members that this crate does not know.
    #[serde(flatten)]
    pub extra: Object,
}

impl ReadResourceResult {
    /// Creates a result of these contents; not to be cached.
    pub fn new(contents: Vec<ResourceContents>) -> Self {
        Self {
            result_type: Some(ResultType::Complete),
            contents,
            ttl_ms: Some(0),
            cache_scope: Some(CacheScope::Private),
            meta: None,
            extra: Object::new(),
        }
    }

    with! {
        /// Sets who may cache it.
        with_cache_scope(cache_scope: CacheScope);
        /// Sets `_meta`.
        with_meta(meta: Object);
    }

    with_plain! {
        /// Sets for how many milliseconds it may be cached.
        with_ttl_ms(ttl_ms: u64);
    }
}

/// The params of `resources/subscribe` and of `resources/unsubscribe` (up to 2025-11-25; later a
/// [subscription](crate::listen) names the resources).
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
#[non_exhaustive]
pub struct SubscribeParams {
    /// Where it is.
    pub uri: String,
    /// `_meta`.
    #[serde(rename = "_meta", default, skip_serializing_if = "Option::is_none")]
    pub meta: Option<Object>,
    /// Members that this crate does not know.
    #[serde(flatten)]
    pub extra: Object,
}

impl SubscribeParams {
    /// Names a resource.
    pub fn new(uri: impl Into<String>) -> Self {
        Self { uri: uri.into(), meta: None, extra: Object::new() }
    }

    with! {
        /// Sets `_meta`.
        with_meta(meta: Object);
    }
}

/// The params of `notifications/resources/updated`.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
#[non_exhaustive]
pub struct ResourceUpdatedParams {
    /// Where the resource is that changed. It may be a part of the one that was subscribed to.
    pub uri: String,
    /// `_meta`; in 2026-07-28 the id of the subscription stands in it.
    #[serde(rename = "_meta", default, skip_serializing_if = "Option::is_none")]
    pub meta: Option<Object>,
    /// Members that this crate does not know.
    #[serde(flatten)]
    pub extra: Object,
}

impl ResourceUpdatedParams {
    /// Says that a resource changed.
    pub fn new(uri: impl Into<String>) -> Self {
        Self { uri: uri.into(), meta: None, extra: Object::new() }
    }

    with! {
        /// Sets `_meta`.
        with_meta(meta: Object);
    }
}
