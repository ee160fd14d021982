//! Tokenizes texts exactly like the full-text index: through FTS5 in an in-memory database.

use std::collections::HashMap;

use kimberly_core::error::Result;
use tokio::sync::Mutex;

use crate::sqlite::conn::{Args, Conn};
use crate::sqlite::options::SqliteOptions;
use crate::sqlite::rows::{Cells, ReadRow as _};
use crate::sqlite::{errors, pragmas};

/// Same tokenizer as the table `search`.
const MAKE: &str = "CREATE VIRTUAL TABLE text USING fts5 (content, content = '', tokenize = 'porter unicode61');\
     CREATE VIRTUAL TABLE token USING fts5vocab (text, instance)";
/// Deletes the texts after reading their tokens.
const ANALYSE: &str = "INSERT INTO text (rowid, content) SELECT key, value FROM json_each(?);\
     SELECT group_concat(doc || ' ' || \"offset\" || ' ' || term, char(10)) FROM token;\
     INSERT INTO text (text) VALUES ('delete-all')";

/// The tokens of one text, in order.
pub(crate) type Tokens = Vec<String>;

/// One tokenizer for all vaults; its inputs have bounded size.
pub(crate) struct Analyser {
    options: SqliteOptions,
    conn: Mutex<Option<Conn>>,
}

impl Analyser {
    /// For a store without files.
    pub(crate) fn without_files() -> Self {
        // The path is unused: the database is in memory.
        Self::new(SqliteOptions::new("/nowhere"))
    }

    pub(crate) fn new(options: SqliteOptions) -> Self {
        Self { options, conn: Mutex::new(None) }
    }

    /// Returns the tokens of each text.
    pub(crate) async fn tokens(&self, texts: &[String]) -> Result<Vec<Tokens>> {
        if texts.is_empty() {
            return Ok(Vec::new());
        }
        let mut held = self.conn.lock().await;
        // Taken out while in use: if the caller is cancelled, the connection is dropped and the next call opens another
        // one.
        let mut conn = match held.take() {
            Some(conn) => conn,
            None => self.open().await?,
        };
        let packed = analyse(&mut conn, texts).await?;
        *held = Some(conn);
        drop(held);
        unpack(&packed, texts.len())
    }

    async fn open(&self) -> Result<Conn> {
        let mut conn = Conn::open(&pragmas::nowhere(&self.options), self.options.busy_timeout)?;
        conn.run("creating a tokenizer", MAKE, Args::new()).await?;
        Ok(conn)
    }
}

async fn analyse(conn: &mut Conn, texts: &[String]) -> Result<String> {
    // A NUL would end the text; to the tokenizer it separates words like a space.
    let texts: Vec<_> = texts.iter().map(|text| text.replace('\0', " ")).collect();
    let args = Args::new().with(serde_json::to_string(&texts).unwrap_or_default());
    let packed = conn.row("tokenizing texts", ANALYSE, args, |row| Cells::new(row).opt_text()).await?;
    Ok(packed.flatten().unwrap_or_default())
}

/// Parses lines of text number, position and token, in any order.
fn unpack(packed: &str, texts: usize) -> Result<Vec<Tokens>> {
    let bad = || errors::corrupt("tokens are not readable");
    let mut by_position: Vec<HashMap<usize, &str>> = vec![HashMap::new(); texts];
    for line in packed.lines() {
        let (text, rest) = line.split_once(' ').ok_or_else(bad)?;
        let (position, token) = rest.split_once(' ').ok_or_else(bad)?;
        let (text, position): (usize, usize) = (text.parse().map_err(|_| bad())?, position.parse().map_err(|_| bad())?);
        by_position.get_mut(text).ok_or_else(bad)?.insert(position, token);
    }
    // Positions have no gaps.
    let in_order = |tokens: HashMap<usize, &str>| {
        (0..tokens.len())
            .map(|position| tokens.get(&position).map(|token| (*token).to_owned()).ok_or_else(bad))
            .collect()
    };
    by_position.into_iter().map(in_order).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[tokio::test]
    async fn texts_are_taken_apart_as_the_index_does_and_nothing_of_them_stays() {
        let analyser = Analyser::without_files();
        let texts =
            ["Herons were fishing, again: herons!", "", "?! \0", "Ångström's 2nd\0e\u{301}tude"].map(str::to_owned);
        for _ in 0..2 {
            let tokens = analyser.tokens(&texts).await.unwrap();
            assert_eq!(tokens[0], ["heron", "were", "fish", "again", "heron"]);
            assert!(tokens[1].is_empty() && tokens[2].is_empty());
            assert_eq!(tokens[3], ["angstrom", "s", "2nd", "etud"]);
        }
        let mut held = analyser.conn.lock().await;
        let conn = held.as_mut().unwrap();
        let sql = "SELECT count(*) FROM token";
        let left = conn.row("counting", sql, Args::new(), |row| Cells::new(row).int()).await.unwrap();
        assert_eq!(left, Some(0));
    }

    #[test]
    fn what_is_not_whole_is_refused() {
        for packed in ["0 1 gap", "9 0 far", "0 x word", "0", "words"] {
            assert!(unpack(packed, 1).is_err(), "{packed}");
        }
    }
}
