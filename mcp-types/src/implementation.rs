//! Who a client or a server is.

use serde::{Deserialize, Serialize};

use crate::wire::{Object, open_enum, with};

/// The name and version of a client or a server.
///
/// Spec: [Implementation](https://modelcontextprotocol.io/specification/2026-07-28/schema#implementation)
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
#[non_exhaustive]
pub struct Implementation {
    /// The name for programs.
    pub name: String,
    /// The version, in any form.
    pub version: String,
    /// The name for people (from 2025-06-18).
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub title: Option<String>,
    /// What it is for (from 2025-11-25).
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub description: Option<String>,
    /// Pictures to show (from 2025-11-25).
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub icons: Option<Vec<Icon>>,
    /// Where to read more (from 2025-11-25).
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub website_url: Option<String>,
    /// Members that this crate does not know.
    #[serde(flatten)]
    pub extra: Object,
}

impl Implementation {
    /// Names a program and its version.
    pub fn new(name: impl Into<String>, version: impl Into<String>) -> Self {
        Self {
            name: name.into(),
            version: version.into(),
            title: None,
            description: None,
            icons: None,
            website_url: None,
            extra: Object::new(),
        }
    }

    with! {
        /// Sets the name for people.
        with_title(title: String);
        /// Sets what it is for.
        with_description(description: String);
        /// Sets the pictures to show.
        with_icons(icons: Vec<Icon>);
        /// Sets where to read more.
        with_website_url(website_url: String);
    }
}

/// A picture to show beside a name.
///
/// Spec: [Icons](https://modelcontextprotocol.io/specification/2026-07-28/basic/index#icons)
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
#[non_exhaustive]
pub struct Icon {
    /// Where the picture is: an `https:` or a `data:` URL.
    pub src: String,
    /// What kind of picture it is.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub mime_type: Option<String>,
    /// The sizes it fits: `48x48`, or `any` for what scales.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub sizes: Option<Vec<String>>,
    /// The background it is made for.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub theme: Option<IconTheme>,
    /// Members that this crate does not know.
    #[serde(flatten)]
    pub extra: Object,
}

impl Icon {
    /// Points to a picture.
    pub fn new(src: impl Into<String>) -> Self {
        Self { src: src.into(), mime_type: None, sizes: None, theme: None, extra: Object::new() }
    }

    with! {
        /// Sets what kind of picture it is.
        with_mime_type(mime_type: String);
        /// Sets the sizes it fits.
        with_sizes(sizes: Vec<String>);
        /// Sets the background it is made for.
        with_theme(theme: IconTheme);
    }
}

open_enum! {
    /// The background an icon is made for.
    IconTheme {
        /// A light one.
        Light = "light",
        /// A dark one.
        Dark = "dark",
    }
}
