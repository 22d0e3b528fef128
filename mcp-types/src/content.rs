//! Content: what tools, prompts and language models say.

mod blocks;
mod resource;

use serde::de::Error as _;
use serde::{Deserialize, Deserializer, Serialize, Serializer};

pub use blocks::{Annotations, AudioContent, ImageContent, Role, TextContent, ToolResultContent, ToolUseContent};
pub use resource::{EmbeddedResource, ResourceContents, ResourceLink};

use crate::jsonrpc::{member, read_string};
use crate::raw::RawJson;

/// One block of content.
///
/// A block of an unknown type is kept, and so is one that does not have the shape of its type: a
/// single odd block never spoils the others.
///
/// ```
/// use mcp_types::content::Content;
///
/// let blocks: Vec<Content> = serde_json::from_str(
///     r#"[{"type":"text","text":"a"},{"type":"hologram","x":1}]"#,
/// )?;
/// assert_eq!(blocks[0].as_text(), Some("a"));
/// assert!(matches!(blocks[1], Content::Unknown(_)));
/// assert_eq!(serde_json::to_string(&blocks[1])?, r#"{"type":"hologram","x":1}"#);
/// # Ok::<_, serde_json::Error>(())
/// ```
///
/// Which types may stand where depends on the revision: audio from 2025-03-26, links from 2025-06-18,
/// tool uses and results (in sampling only) from 2025-11-25.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub enum Content {
    /// `text`
    Text(TextContent),
    /// `image`
    Image(ImageContent),
    /// `audio`
    Audio(AudioContent),
    /// `resource`
    Resource(Box<EmbeddedResource>),
    /// `resource_link`
    ResourceLink(Box<ResourceLink>),
    /// `tool_use`
    ToolUse(Box<ToolUseContent>),
    /// `tool_result`
    ToolResult(Box<ToolResultContent>),
    /// A block of another type, or of another shape: an object.
    Unknown(RawJson),
}

impl Content {
    /// Creates a block of text.
    pub fn text(text: impl Into<String>) -> Self {
        Self::Text(TextContent::new(text))
    }

    /// The text, if it is a block of text.
    pub fn as_text(&self) -> Option<&str> {
        match self {
            Self::Text(block) => Some(&block.text),
            _ => None,
        }
    }
}

macro_rules! from_blocks {
    ($($variant:ident($block:ty) $wrap:expr;)*) => {$(
        impl From<$block> for Content {
            fn from(block: $block) -> Self {
                Self::$variant($wrap(block))
            }
        }
    )*};
}

from_blocks! {
    Text(TextContent) std::convert::identity;
    Image(ImageContent) std::convert::identity;
    Audio(AudioContent) std::convert::identity;
    Resource(EmbeddedResource) Box::new;
    ResourceLink(ResourceLink) Box::new;
    ToolUse(ToolUseContent) Box::new;
    ToolResult(ToolResultContent) Box::new;
}

/// A block and the name of its type. The structs of the blocks do not hold it.
#[derive(Serialize)]
struct Tagged<'a, T> {
    r#type: &'static str,
    #[serde(flatten)]
    block: &'a T,
}

impl Serialize for Content {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        match self {
            Self::Text(block) => Tagged { r#type: "text", block }.serialize(serializer),
            Self::Image(block) => Tagged { r#type: "image", block }.serialize(serializer),
            Self::Audio(block) => Tagged { r#type: "audio", block }.serialize(serializer),
            Self::Resource(block) => Tagged { r#type: "resource", block }.serialize(serializer),
            Self::ResourceLink(block) => Tagged { r#type: "resource_link", block }.serialize(serializer),
            Self::ToolUse(block) => Tagged { r#type: "tool_use", block }.serialize(serializer),
            Self::ToolResult(block) => Tagged { r#type: "tool_result", block }.serialize(serializer),
            Self::Unknown(raw) => raw.serialize(serializer),
        }
    }
}

impl<'de> Deserialize<'de> for Content {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let raw = RawJson::deserialize(deserializer)?;
        if !raw.is_object() {
            return Err(D::Error::custom("a block of content is an object"));
        }
        let known = member(raw.get(), "type").and_then(read_string).and_then(|kind| read_block(&kind, &raw));
        Ok(known.unwrap_or(Self::Unknown(raw)))
    }
}

fn read_block(kind: &str, raw: &RawJson) -> Option<Content> {
    macro_rules! read {
        ($block:ty) => {{
            let mut block: $block = raw.decode().ok()?;
            block.extra.shift_remove("type");
            Some(Content::from(block))
        }};
    }
    match kind {
        "text" => read!(TextContent),
        "image" => read!(ImageContent),
        "audio" => read!(AudioContent),
        "resource" => read!(EmbeddedResource),
        "resource_link" => read!(ResourceLink),
        "tool_use" => read!(ToolUseContent),
        "tool_result" => read!(ToolResultContent),
        _ => None,
    }
}
