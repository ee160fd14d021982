//! The full-text index of memories. Statements that write texts fill it; this module adds memories that become
//! searchable again.

use kimberly_core::error::Result;

use crate::postgres::conn::Conn;
use crate::postgres::rows::{Cells, ReadRow as _};
use crate::postgres::text::index_values;
use crate::slots;

/// Texts tokenized at once, to bound memory use.
const AT_ONCE: usize = 64;

const TEXTS: &str = "SELECT seq, content || coalesce(chr(10) || texts, '') \
     FROM memories WHERE user_id = $1 AND seq = ANY($2)";
const ADD: &str = "UPDATE memories m SET indexed = t.indexed::tsvector, tokens = t.tokens \
     FROM unnest($2::bigint[], $3::text[], $4::bigint[]) AS t (seq, indexed, tokens) \
     WHERE m.user_id = $1 AND m.seq = t.seq";
const INDEXED: &str = "SELECT count(*), coalesce(sum(tokens), 0)::bigint FROM memories \
     WHERE user_id = $1 AND seq = ANY($2) AND indexed IS NOT NULL";
const EMPTY: &str =
    "UPDATE memories SET indexed = NULL, tokens = 0 WHERE user_id = $1 AND seq = ANY($2) AND indexed IS NOT NULL";

/// SQL condition for memories that belong in the index, on the table alias `of`.
pub(super) fn searchable(of: &str) -> String {
    format!("{of}.state <> 2 AND {of}.withheld = 0 AND {of}.sealed_content IS NULL")
}

/// A text's index columns.
#[derive(Clone, Debug, Default)]
pub(super) struct Indexed {
    /// A tsvector in text form.
    pub(super) words: String,
    pub(super) tokens: i64,
}

/// Computes the index columns of texts.
pub(super) async fn of(conn: &Conn, texts: &[String]) -> Result<Vec<Indexed>> {
    let taken_apart = conn.tokens(texts).await?;
    let values = taken_apart.iter().map(|tokens| index_values(tokens));
    Ok(values.map(|(words, tokens)| Indexed { words, tokens }).collect())
}

/// Adds memories to the index.
pub(super) async fn add(conn: &mut Conn, mut seqs: Vec<i64>) -> Result<()> {
    seqs.sort_unstable();
    for seqs in seqs.chunks(AT_ONCE) {
        let args = conn.args().with(seqs.to_vec());
        let texts = conn
            .rows("reading texts for the index", TEXTS, args, |row| {
                let c = &mut Cells::new(row);
                Ok((c.int()?, c.text()?))
            })
            .await?;
        let (seqs, texts): (Vec<i64>, Vec<String>) = texts.into_iter().unzip();
        let indexed = of(conn, &texts).await?;
        let (words, tokens): (Vec<_>, Vec<_>) = indexed.into_iter().map(|one| (one.words, one.tokens)).unzip();
        let (items, all_tokens) = (i64::try_from(seqs.len()).unwrap_or(i64::MAX), tokens.iter().sum());
        let args = conn.args().with(seqs).with(words).with(tokens);
        conn.run("indexing texts", ADD, args).await?;
        conn.head.add(slots::INDEXED, items, all_tokens);
    }
    Ok(())
}

/// Indexes memories again, whatever the index has of them.
pub(super) async fn renew(conn: &mut Conn, seqs: Vec<i64>) -> Result<()> {
    let args = conn.args().with(seqs.clone());
    let had = conn.row("counting what is indexed", INDEXED, args, |row| {
        let c = &mut Cells::new(row);
        Ok((c.int()?, c.int()?))
    });
    let (items, tokens) = had.await?.unwrap_or_default();
    conn.head.add(slots::INDEXED, items.saturating_neg(), tokens.saturating_neg());
    let args = conn.args().with(seqs.clone());
    conn.run("emptying the index", EMPTY, args).await?;
    let sql = format!("SELECT seq FROM memories m WHERE user_id = $1 AND seq = ANY($2) AND {}", searchable("m"));
    let args = conn.args().with(seqs);
    let seqs = conn.rows("selecting memories to index", sql, args, |row| Cells::new(row).int()).await?;
    add(conn, seqs).await
}
