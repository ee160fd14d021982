//! Stores vectors that were computed elsewhere. Run by the embedder, the only process that writes indexes.

use std::collections::{HashMap, HashSet};
use std::sync::Arc;

use super::page::{Loaded, load};
use super::{SubjectId, VectorUpdater};
use crate::bounds::{MAX_UPLOAD_ITEMS, MAX_UPLOAD_VECTORS};
use crate::boxed;
use crate::embedding::{EmbeddedItem, ModelKey, OverCap, VectorSubject};
use crate::error::{Error, FieldViolation, Result};
use crate::ids::{MemoryId, UserId};
use crate::ports::{IndexChange, Job, VaultReader};
use crate::settings::EffectiveSettings;
use crate::usecases::App;
use crate::usecases::support::entry;

/// How far the length of a vector may differ from 1.
const LENGTH_TOLERANCE: f32 = 0.01;

/// Vectors to store.
#[derive(Clone, Debug)]
pub struct UploadInput {
    /// Slug of the model that computed them.
    pub model: String,
    /// The vectors.
    pub items: Vec<UploadItem>,
}

/// The vectors of one memory or goal.
#[derive(Clone, Debug)]
pub struct UploadItem {
    /// The memory or goal.
    pub id: SubjectId,
    /// Fingerprint of the texts that they were computed from.
    pub fingerprint: u64,
    /// One vector per text.
    pub vectors: Vec<Vec<f32>>,
}

/// Outcome of one item.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum UploadOutcome {
    /// Its vectors are stored.
    Stored,
    /// They were stored already.
    Unchanged,
    /// Its texts have changed since.
    Stale,
    /// The memory or goal has no vectors.
    NotEligible,
    /// There would be more vectors than the cap allows.
    OverCap,
}

impl UploadInput {
    /// Checks what needs no model: the counts, that each subject comes once, and that vectors are finite and have length 1.
    pub fn check(&self) -> Result<()> {
        let (items, vectors) = (self.items.len(), self.items.iter().map(|item| item.vectors.len()).sum::<usize>());
        let mut violations = Vec::new();
        let mut hold = |field: String, problem: String| violations.push(FieldViolation::new(field, problem));
        if items == 0 || items > MAX_UPLOAD_ITEMS {
            hold("items".to_owned(), format!("has {items} entries; 1-{MAX_UPLOAD_ITEMS} are allowed"));
        }
        if vectors > MAX_UPLOAD_VECTORS {
            hold(
                "items".to_owned(),
                format!("have {vectors} vectors in all; at most {MAX_UPLOAD_VECTORS} are allowed"),
            );
        }
        let mut seen = HashSet::new();
        for (index, item) in self.items.iter().enumerate().take(MAX_UPLOAD_ITEMS) {
            if !seen.insert(item.id) {
                hold(format!("items[{index}].id"), "comes twice; send each once".to_owned());
            }
            if item.vectors.is_empty() {
                hold(format!("items[{index}].vectors"), "is empty; send one for each text".to_owned());
            }
            for (n, vector) in item.vectors.iter().enumerate() {
                if let Some(problem) = vector_problem(vector) {
                    hold(format!("items[{index}].vectors[{n}]"), problem);
                }
            }
        }
        if violations.is_empty() { Ok(()) } else { Err(Error::Invalid(violations)) }
    }

    fn check_dimension(&self, model: &ModelKey) -> Result<()> {
        let wanted = model.dimension() as usize;
        for (index, item) in self.items.iter().enumerate() {
            if let Some((n, vector)) = item.vectors.iter().enumerate().find(|(_, vector)| vector.len() != wanted) {
                let problem = format!("has {} numbers; the model {model} has {wanted}", vector.len());
                return Err(Error::invalid(format!("items[{index}].vectors[{n}]"), problem));
            }
        }
        Ok(())
    }
}

fn vector_problem(vector: &[f32]) -> Option<String> {
    if vector.iter().any(|value| !value.is_finite()) {
        return Some("holds NaN or infinity; send finite numbers".to_owned());
    }
    let length = vector.iter().map(|value| value * value).sum::<f32>().sqrt();
    ((length - 1.0).abs() > LENGTH_TOLERANCE).then(|| format!("has the length {length}; it must be 1: normalize it"))
}

impl App {
    /// Stores vectors, item by item; returns the outcomes in order. Sending them again changes nothing.
    #[boxed]
    pub async fn upload_embeddings(
        &self,
        updater: &VectorUpdater,
        user: &UserId,
        input: UploadInput,
    ) -> Result<Vec<UploadOutcome>> {
        input.check()?;
        let model = updater.model.model();
        if !model.is_slugged(&input.model) {
            return Err(Error::WrongModel { given: input.model, known: model.slug() });
        }
        input.check_dimension(model)?;
        let ids: Arc<[SubjectId]> = input.items.iter().map(|item| item.id).collect();
        let defaults = Arc::clone(&self.defaults);
        let read = self.vaults.read(user, move |reader| {
            let (ids, defaults) = (Arc::clone(&ids), Arc::clone(&defaults));
            Box::pin(async move {
                let settings = EffectiveSettings::resolve(&reader.settings().await?.settings, &defaults);
                Ok((settings.embedding.limits(), reader.embedding_subjects().await?.len(), loaded(reader, &ids).await?))
            })
        });
        let (limits, subjects, loaded) = read.await?;
        if !limits.user_on {
            return Err(Error::EmbeddingsOff { by: if limits.server_on { "user" } else { "server" } });
        }
        let held: HashMap<VectorSubject, (u64, u64)> = updater
            .held(user, model)?
            .into_iter()
            .map(|item| (item.subject, (item.fingerprint, u64::from(item.chunks))))
            .collect();
        // Each subject without vectors needs at least one, unless the cap goes to the best ones.
        let each = u64::from(limits.over_cap == OverCap::Disable);
        let without = each * (subjects as u64).saturating_sub(held.len() as u64);
        let mut room = limits.vector_cap.checked_sub(held.values().map(|(_, chunks)| chunks).sum::<u64>() + without);
        let (mut put, mut outcomes) = (Vec::new(), Vec::with_capacity(input.items.len()));
        for item in input.items {
            let there = loaded.get(&item.id);
            let had = there.and_then(|there| held.get(&there.subject)).copied();
            let (outcome, embedded) = judge(item, there, had, (each, &mut room));
            outcomes.push(outcome);
            put.extend(embedded);
        }
        let count = put.len() as u64;
        if count > 0 {
            updater.vectors.write(user, model, &IndexChange { put, ..IndexChange::default() })?;
        }
        // An upload interrupted before this point is sent again, and then finds everything unchanged.
        let unchanged = outcomes.contains(&UploadOutcome::Unchanged);
        let waits = || updater.vectors.active(user).map(|active| active.is_none_or(|active| active.model != *model));
        if count > 0 || unchanged && waits()? {
            self.sync_after_upload(user, count).await?;
        }
        Ok(outcomes)
    }

    /// Audits the upload and requests a sync, which decides whether the index is whole.
    async fn sync_after_upload(&self, user: &UserId, count: u64) -> Result<()> {
        let (now, ids) = (self.clock.now(), Arc::clone(&self.ids));
        let ask = self.vaults.transact(user, "embedding.upload", move |tx| {
            let ids = Arc::clone(&ids);
            Box::pin(async move {
                tx.audit(&entry(now, "embedding.upload", None, count)).await?;
                if tx.await_embedding(None).await? {
                    tx.enqueue(ids.new_id(now), &Job::Embed, now, None).await?;
                }
                Ok(())
            })
        });
        ask.await
    }
}

/// Decides on an item. `there` is its subject in the vault, `had` the fingerprint and number of its vectors in the
/// index, and `each` the number counted for a subject without any.
fn judge(
    item: UploadItem,
    there: Option<&Loaded>,
    had: Option<(u64, u64)>,
    (each, room): (u64, &mut Option<u64>),
) -> (UploadOutcome, Option<EmbeddedItem>) {
    let Some(there) = there else { return (UploadOutcome::NotEligible, None) };
    if there.fingerprint != item.fingerprint || there.texts.len() != item.vectors.len() {
        return (UploadOutcome::Stale, None);
    }
    if had.is_some_and(|(fingerprint, _)| fingerprint == item.fingerprint) {
        return (UploadOutcome::Unchanged, None);
    }
    // The vectors it has, or the one counted for it, make room.
    let more = there.vectors().saturating_sub(had.map_or(each, |(_, chunks)| chunks));
    let Some(left) = room.and_then(|room| room.checked_sub(more)) else { return (UploadOutcome::OverCap, None) };
    *room = Some(left);
    let embedded = EmbeddedItem {
        subject: there.subject,
        revision: there.revision,
        fingerprint: there.fingerprint,
        vectors: item.vectors,
    };
    (UploadOutcome::Stored, Some(embedded))
}

/// Loads those of the subjects that have vectors, with their texts.
async fn loaded(reader: &mut dyn VaultReader, ids: &[SubjectId]) -> Result<HashMap<SubjectId, Loaded>> {
    let memories: Vec<MemoryId> = ids
        .iter()
        .filter_map(|id| match id {
            SubjectId::Memory(id) => Some(*id),
            SubjectId::Goal(_) => None,
        })
        .collect();
    let memories = reader.seqs(&memories).await?.into_iter().map(|(_, seq)| VectorSubject::Memory(seq));
    let goals = ids.iter().filter_map(|id| match id {
        SubjectId::Memory(_) => None,
        SubjectId::Goal(id) => Some(VectorSubject::Goal(*id)),
    });
    let subjects: Vec<VectorSubject> = memories.chain(goals).collect();
    Ok(load(reader, &subjects).await?.into_iter().map(|one| (one.id, one)).collect())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn item(n: u128, vectors: Vec<Vec<f32>>) -> UploadItem {
        UploadItem { id: SubjectId::Memory(MemoryId(uuid::Uuid::from_u128(n))), fingerprint: 1, vectors }
    }

    fn refused(items: Vec<UploadItem>) -> Vec<String> {
        match (UploadInput { model: "m".to_owned(), items }).check() {
            Err(Error::Invalid(found)) => found.into_iter().map(|violation| violation.field).collect(),
            other => vec![format!("{other:?}")],
        }
    }

    #[test]
    fn what_is_out_of_bounds_is_named() {
        let one = || vec![vec![1.0, 0.0]];
        assert_eq!(refused(vec![]), ["items"]);
        assert!((UploadInput { model: String::new(), items: vec![item(1, one())] }).check().is_ok());
        let many: Vec<_> = (0..=MAX_UPLOAD_ITEMS as u128).map(|n| item(n, one())).collect();
        assert_eq!(refused(many), ["items"]);
        assert_eq!(refused(vec![item(1, vec![vec![1.0]; MAX_UPLOAD_VECTORS + 1])]), ["items"]);
        assert_eq!(refused(vec![item(1, one()), item(1, one())]), ["items[1].id"]);
        assert_eq!(refused(vec![item(1, vec![])]), ["items[0].vectors"]);
        for bad in [vec![f32::NAN, 1.0], vec![f32::INFINITY], vec![0.0, 0.0], vec![1.02, 0.0], vec![]] {
            assert_eq!(refused(vec![item(1, vec![vec![1.0], bad])]), ["items[0].vectors[1]"]);
        }
    }

    #[test]
    fn dimension_must_be_the_models() {
        let model = ModelKey::new("m", "0123456789abcdef", 3).unwrap();
        let input = UploadInput { model: model.slug(), items: vec![item(1, vec![vec![1.0, 0.0]])] };
        assert!(input.check_dimension(&model).unwrap_err().to_string().contains("has 2 numbers"));
    }
}
