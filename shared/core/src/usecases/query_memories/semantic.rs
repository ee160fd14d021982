//! Recall by vectors: what is near to the query in meaning.

use std::collections::HashSet;
use std::sync::Arc;

use super::both::both;
use super::input::CheckedQuery;
use crate::embedding::{ModelKey, VectorSubject};
use crate::error::Result;
use crate::ids::{Seq, UserId};
use crate::memory::names;
use crate::ports::{IndexState, LexicalHit, NoVector, QueryEmbedder, VectorReader};
use crate::recall::analysis::has_meaning;
use crate::recall::calibration::{ALL_UP_TO, Calibration, NEAREST, apart};
use crate::recall::candidates::Found;
use crate::recall::stages::vectors::{Near, Nearest};
use crate::recall::{Fusion, Stage};

/// Most bytes of a query that local models read, about 120 tokens of English: more would take a slow processor longer than a recall waits.
const MAX_EMBEDDED_BYTES: usize = 512;

/// The dependencies of recall by vectors. Cheap to clone.
#[derive(Clone)]
pub struct SemanticRecall {
    /// The vectors of all users.
    pub vectors: Arc<dyn VectorReader>,
    /// Computes vectors of queries.
    pub embedder: Arc<dyn QueryEmbedder>,
    /// How words and vectors are joined.
    pub fusion: Fusion,
}

/// Whether vectors took part in a recall, and if not, why.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum SemanticStatus {
    /// Embeddings are off on this server.
    #[default]
    Off,
    /// Vectors took part.
    Used,
    /// The query is nothing but quoted phrases or signs, which words alone answer.
    NotNeeded,
    /// The user has no vectors, or they cannot be read.
    NoIndex,
    /// Embeddings are disabled for the user.
    UserDisabled,
    /// The embedder does not answer, failed, or does not have the model of the user's vectors.
    Unavailable,
    /// The embedder did not answer in time.
    TimedOut,
    /// The stage is turned off, for this query or on this server.
    TurnedOff,
}

names!(SemanticStatus {
    Off => "off",
    Used => "used",
    NotNeeded => "not_needed",
    NoIndex => "no_index",
    UserDisabled => "user_disabled",
    Unavailable => "unavailable",
    TimedOut => "timed_out",
    TurnedOff => "turned_off",
});

impl From<NoVector> for SemanticStatus {
    fn from(reason: NoVector) -> Self {
        match reason {
            NoVector::Unavailable | NoVector::NoSuchModel => Self::Unavailable,
            NoVector::TimedOut => Self::TimedOut,
        }
    }
}

/// Returns what the user's vectors say about a query, or why they say nothing. While one model replaces another, both
/// are asked. If one cannot answer, because it is not loaded or is late, the other answers alone.
pub(super) async fn near(
    semantic: Option<&SemanticRecall>,
    user: &UserId,
    CheckedQuery { text, plan, .. }: &CheckedQuery,
) -> Result<Near, SemanticStatus> {
    let semantic = semantic.ok_or(SemanticStatus::Off)?;
    if !plan.on(Stage::Vectors) {
        return Err(SemanticStatus::TurnedOff);
    }
    if !has_meaning(text) {
        return Err(SemanticStatus::NotNeeded);
    }
    // If the switch comes between the two reads, both return the same index, which is then asked once.
    let building = held(semantic.vectors.building(user));
    let active = held(semantic.vectors.active(user));
    let active = active.filter(|active| building.as_ref().is_none_or(|building| building.model != active.model));
    match both(semantic.ask(user, building, text), semantic.ask(user, active, text)).await {
        (Ok(building), Ok(active)) => Ok(Near::new([building, active])),
        (Ok(one), Err(_)) | (Err(_), Ok(one)) => Ok(Near::new([one])),
        (Err(status), Err(SemanticStatus::NoIndex)) | (Err(_), Err(status)) => Err(status),
    }
}

/// Returns an index that holds vectors. Whatever is wrong with derived data concerns what maintains it, never a recall.
fn held(state: Result<Option<IndexState>>) -> Option<IndexState> {
    state.ok().flatten().filter(|state| state.vectors > 0)
}

impl SemanticRecall {
    /// Returns what one index says about a query, by its own model's vector of the query.
    async fn ask(&self, user: &UserId, index: Option<IndexState>, text: &str) -> Result<Nearest, SemanticStatus> {
        let IndexState { model, items, vectors, .. } = index.ok_or(SemanticStatus::NoIndex)?;
        let vector = self.embedder.embed_query(&model, embedded_part(text)).await?;
        let centre = self.vectors.centre(user, &model).ok().flatten().unwrap_or_default();
        let vector = apart(&vector, &centre, vectors);
        let complete = items <= ALL_UP_TO;
        let limit = if complete { usize::MAX } else { NEAREST };
        let hits = self.vectors.nearest(user, &model, &vector, limit).map_err(|_| SemanticStatus::NoIndex)?;
        let calibration = if complete { Calibration::of_all(&hits) } else { Calibration::of_nearest(&hits, items) };
        Ok(Nearest { model, hits, calibration, complete })
    }
}

/// Returns the beginning of a query, which is what local models read.
pub(super) fn embedded_part(text: &str) -> &str {
    &text[..text.floor_char_boundary(MAX_EMBEDDED_BYTES)]
}

/// Adds what is near, as far as the vault's filter lets it through, to what was found by words.
pub(super) fn join(
    near: &Near,
    semantic: &SemanticRecall,
    user: &UserId,
    passing: Vec<LexicalHit>,
    found: &mut Vec<Found>,
) {
    let known: HashSet<Seq> = near.incomplete().flat_map(|model| with_vectors(semantic, user, model, found)).collect();
    near.join(found, passing, &|seq| known.contains(&seq));
}

/// Returns which of those found by words have a vector of the model, however far from the query.
fn with_vectors(semantic: &SemanticRecall, user: &UserId, model: &ModelKey, found: &[Found]) -> Vec<Seq> {
    let subjects: Vec<VectorSubject> = found.iter().map(|one| VectorSubject::Memory(one.hit.seq)).collect();
    let has = semantic.vectors.contains(user, model, &subjects).unwrap_or_default();
    found.iter().zip(has).filter(|(_, has)| *has).map(|(one, _)| one.hit.seq).collect()
}
