//! Exports the texts that vectors are made from, piece by piece, so that vectors can be computed elsewhere.

use std::sync::Arc;

use serde::{Deserialize, Serialize};

use super::SubjectId;
use super::page::load;
use crate::bounds::EXPORT_TEXTS_BYTES;
use crate::boxed;
use crate::embedding::{EligibleSubject, VectorSubject};
use crate::error::{Error, Result};
use crate::ids::{GoalId, Seq, UserId};
use crate::ports::{IndexState, VaultReader};
use crate::usecases::App;
use crate::usecases::page::Scope;

/// Subjects per piece.
const PIECE: usize = 250;

/// The texts to export, and the position to resume at.
#[derive(Clone, Debug, Default)]
pub struct ExportTextsInput {
    /// Whether to leave out subjects that have vectors in the index being built or, without one, in the active index.
    pub missing_only: bool,
    /// Cursor of the last piece received; empty for the start.
    pub cursor: String,
}

/// The texts of a memory or a goal.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SubjectTexts {
    /// The memory or goal.
    pub id: SubjectId,
    /// Fingerprint of the texts.
    pub fingerprint: u64,
    /// One text per vector.
    pub texts: Vec<String>,
}

/// A piece of an export.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct TextsPiece {
    /// Texts, of at least one subject.
    pub items: Vec<SubjectTexts>,
    /// Cursor that resumes after them.
    pub cursor: String,
}

/// An export in progress.
#[derive(Clone)]
pub struct TextsExport {
    app: App,
    user: UserId,
    scope: Scope,
    missing_only: bool,
    after: Option<Position>,
}

/// A position in the order of subjects.
#[derive(Clone, Copy, Debug, Serialize, Deserialize)]
enum Position {
    Memory(Seq),
    Goal(GoalId),
}

impl From<VectorSubject> for Position {
    fn from(subject: VectorSubject) -> Self {
        match subject {
            VectorSubject::Memory(seq) => Self::Memory(seq),
            VectorSubject::Goal(id) => Self::Goal(id),
        }
    }
}

impl From<Position> for VectorSubject {
    fn from(position: Position) -> Self {
        match position {
            Position::Memory(seq) => Self::Memory(seq),
            Position::Goal(id) => Self::Goal(id),
        }
    }
}

impl App {
    /// Begins an export of texts, or resumes one at a cursor. Fails while embeddings are off on this server, and if the
    /// cursor was made for another user or other input.
    pub fn export_texts(&self, user: &UserId, input: &ExportTextsInput) -> Result<TextsExport> {
        if !self.defaults.embedding.on {
            return Err(Error::EmbeddingsOff { by: "server" });
        }
        let scope = Scope::new("embedding.export", user, &input.missing_only)?;
        let after = scope.cursor_key(&input.cursor)?;
        Ok(TextsExport { app: self.clone(), user: user.clone(), scope, missing_only: input.missing_only, after })
    }
}

impl TextsExport {
    /// Returns the next piece, about 256 KiB unless one subject alone has more; `None` at the end.
    #[boxed]
    pub async fn next(&mut self) -> Result<Option<TextsPiece>> {
        loop {
            let after: Option<VectorSubject> = self.after.map(VectorSubject::from);
            let subjects = self.app.vaults.read(&self.user, move |reader| Box::pin(after_this(reader, after)));
            let subjects = subjects.await?;
            let Some(last) = subjects.last().copied() else { return Ok(None) };
            let wanted = self.without_vectors(subjects)?;
            let (items, reached) = self.read(wanted).await?;
            self.after = Some(reached.unwrap_or(last).into());
            if !items.is_empty() {
                let cursor = self.scope.token(&self.after)?;
                return Ok(Some(TextsPiece { items, cursor }));
            }
        }
    }

    fn without_vectors(&self, subjects: Vec<VectorSubject>) -> Result<Vec<VectorSubject>> {
        let Some(vectors) = self.app.vectors.as_ref().filter(|_| self.missing_only) else { return Ok(subjects) };
        let index = vectors.building(&self.user)?.map_or_else(|| vectors.active(&self.user), |index| Ok(Some(index)));
        let Some(IndexState { model, .. }) = index? else { return Ok(subjects) };
        let has = vectors.contains(&self.user, &model, &subjects)?;
        Ok(subjects.into_iter().zip(has).filter(|(_, has)| !has).map(|(subject, _)| subject).collect())
    }

    /// Returns the texts of as many subjects as fit, and the last of these if not all did.
    async fn read(&self, subjects: Vec<VectorSubject>) -> Result<(Vec<SubjectTexts>, Option<VectorSubject>)> {
        let subjects: Arc<[VectorSubject]> = subjects.into();
        let read = self.app.vaults.read(&self.user, move |reader| {
            let subjects = Arc::clone(&subjects);
            Box::pin(async move { load(reader, &subjects).await })
        });
        let (mut items, mut bytes, mut last) = (Vec::new(), 0, None);
        for one in read.await? {
            bytes += one.bytes();
            if bytes > EXPORT_TEXTS_BYTES && last.is_some() {
                return Ok((items, last));
            }
            last = Some(one.subject);
            items.push(SubjectTexts { id: one.id, fingerprint: one.fingerprint, texts: one.texts });
        }
        Ok((items, None))
    }
}

/// Returns the next subjects in order.
async fn after_this(reader: &mut dyn VaultReader, after: Option<VectorSubject>) -> Result<Vec<VectorSubject>> {
    let all: Vec<EligibleSubject> = reader.embedding_subjects().await?;
    let from = all.partition_point(|one| after.is_some_and(|after| one.subject <= after));
    Ok(all[from..].iter().take(PIECE).map(|one| one.subject).collect())
}
