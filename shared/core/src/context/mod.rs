//! The context of the next prompt: parts of a memory within a budget of tokens, the most stable first, each fenced as
//! data. Pure: `usecases::get_context` reads, and [`assemble`] decides what is taken and how it is rendered.

mod assemble;
mod estimate;
pub mod fence;
mod fingerprint;
mod handed_out;
mod item;
mod part;
mod zone;

pub use assemble::{Assembled, Budget, Share, Taken, assemble};
pub use estimate::Estimator;
pub use fence::shortened;
pub use fingerprint::{Digest, Fingerprints, Sentence, sentences};
pub use handed_out::HandedOut;
pub use item::{Item, Why, day};
pub use part::{Part, Trust};
pub use zone::{Zone, zones};
