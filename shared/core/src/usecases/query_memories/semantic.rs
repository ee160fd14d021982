//! The second list of a recall: what is near to the query in meaning.

use std::collections::HashSet;
use std::sync::Arc;

use crate::embedding::VectorSubject;
use crate::error::Result;
use crate::ids::{Seq, UserId};
use crate::ports::{LexicalHit, NoVector, QueryEmbedder, VectorReader};
use crate::recall::Fusion;
use crate::recall::analysis::has_meaning;
use crate::recall::candidates::Found;
use crate::recall::vectors::{ALL_UP_TO, Calibration, NEAREST, Nearest};

/// Most bytes of a query that are embedded, some 120 tokens of English: more would take a slow processor longer than a
/// recall waits.
const MAX_EMBEDDED_BYTES: usize = 512;

/// What recall needs for vectors. Cheap to clone.
#[derive(Clone)]
pub struct SemanticRecall {
    /// The vectors of all users.
    pub vectors: Arc<dyn VectorReader>,
    /// Makes vectors of queries.
    pub embedder: Arc<dyn QueryEmbedder>,
    /// How words and vectors are joined.
    pub fusion: Fusion,
}

/// Whether vectors took part in a recall.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum SemanticStatus {
    /// Embeddings are off on this server.
    #[default]
    Off,
    /// They did.
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
}

impl SemanticStatus {
    /// All of them.
    pub const ALL: [Self; 7] =
        [Self::Off, Self::Used, Self::NotNeeded, Self::NoIndex, Self::UserDisabled, Self::Unavailable, Self::TimedOut];

    /// The name in metrics.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Off => "off",
            Self::Used => "used",
            Self::NotNeeded => "not_needed",
            Self::NoIndex => "no_index",
            Self::UserDisabled => "user_disabled",
            Self::Unavailable => "unavailable",
            Self::TimedOut => "timed_out",
        }
    }
}

impl From<NoVector> for SemanticStatus {
    fn from(reason: NoVector) -> Self {
        match reason {
            NoVector::Unavailable | NoVector::NoSuchModel => Self::Unavailable,
            NoVector::TimedOut => Self::TimedOut,
        }
    }
}

/// What the user's vectors say about a query, or why they say nothing.
pub(super) async fn nearest(
    semantic: Option<&SemanticRecall>,
    user: &UserId,
    text: &str,
) -> Result<Nearest, SemanticStatus> {
    let SemanticRecall { vectors, embedder, .. } = semantic.ok_or(SemanticStatus::Off)?;
    if !has_meaning(text) {
        return Err(SemanticStatus::NotNeeded);
    }
    // What is wrong with derived data is its keepers' concern, never that of a recall.
    let state = vectors.active(user).ok().flatten().filter(|state| state.vectors > 0).ok_or(SemanticStatus::NoIndex)?;
    let vector = embedder.embed_query(&state.model, embedded_part(text)).await?;
    let complete = state.items <= ALL_UP_TO;
    let limit = if complete { usize::MAX } else { NEAREST };
    let hits = vectors.nearest(user, &state.model, &vector, limit).map_err(|_| SemanticStatus::NoIndex)?;
    let calibration = if complete { Calibration::of_all(&hits) } else { Calibration::of_nearest(&hits, state.items) };
    Ok(Nearest { hits, calibration, complete })
}

/// The beginning, as a model reads it.
fn embedded_part(text: &str) -> &str {
    &text[..text.floor_char_boundary(MAX_EMBEDDED_BYTES)]
}

/// Adds what is near, as far as the vault knows it and its filter lets it through, to what was found by words.
pub(super) fn join(
    nearest: &Nearest,
    semantic: &SemanticRecall,
    user: &UserId,
    passing: Vec<LexicalHit>,
    found: &mut Vec<Found>,
) {
    let known = if nearest.complete { HashSet::new() } else { with_vectors(semantic, user, found) };
    nearest.join(found, passing, &|seq| known.contains(&seq));
}

/// Which of those found by words have a vector, far from the query though it may be.
fn with_vectors(semantic: &SemanticRecall, user: &UserId, found: &[Found]) -> HashSet<Seq> {
    let subjects: Vec<VectorSubject> = found.iter().map(|one| VectorSubject::Memory(one.hit.seq)).collect();
    let has = semantic.vectors.contains(user, &subjects).unwrap_or_default();
    found.iter().zip(has).filter(|(_, has)| *has).map(|(one, _)| one.hit.seq).collect()
}
