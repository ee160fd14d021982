//! The baseline: BM25 of FTS5 with its usual constants, porter stems, the question's words without stop words joined
//! with OR, each message by itself.

use kimberly_core::text::lists::is_stop_word;
use kimberly_core::text::words::{fold, words};
use sqlx::sqlite::{SqliteConnectOptions, SqliteConnection};
use sqlx::{ConnectOptions as _, Row as _};

use crate::Result;
use crate::benches::locomo::dataset::Conversation;
use crate::benches::locomo::measure::DEPTH;

/// The index of one conversation.
pub(super) async fn index(conversation: &Conversation) -> Result<SqliteConnection> {
    let options = SqliteConnectOptions::new().in_memory(true).disable_statement_logging();
    let mut index = options.connect().await?;
    sqlx::raw_sql("CREATE VIRTUAL TABLE said USING fts5(text, tokenize = 'porter unicode61')")
        .execute(&mut index)
        .await?;
    for (number, turn) in (0_i64..).zip(&conversation.turns) {
        let insert = sqlx::query("INSERT INTO said (rowid, text) VALUES (?, ?)").bind(number).bind(turn.text.as_str());
        insert.execute(&mut index).await?;
    }
    Ok(index)
}

/// Turn indices, best first.
pub(super) async fn ask(index: &mut SqliteConnection, question: &str) -> Result<Vec<usize>> {
    let all: Vec<String> = words(question).map(fold).collect();
    let topics: Vec<&String> = all.iter().filter(|word| !is_stop_word(word)).collect();
    let chosen = if topics.is_empty() { all.iter().collect() } else { topics };
    let any: Vec<String> = chosen.iter().map(|word| format!("\"{word}\"")).collect();
    let query = sqlx::query("SELECT rowid FROM said WHERE said MATCH ? ORDER BY bm25(said), rowid LIMIT ?");
    let rows = query.bind(any.join(" OR ")).bind(i64::try_from(DEPTH)?).fetch_all(index).await?;
    rows.iter().map(|row| Ok(usize::try_from(row.try_get::<i64, _>(0)?)?)).collect()
}
