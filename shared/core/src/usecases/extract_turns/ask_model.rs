//! Reads a turn by the judge, and by the language model if there is one.

use super::super::App;
use super::reading::{Reading, Unread};
use crate::extraction::{Extraction, ReadBy, by_model};
use crate::ids::UserId;

impl App {
    /// Reads a turn. If the model does not answer, only what the judge found counts.
    pub(super) async fn read_turn(&self, user: &UserId, unread: Unread) -> Reading {
        let mut found = unread.by_judge();
        let by = self.ask_model(user, &unread, &mut found).await;
        unread.read(found, by)
    }

    async fn ask_model(&self, user: &UserId, unread: &Unread, found: &mut Extraction) -> ReadBy {
        let asked = unread.said().filter(|(said, _)| by_model::is_worth_asking(said, unread.options()));
        let (Some(model), Some((said, before))) = (&self.language_model, asked) else { return ReadBy::Rules };
        match model.answer(user, &by_model::task(&said, &before)).await {
            Ok(answer) if by_model::add(&answer, &said, &before, found) => ReadBy::Model,
            _ => ReadBy::RulesInstead,
        }
    }
}
