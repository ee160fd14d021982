//! The users, whose texts come from a few templates, their questions and their writes.

use kimberly_proto::v1::{BatchCreateMemoriesRequest, CreateMemoryRequest, MemoryDraft, QueryMemoriesRequest};
use std::sync::Arc;

use crate::population::{Population, scatter};
use crate::texts::{Language, Turn};

/// Numbered users; the first are templates.
pub(super) struct People {
    language: Arc<Language>,
    population: Population,
    /// The turns of each template.
    turns: Vec<Vec<Turn>>,
    /// Texts written during the measurements.
    drafts: Vec<MemoryDraft>,
    /// Memories per user.
    pub(super) memories: usize,
}

impl People {
    /// Users with `memories` each, whose texts are those of the first `templates`.
    pub(super) fn new(memories: usize, templates: usize) -> Self {
        let language = Arc::new(Language::new());
        let population = Population::new(&language, "scale", memories);
        let turns = (0..templates).map(|user| population.turns(user)).collect();
        let drafts = population.batch(templates).memories;
        Self { language, population, turns, drafts, memories }
    }

    /// The number of templates.
    pub(super) fn templates(&self) -> usize {
        self.turns.len()
    }

    /// The id of a user.
    pub(super) fn id(&self, user: usize) -> String {
        self.population.id(user)
    }

    /// A user's memories as one batch.
    pub(super) fn batch(&self, user: usize) -> BatchCreateMemoriesRequest {
        BatchCreateMemoriesRequest { user_id: self.id(user), ..self.population.batch(user % self.templates()) }
    }

    /// The same, session by session.
    pub(super) fn sessions(&self, user: usize) -> Vec<BatchCreateMemoriesRequest> {
        let batch = self.batch(user);
        let same = |a: &MemoryDraft, b: &MemoryDraft| a.session_id == b.session_id;
        let session = |memories: &[MemoryDraft]| BatchCreateMemoriesRequest {
            user_id: batch.user_id.clone(),
            memories: memories.to_vec(),
            request_id: String::new(),
            always_new: false,
        };
        batch.memories.chunk_by(same).map(session).collect()
    }

    /// The number of users that are active at a time and are queried: one in twenty, as `docs/sizing.md` assumes, and
    /// at least five, so that clients do not wait for one vault.
    pub(super) fn active(&self, users: usize) -> usize {
        self.templates() + (users / 20).max(5)
    }

    /// Questions of users in pseudo-random order, without templates.
    pub(super) fn questions(&self, users: usize, count: usize) -> Vec<QueryMemoriesRequest> {
        let question = |n: usize| {
            let user = self.one(users, n);
            let query = self.language.question(&self.turns[user % self.templates()], user, n);
            QueryMemoriesRequest { user_id: self.id(user), query, ..QueryMemoriesRequest::default() }
        };
        (0..count).map(question).collect()
    }

    /// A write of a user, not of a template.
    pub(super) fn write(&self, users: usize, n: usize) -> CreateMemoryRequest {
        CreateMemoryRequest {
            user_id: self.id(self.one(users, n)),
            memory: Some(self.drafts[n % self.drafts.len()].clone()),
            request_id: String::new(),
            always_new: false,
        }
    }

    /// The `n`th user in pseudo-random order.
    pub(super) fn one(&self, users: usize, n: usize) -> usize {
        self.templates() + scatter(n) % (users - self.templates())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn copies_have_the_texts_of_their_templates_and_templates_are_left_alone() {
        let people = People::new(40, 3);
        assert_eq!(people.batch(7).memories, people.batch(1).memories);
        assert_ne!(people.batch(7).user_id, people.batch(1).user_id);
        let sessions = people.sessions(4);
        assert!(sessions.len() > 1 && sessions.iter().all(|session| session.user_id == people.id(4)));
        assert_eq!(
            sessions.iter().flat_map(|session| session.memories.clone()).collect::<Vec<_>>(),
            people.batch(4).memories
        );
        let templates: Vec<String> = (0..3).map(|user| people.id(user)).collect();
        for n in 0..200 {
            assert!(!templates.contains(&people.write(10, n).user_id));
        }
        assert!(people.questions(10, 200).iter().all(|question| !templates.contains(&question.user_id)));
    }
}
