//! `kimberly forget ID…`

use kimberly_proto::v1;

use crate::client::Client;
use crate::context::Context;
use crate::error::{CliError, CliResult};
use crate::ids::Kind;
use crate::{ids, input, json, text, time, view};

/// Maximum ids per erase call.
const AT_ONCE: usize = 100;

#[derive(clap::Args)]
pub(crate) struct Named {
    /// The memories' ids; `-` reads them from stdin
    #[arg(required = true)]
    ids: Vec<String>,
    /// Erase them immediately and permanently, even if protected
    #[arg(long)]
    now: bool,
    /// Only list what would go with them
    #[arg(long, conflicts_with = "now")]
    dry_run: bool,
}

impl Named {
    pub(crate) async fn run(self, context: &Context) -> CliResult {
        let typed = input::words(self.ids)?;
        let client = context.connect().await?;
        let ids = ids::all(context, &client, Kind::Memory, typed).await?;
        if self.now { erase(context, &client, &ids).await } else { delete(context, &client, (ids, self.dry_run)).await }
    }
}

async fn delete(context: &Context, client: &Client, (ids, dry_run): (Vec<String>, bool)) -> CliResult {
    let mut memories = client.memories();
    for id in ids {
        let request =
            v1::DeleteMemoryRequest { user_id: context.user.clone(), id: id.clone(), dry_run, ..Default::default() };
        let answer = memories.delete_memory(request).await.map_err(|status| CliError::from(status).during(&id))?;
        let answer = answer.into_inner();
        context.out.answer(|| json::of(&answer), || shown(&answer, dry_run))?;
    }
    Ok(())
}

fn shown(answer: &v1::DeleteMemoryResponse, dry_run: bool) -> String {
    let along = along(&answer.also_forgotten, &answer.struck, &answer.still_mentions);
    let first = match &answer.receipt {
        Some(receipt) if dry_run => format!("would forget {}", receipt.id),
        receipt => view::receipt(receipt.as_ref()),
    };
    std::iter::once(first).chain(along).collect::<Vec<_>>().join("\n")
}

/// Says which copies go with a memory.
fn along(also_forgotten: &[String], struck: &[String], still_mentions: &[String]) -> Vec<String> {
    let said = [
        ("copies of the same statement", also_forgotten),
        ("struck from what says more", struck),
        ("still mentions it", still_mentions),
    ];
    let said = said.into_iter().filter(|(_, ids)| !ids.is_empty());
    said.map(|(what, ids)| format!("{what}: {}", ids.join(" "))).collect()
}

async fn erase(context: &Context, client: &Client, ids: &[String]) -> CliResult {
    let mut memories = client.memories();
    for ids in ids.chunks(AT_ONCE) {
        let request =
            v1::ForgetMemoriesRequest { user_id: context.user.clone(), ids: ids.to_vec(), ..Default::default() };
        let erased = memories.forget_memories(request).await?.into_inner();
        context.out.answer(|| json::of(&erased), || said(&erased))?;
    }
    Ok(())
}

fn said(erased: &v1::ForgetMemoriesResponse) -> String {
    let mut lines = vec![format!(
        "erased {} ({}) at {}; this cannot be undone",
        text::memories(erased.ids.len()),
        text::bytes(erased.size_bytes),
        time::minute(erased.erased_at.as_ref()),
    )];
    lines.extend(along(&erased.also_forgotten, &erased.struck, &erased.still_mentions));
    if erased.derived_erased > 0 {
        let along = text::count(erased.derived_erased, "memory", "memories");
        lines.push(format!("also erased {along} derived from nothing else"));
    }
    if erased.marked_stale > 0 {
        let stale = text::count(erased.marked_stale, "memory", "memories");
        lines.push(format!("{stale} lost some of their sources: `kimberly list --stale`, `kimberly verify ID`"));
    }
    if !erased.files_clean {
        lines.push("a reader still uses the vault: its write-ahead log is truncated when the reader ends".to_owned());
    }
    if !erased.vectors_removed {
        lines.push("the embedder has not removed their vectors yet; it will as soon as it can".to_owned());
    }
    lines.join("\n")
}
