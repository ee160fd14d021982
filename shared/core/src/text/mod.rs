//! Text analysis shared by scoring and recall: words, stems, stop words, sentiment.

pub mod bm25;
pub mod directives;
pub mod lists;
mod porter;
mod said;
pub mod sentences;
pub mod sentiment;
pub mod subsequence;
#[cfg(test)]
mod tests;
mod traits;
pub mod words;

pub use porter::porter;
pub use said::said;
pub use traits::TextTraits;
