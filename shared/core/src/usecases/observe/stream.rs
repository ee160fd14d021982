//! A conversation of any length: its messages come one by one and are stored in pieces, each like those of a call.
//!
//! Messages are distinguished by ids alone, either given or made from what was said and how often it was said before in the
//! stream. So it makes no difference where a stream is cut, and what others say in between. A history that calls without
//! ids stored before is recognized by its position where that is beyond doubt, until something of the stream is stored.

use std::mem;

use super::input::ObserveInput;
use super::known::Matching;
use crate::bounds::{MAX_BATCH, MAX_STREAM_MESSAGES};
use crate::boxed;
use crate::conversation::{Message, Observed, Repetitions};
use crate::error::{Error, FieldViolation, Result};
use crate::ids::UserId;
use crate::usecases::App;

/// A stream of messages.
#[derive(Debug)]
pub struct ObserveStream {
    /// The options of the stream, and the messages since the last piece.
    input: ObserveInput,
    repetitions: Repetitions,
    matching: Matching,
    taken: usize,
}

impl ObserveStream {
    /// Number of durably stored messages.
    pub const fn taken(&self) -> usize {
        self.taken
    }

    /// Reports whether there is nothing to store.
    pub fn is_empty(&self) -> bool {
        self.input.messages.is_empty()
    }

    /// Reports whether the piece must be stored before another message is added.
    pub fn is_full(&self) -> bool {
        self.input.messages.len() >= MAX_BATCH
    }

    /// Returns the path of the next message, for errors.
    pub fn path(&self) -> String {
        format!("messages[{}]", self.taken + self.input.messages.len())
    }

    /// Adds the next message to the piece. An invalid one is left out when the piece is stored.
    pub fn add(&mut self, mut message: Message) -> Result<()> {
        let path = self.path();
        if self.taken + self.input.messages.len() >= MAX_STREAM_MESSAGES {
            let problem =
                format!("is too many; {MAX_STREAM_MESSAGES} are allowed: give messages ids and begin another stream");
            return Err(Error::invalid(&path, problem));
        }
        let id = self.repetitions.next(&message);
        message.check(&path);
        if message.id.is_empty() {
            message.id = id;
        }
        self.input.messages.push(message);
        Ok(())
    }

    /// Returns an error that ends the stream. For an invalid message, it adds how many messages are stored.
    pub fn ended_by(&self, error: Error) -> Error {
        let Error::Invalid(violations) = error else { return error };
        let taken = self.taken;
        let told = |wrong: FieldViolation| FieldViolation {
            problem: format!("{}; the first {taken} messages of the stream are stored", wrong.problem),
            ..wrong
        };
        Error::Invalid(violations.into_iter().map(told).collect())
    }
}

impl App {
    /// Opens a stream with these options, without messages.
    pub fn open_observe_stream(&self, user: &UserId, mut options: ObserveInput) -> Result<ObserveStream> {
        let mut violations = Vec::new();
        options.check_labels(&mut violations);
        if !violations.is_empty() {
            return Err(Error::Invalid(violations));
        }
        let keyed = || Repetitions::keyed(self.fingerprints(user));
        let repetitions = if options.sensitive { keyed() } else { Repetitions::default() };
        Ok(ObserveStream { input: options, repetitions, matching: Matching::Sure(None), taken: 0 })
    }

    /// Takes in the piece that a stream has gathered, and returns the outcome of each message. Durable when it returns.
    #[boxed]
    pub async fn observe_piece(&self, user: &UserId, stream: &mut ObserveStream) -> Result<Observed> {
        let messages = mem::take(&mut stream.input.messages);
        let count = messages.len();
        let input = ObserveInput { messages, ..stream.input.clone() };
        let done = self.take_in(user, input, stream.taken, stream.matching, None).await?;
        stream.matching = done.matching.unwrap_or(stream.matching);
        stream.taken += count;
        Ok(done.observed)
    }
}
