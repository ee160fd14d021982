//! Who there is: users whose texts are those of a few templates, what they ask, and what they write.

use kimberly_proto::v1::{BatchCreateMemoriesRequest, CreateMemoryRequest, MemoryDraft, QueryMemoriesRequest};
use std::sync::Arc;

use crate::population::{Population, scatter};
use crate::texts::{Language, Turn};

/// Users, numbered; the first are templates.
pub(super) struct People {
    language: Arc<Language>,
    population: Population,
    /// What each template says and hears.
    turns: Vec<Vec<Turn>>,
    /// What is written while it is measured.
    drafts: Vec<MemoryDraft>,
    /// Memories of each.
    pub(super) memories: usize,
}

impl People {
    /// Users with so many memories each, whose texts are those of the first `templates`.
    pub(super) fn new(memories: usize, templates: usize) -> Self {
        let language = Arc::new(Language::new());
        let population = Population::new(&language, "scale", memories);
        let turns = (0..templates).map(|user| population.turns(user)).collect();
        let drafts = population.batch(templates).memories;
        Self { language, population, turns, drafts, memories }
    }

    /// How many templates there are.
    pub(super) fn templates(&self) -> usize {
        self.turns.len()
    }

    /// The id of a user.
    pub(super) fn id(&self, user: usize) -> String {
        self.population.id(user)
    }

    /// What a user has, as one batch.
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
        };
        batch.memories.chunk_by(same).map(session).collect()
    }

    /// With so many users alone those are asked who are active at a time: one in twenty, as `docs/sizing.md` assumes, and five at
    /// least, so that clients do not wait for one vault.
    pub(super) fn active(&self, users: usize) -> usize {
        self.templates() + (users / 20).max(5)
    }

    /// Questions of users without a pattern, never of templates.
    pub(super) fn questions(&self, users: usize, count: usize) -> Vec<QueryMemoriesRequest> {
        let question = |n: usize| {
            let user = self.one(users, n);
            let query = self.language.question(&self.turns[user % self.templates()], user, n);
            QueryMemoriesRequest { user_id: self.id(user), query, ..QueryMemoriesRequest::default() }
        };
        (0..count).map(question).collect()
    }

    /// Something that a user writes, never a template.
    pub(super) fn write(&self, users: usize, n: usize) -> CreateMemoryRequest {
        CreateMemoryRequest {
            user_id: self.id(self.one(users, n)),
            memory: Some(self.drafts[n % self.drafts.len()].clone()),
            request_id: String::new(),
        }
    }

    /// The user whose turn it is.
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
