//! What a server has: its tools, prompts, resources and resource templates, over as many pages as it takes.

mod cache;
mod cursors;
mod element;
mod error;
mod lenient;
mod listing;
mod pages;
mod source;
#[cfg(test)]
mod tests;

pub(crate) use self::cache::Cache;
pub use self::element::Element;
pub(crate) use self::element::Kind;
pub use self::error::ListError;
pub use self::lenient::Bad;
pub use self::listing::{Listing, Page};
pub use self::pages::Pages;
pub(crate) use self::source::{Ask, Source};
