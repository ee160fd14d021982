//! Documents (Y-1): a record of kind `document`, its original as an attachment, and its text as passages.
//!
//! `text` reads an original, `split` cuts its text, `passage` is a row of it, and `index` finds passages by their words. A passage
//! is derived: it goes with its document, is hidden and sealed with it, and is read again from the original.

mod html;
mod index;
mod kept;
mod passage;
mod split;
#[cfg(test)]
mod tests;
mod text;

pub use index::{Best, Index, MOST, Sought, search};
pub use kept::DocumentCache;
pub use passage::Passage;
pub use split::split;
pub use text::{DocumentText, MediaType, read};
