//! Compares recall with the bare full-text query.

use std::path::Path;
use std::sync::Arc;
use std::time::Instant;

use kimberly_core::UserId;
use kimberly_core::ports::{LexicalQuery, LexicalTerm, SessionSpot, Vaults};
use kimberly_store::SqliteStore;
use sqlx::sqlite::{SqliteConnectOptions, SqliteConnection};
use sqlx::{ConnectOptions, Row};

use crate::figures::report;
use crate::texts::{Dice, memory};
use crate::writing::bulk;

/// Returns six words; if `common`, most memories contain one of them.
pub(crate) fn query(dice: &mut Dice, common: bool) -> LexicalQuery {
    let mut word = || if common { Dice::nth(dice.roll(60)) } else { dice.word() };
    let any = (0..6).map(|_| LexicalTerm { words: vec![word()], prefix: false }).collect();
    LexicalQuery { any, ..LexicalQuery::default() }
}

pub(crate) async fn bare_fts(conn: &mut SqliteConnection, expression: &str, sql: &'static str) -> usize {
    sqlx::query(sql)
        .bind(expression)
        .fetch_all(conn)
        .await
        .unwrap()
        .iter()
        .map(|row| usize::from(row.get::<f64, _>(1) > 0.0))
        .sum()
}

pub(crate) async fn reads(store: &SqliteStore, path: &Path, dice: &mut Dice) {
    let (vaults, user) = (store.vaults(), UserId::parse("reader").unwrap());
    bulk(&vaults, &user, (0..1_000).map(|n| memory(dice, 2_000_000 + n, 150)).collect()).await;
    let mut conn = SqliteConnectOptions::new().filename(path).disable_statement_logging().connect().await.unwrap();
    for common in [false, true] {
        compare(&vaults, &user, &mut conn, (dice, common)).await;
    }
}

pub(crate) async fn compare(
    vaults: &Arc<dyn Vaults>,
    user: &UserId,
    conn: &mut SqliteConnection,
    (dice, common): (&mut Dice, bool),
) {
    let (mut top, mut all, mut ours, mut with_spots, mut hits) = (vec![], vec![], vec![], vec![], 0);
    for _ in 0..500 {
        let query = query(dice, common);
        let expression = query.any.iter().map(|t| format!("\"{}\"", t.words[0])).collect::<Vec<_>>().join(" OR ");
        let began = Instant::now();
        bare_fts(
            conn,
            &expression,
            "SELECT rowid, -bm25(search) FROM search WHERE search MATCH ? ORDER BY rank LIMIT 10",
        )
        .await;
        top.push(began.elapsed());
        let began = Instant::now();
        hits += bare_fts(conn, &expression, "SELECT rowid, -bm25(search) FROM search WHERE search MATCH ?").await;
        all.push(began.elapsed());
        for spots in [false, true] {
            let query = query.clone();
            let began = Instant::now();
            vaults.read(user, move |r| lookup(r, query.clone(), spots)).await.unwrap();
            if spots { with_spots.push(began.elapsed()) } else { ours.push(began.elapsed()) }
        }
    }
    println!("queries of six words over 1,000 memories, {} hits each", hits / 500);
    let bare = report("bare FTS5 through sqlx, best 10", &mut top);
    report("bare FTS5 through sqlx, all hits", &mut all);
    let ours = report("lexical, best 100", &mut ours);
    let both = report("lexical and at_spots", &mut with_spots);
    println!("    lexical / bare best 10: {:.2}; with at_spots: {:.2}", ours / bare, both / bare);
}

pub(crate) fn lookup(
    reader: &mut dyn kimberly_core::ports::VaultReader,
    query: LexicalQuery,
    spots: bool,
) -> kimberly_core::ports::BoxFuture<'_, kimberly_core::Result<usize>> {
    Box::pin(async move {
        let hits = reader.lexical(&query, 100).await?;
        if !spots {
            return Ok(hits.len());
        }
        let near: Vec<_> = hits
            .iter()
            .filter_map(|hit| hit.spot)
            .flat_map(|spot| (-3..=3).map(move |d| SessionSpot { position: spot.position + d, ..spot }))
            .collect();
        Ok(reader.at_spots(&near, &query.filter).await?.len())
    })
}
