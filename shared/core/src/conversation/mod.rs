//! Messages of a conversation on their way in: which of them are stored already, what of them is left when what Kimberly
//! handed out is taken out again, and the record that each becomes. Pure; the transaction is `usecases::observe`.

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
