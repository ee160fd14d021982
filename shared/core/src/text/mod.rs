//! Words, stems, stop-words, sentiment: the text analysis that scoring and recall share.

mod traits;

pub use traits::TextTraits;
