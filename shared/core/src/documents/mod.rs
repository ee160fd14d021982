//! Documents (Y-1): a record of kind `document`, with its original as an attachment and its text as passages.
//!
//! `read` reads an original, `split` cuts its text, `passage` is a row of the text, and `index` finds passages by
//! words. Passages are derived data: they are erased, hidden and encrypted with their document, and can be read again
//! from the original.

mod cache;
mod html;
mod index;
mod media_type;
mod passage;
mod read;
mod split;
#[cfg(test)]
mod tests;
mod text;

pub use cache::DocumentCache;
pub use index::{Best, Index, MOST, Sought, search};
pub use media_type::MediaType;
pub use passage::Passage;
pub use read::read;
pub use split::split;
pub use text::DocumentText;
