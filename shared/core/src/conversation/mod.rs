//! Incoming messages of a conversation: which ones are stored already, what remains of them without what Kimberly
//! handed out, and the records that they become. Pure; the transaction is `usecases::observe`.

mod handed_back;
mod message;
mod outcome;
mod place;
mod repetitions;

pub use handed_back::{Left, without};
pub use message::{Message, Taken, id_of, sent_digest};
pub use outcome::{Observed, ObservedMessage, Skipped};
pub use place::{Place, Said, place, place_surely};
pub use repetitions::Repetitions;
