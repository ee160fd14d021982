//! Finds which memories are near to which goals, from the vectors that both have.
//!
//! A cosine counts by the number of standard deviations that it lies above the mean of the user's memories for the same
//! goal, beyond the second. The deviation is taken as at least 0.08, so that a goal that no memory is about gets no
//! evidence from the memories least far from it. `n` deviations beyond are evidence of `n / (n + 1)`.

use std::collections::HashMap;

use super::preview::PAGE;
use crate::embedding::{ModelKey, VectorSubject};
use crate::error::Result;
use crate::goals::Goal;
use crate::ids::{GoalId, Seq, UserId};
use crate::ports::{IndexState, VaultReader, VectorReader};
use crate::recall::calibration::Tally;
use crate::scoring::GoalNearness;
use crate::time::Timestamp;

/// Deviations above the mean from which a memory is near to a goal.
const THRESHOLD: f64 = 2.0;
/// The smallest deviation that is used.
const LEAST_DEVIATION: f64 = 0.08;
/// Deviations beyond the threshold at which the evidence is half of its maximum.
const HALF: f64 = 1.0;

/// Returns the nearness of the user's memories to the goals that count at `as_of`. Missing or unreadable vectors give
/// no evidence, and no error.
pub(crate) async fn load(
    reader: &mut dyn VaultReader,
    vectors: Option<&dyn VectorReader>,
    user: &UserId,
    as_of: Timestamp,
) -> Result<GoalNearness> {
    let Some(vectors) = vectors else { return Ok(GoalNearness::default()) };
    let Ok(Some(IndexState { model, .. })) = vectors.active(user) else { return Ok(GoalNearness::default()) };
    let goals = with_vectors(&reader.write_context(None).await?.goals, vectors, (user, &model), as_of);
    if goals.is_empty() {
        return Ok(GoalNearness::default());
    }
    let seqs: Vec<Seq> = reader.retention_items().await?.iter().map(|item| item.seq).collect();
    Ok(GoalNearness::new(evidence(&Cosines { vectors, user, goals }, &seqs)))
}

fn with_vectors(
    goals: &[Goal],
    vectors: &dyn VectorReader,
    (user, model): (&UserId, &ModelKey),
    as_of: Timestamp,
) -> Vec<GoalId> {
    let counting: Vec<GoalId> = goals.iter().filter(|goal| goal.counts_at(as_of)).map(|goal| goal.id).collect();
    let subjects: Vec<VectorSubject> = counting.iter().map(|id| VectorSubject::Goal(*id)).collect();
    let has = vectors.contains(user, model, &subjects).unwrap_or_default();
    counting.into_iter().zip(has).filter(|(_, has)| *has).map(|(id, _)| id).collect()
}

/// Reads cosines one page at a time, so that memory use stays flat.
struct Cosines<'a> {
    vectors: &'a dyn VectorReader,
    user: &'a UserId,
    goals: Vec<GoalId>,
}

impl Cosines<'_> {
    /// Returns the cosines to the goals, for each memory of a page.
    fn of<'s>(&self, page: &'s [Seq]) -> impl Iterator<Item = (&'s Seq, Vec<Option<f32>>)> {
        let memories: Vec<VectorSubject> = page.iter().map(|seq| VectorSubject::Memory(*seq)).collect();
        let goals: Vec<VectorSubject> = self.goals.iter().map(|id| VectorSubject::Goal(*id)).collect();
        let cosines = self.vectors.cosines(self.user, &memories, &goals).unwrap_or_default();
        page.iter().zip(cosines)
    }
}

/// Computes the evidence in two passes: first the mean and deviation of each goal's cosines, then the memories that
/// stand out.
fn evidence(cosines: &Cosines<'_>, seqs: &[Seq]) -> HashMap<Seq, Vec<(GoalId, f64)>> {
    let mut tallies = vec![Tally::default(); cosines.goals.len()];
    for (_, to_goals) in seqs.chunks(PAGE).flat_map(|page| cosines.of(page)) {
        for (tally, cosine) in tallies.iter_mut().zip(to_goals) {
            if let Some(cosine) = cosine {
                tally.add(cosine);
            }
        }
    }
    let meanings: Vec<_> = tallies.iter().map(Tally::calibration).collect();
    let mut found = HashMap::new();
    for (seq, to_goals) in seqs.chunks(PAGE).flat_map(|page| cosines.of(page)) {
        let goals = cosines.goals.iter().zip(&meanings).zip(to_goals);
        let near: Vec<(GoalId, f64)> = goals
            .filter_map(|((goal, meaning), cosine)| {
                let beyond = meaning.deviations(cosine?, LEAST_DEVIATION) - THRESHOLD;
                (beyond > 0.0).then(|| (*goal, beyond / (beyond + HALF)))
            })
            .collect();
        if !near.is_empty() {
            found.insert(*seq, near);
        }
    }
    found
}
