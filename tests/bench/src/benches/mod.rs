//! The benchmarks by name.

mod access;
mod all;
mod api;
mod beside;
mod context;
mod embed;
mod encryption;
mod extract;
mod footprint;
mod graph;
mod locomo;
mod meditate;
mod merges;
mod night;
mod recall;
mod recall_embedded;
mod recall_quality;
mod records;
mod scale;
mod vectors;
mod waits;
mod write;

use crate::report::Report;
use crate::{Options, Result};

/// Names, with what they measure.
pub(crate) const ALL: &[(&str, &str)] = &[
    ("locomo", "retrieval quality on ten long conversations (LoCoMo), by recall at k, NDCG and MRR"),
    ("recall-quality", "what recall finds in conversations of friends, with assistants and in meetings, beside BM25"),
    (
        "context",
        "evidence inside a context of 1,000 to 4,000 tokens, beside the last turns that fit and what recall finds",
    ),
    ("extract", "what extraction finds in labelled messages, by class, and how much text it reads in a second"),
    ("graph", "whom and what nights find in labelled messages, which names they take for one, and relations, by class"),
    ("merges", "which labelled notes nights take for one, and whether the one text keeps every detail"),
    ("recall", "how fast memories are recalled, beside bare FTS5, mem0 and Chroma"),
    ("write", "durable writes and bulk import, beside bare append and fdatasync, mem0 and Chroma"),
    ("records", "kinds, details and links beside plain memories; lineage, core memory, names, pages of a kind"),
    ("meditate", "items scored per second and core, the worker's memory, what recall notices of it"),
    ("night", "all steps of a night: records per second and core, each step by itself, the same night once more"),
    (
        "waits",
        "how long creates wait for nights, extraction, imports and rebuilds of the same vault, and how many are refused",
    ),
    ("squeeze", "evidence that recall finds once a vault is squeezed, by the score and by simpler orders"),
    ("api", "JSON beside gRPC, many clients at once, and five times the load that can be served"),
    ("embed", "texts made vectors, beside onnxruntime and PyTorch, and where the time goes"),
    ("vectors", "indices of vectors: exact, by trees and usearch's; a thousand users"),
    ("encryption", "recall, writes, opening and making vaults, encrypted beside plain"),
    ("scale", "recall and writes by 1, 2 and 4 apis on Postgres, beside SQLite, and plans of what they ask it"),
    ("access", "whether the time of a refusal tells what its words do not"),
    ("footprint", "idle memory, time to start, bytes of vaults"),
    ("all", "the benchmarks of speed and size one after another, and one table of their aims"),
];

/// Runs one benchmark: prints its tables and records its figures in the report.
pub(crate) async fn run(name: &str, options: Options, report: &mut Report) -> Result<()> {
    match name {
        "locomo" => locomo::run(options, report).await,
        "context" => Box::pin(context::run(options, report)).await,
        "extract" => extract::run(options, report),
        "graph" => graph::run(options, report),
        "merges" => merges::run(options, report),
        "recall" if options.embeddings => recall_embedded::run(options, report).await,
        "recall" => recall::run(options, report).await,
        "recall-quality" => Box::pin(recall_quality::run(options, report)).await,
        "write" => write::run(options, report).await,
        "records" => Box::pin(records::run(options, report)).await,
        "meditate" => meditate::run(options, report).await,
        "night" => night::run(options, report).await,
        "waits" => Box::pin(waits::run(options, report)).await,
        "squeeze" => Box::pin(recall_quality::squeeze::run(options, report)).await,
        "api" => api::run(options, report).await,
        "embed" => embed::run(options, report).await,
        "vectors" => vectors::run(options, report).await,
        "encryption" => encryption::run(options, report).await,
        "scale" => Box::pin(scale::run(options, report)).await,
        "access" => access::run(options, report).await,
        "footprint" => footprint::run(options, report).await,
        "all" => Box::pin(all::run(options, report)).await,
        _ => Err(format!("there is no benchmark {name}; there are:\n{}", listing()).into()),
    }
}

/// All names with what they measure, one per line.
pub(crate) fn listing() -> String {
    let lines: Vec<String> = ALL.iter().map(|(name, what)| format!("{name:16}{what}")).collect();
    lines.join("\n")
}
