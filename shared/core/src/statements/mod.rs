//! What a statement is: which texts say the same, which sentence repeats one, and how one is struck from a text. Pure,
//! except for the tables of what was struck and forgotten; `usecases/statements` finds the copies of a statement and forgets them.

mod change;
mod ending;
mod filler;
mod forgotten;
mod gist;
mod part;
mod same;
mod struck;

pub use change::Change;
pub use ending::Ending;
pub use filler::{filler, is_filler, without};
pub use forgotten::{Forgotten, Part, Recognizer, VaultKey, states_something, voice};
pub use gist::Gist;
pub use part::part_of;
pub use same::{Statement, says_nothing};
pub use struck::{Struck, Was};
