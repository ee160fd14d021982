//! Adds what vectors found, as far as the vault's filter lets it through.

use super::super::around::Around;
use super::super::semantic::{self, SemanticStatus};
use crate::error::Result;
use crate::ids::Seq;
use crate::memory::MemoryFilter;
use crate::ports::VaultReader;
use crate::recall::analysis::Analysis;
use crate::recall::candidates::Found;
use crate::recall::stages::vectors::Near;
use crate::usecases::embedding::is_disabled;

/// Adds what vectors found, unless the user is to have no vectors: an index may outlive that decision by a while.
pub(super) async fn add(
    vault: &mut dyn VaultReader,
    filter: &MemoryFilter,
    (analysis, found): (&Analysis, &mut Vec<Found>),
    near: &Result<Near, SemanticStatus>,
    around: &Around,
) -> Result<SemanticStatus> {
    let (near, semantic) = match (near, &around.semantic) {
        (Ok(near), Some(semantic)) => (near, semantic),
        (Err(SemanticStatus::NoIndex), _) => {
            let disabled = is_disabled(vault, &around.defaults, around.now).await?;
            return Ok(if disabled { SemanticStatus::UserDisabled } else { SemanticStatus::NoIndex });
        }
        (Err(status), _) => return Ok(*status),
        (Ok(_), None) => return Ok(SemanticStatus::Off),
    };
    if vault.settings().await?.settings.embedding_enabled == Some(false) {
        return Ok(SemanticStatus::UserDisabled);
    }
    let seqs = wanted(analysis, found, near.standing_out());
    let passing = if seqs.is_empty() { Vec::new() } else { vault.at_seqs(&seqs, filter).await? };
    semantic::join(near, semantic, &around.user, passing, found);
    Ok(SemanticStatus::Used)
}

/// Returns what may be found by its vector: anything, or only what was found already if a quoted phrase chose that.
fn wanted(analysis: &Analysis, found: &[Found], mut near: Vec<Seq>) -> Vec<Seq> {
    if !analysis.phrases.is_empty() && !found.is_empty() {
        near.retain(|seq| found.iter().any(|one| one.hit.seq == *seq));
    }
    near
}
