//! Previews what would be learned from messages, and why. No language model reads them, and only these messages: the vault is not read,
//! and nothing is stored.

use super::super::App;
use super::input::ObserveInput;
use crate::error::Result;
use crate::extraction::{BEFORE, Explained, Extraction, Options, Said, explain, extract};

impl App {
    /// Returns what each message would yield with what the judge makes of it, in their order; nothing where extraction is off. A message without a time
    /// is read as said now. Takes longer the more text there is, so call it on a thread that no other work waits for.
    pub fn preview_extraction(&self, input: ObserveInput) -> Result<Vec<(Extraction, Vec<Explained>)>> {
        let input = input.checked()?;
        if !self.defaults.extraction.on {
            return Ok(Vec::new());
        }
        let (now, most) = (self.clock.now(), self.defaults.draft_limits.max_content_bytes);
        let options = Options { sensitive: input.sensitive };
        let of = |message| Said::of(message, now, most);
        let said: Vec<Said<'_>> = input.messages.iter().map(of).collect();
        let read = |(index, one): (usize, &Said<'_>)| {
            if input.messages.get(index).is_some_and(|message| !message.problems.is_empty()) {
                return Default::default();
            }
            let before = said.get(index.saturating_sub(BEFORE)..index).unwrap_or_default();
            (extract(one.language(before), one, before, options), explain(one, before))
        };
        Ok(said.iter().enumerate().map(read).collect())
    }
}
