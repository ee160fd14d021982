//! Incoming messages of a conversation: which ones are stored already, what remains of them without what Kimberly
//! handed out, and the records that they become. Pure; the transaction is `usecases::observe`.

mod align;
mod handed_back;
mod message;
mod outcome;
mod received;
mod repetitions;
mod said;

pub use align::{Alignment, align, align_surely};
pub use handed_back::{Left, without};
pub use message::{Message, Taken, id_of, sent_digest};
pub use outcome::{Observed, ObservedMessage, Skipped};
pub use received::{Received, words};
pub use repetitions::Repetitions;
pub use said::Said;
