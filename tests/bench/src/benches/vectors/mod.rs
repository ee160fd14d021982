//! Vector indices: speed of building, changes and queries, recall and size; and the size from which trees pay off.

mod data;
mod sizes;
mod users;

use std::path::Path;

use kimberly_core::UserId;
use kimberly_core::embedding::ModelKey;

use self::data::{DIMENSION, Data};
use self::sizes::{Kinds, Measured};
use crate::figures::{Aim, Figures};
use crate::peers::Peers;
use crate::report::{Report, checkout, say};
use crate::{Options, Result};

/// Minimum size for trees, below which they have only one node.
const LEAST_FOR_TREES: usize = 10_000;

/// Measures and reports.
pub(crate) async fn run(options: Options, report: &mut Report) -> Result<()> {
    let (sizes, queries): (&[usize], usize) =
        if options.quick { (&[200, 10_000], 200) } else { (&[200, 10_000, 100_000], 500) };
    let model = ModelKey::new("bench", "0123456789abcdef", DIMENSION)?;
    let peers = match Peers::install(&checkout()).await {
        Ok(peers) => Some(peers),
        Err(error) => {
            say(&format!("\nwithout usearch: it cannot be installed here ({error})"));
            None
        }
    };
    let mut figures = Figures::new(report, "vectors");
    // First, while this process uses little memory.
    users::run(&model, &mut figures)?;
    for &size in sizes {
        let kinds = measure(size, queries, &model, peers.as_ref()).await?;
        add(size, &kinds, &mut figures);
    }
    figures.print();
    Ok(())
}

async fn measure(size: usize, queries: usize, model: &ModelKey, peers: Option<&Peers>) -> Result<Kinds> {
    let data = Data::new(size, queries);
    let mut kinds = Kinds::from([("exact", sizes::ours(&data, model, u32::MAX)?)]);
    if size >= LEAST_FOR_TREES {
        kinds.insert("tree", sizes::ours(&data, model, u32::try_from(size / 2)?)?);
    }
    if let Some(peers) = peers {
        kinds.insert("usearch", sizes::usearch(peers, &data).await?);
    }
    Ok(kinds)
}

fn add(size: usize, kinds: &Kinds, figures: &mut Figures<'_>) {
    for (kind, measured) in kinds {
        for (name, value) in measured.figures() {
            let aim = if name == "recall_at_10" && *kind == "exact" { Aim::AtLeast(0.98) } else { Aim::Open };
            figures.add(&format!("vectors.n{size}.{kind}.{name}"), value, aim);
        }
    }
    let p50 = |kind| kinds.get(kind).map(|measured: &Measured| measured.p50_ms);
    let Some(exact) = p50("exact") else { return };
    for kind in ["tree", "usearch"] {
        if let Some(other) = p50(kind) {
            figures.add(&format!("vectors.n{size}.{kind}_vs_exact.p50_ratio"), other / exact, Aim::Open);
        }
    }
    if let Some(tree) = p50("tree") {
        // Time of a full scan grows linearly; that of trees more slowly.
        #[expect(clippy::cast_precision_loss, reason = "a size")]
        let rows = size as f64 * tree / exact;
        figures.add(&format!("vectors.n{size}.switch_at_least"), rows, Aim::Open);
    }
}

/// A user whose vault folder exists, without which no index can be created.
fn user_with_vault(data: &Path, name: &str) -> Result<UserId> {
    let user = UserId::parse(name)?;
    let folder = user.folder_name();
    std::fs::create_dir_all(data.join("vaults").join(&folder[..2]).join(&folder))?;
    Ok(user)
}
