//! Measures the store on this machine: `cargo run --release -p kimberly-store --example measure`.
//!
//! Trust the ratios: every figure stands beside what the bare machine does in the same run.
#![expect(clippy::print_stdout, clippy::unwrap_used, reason = "prints figures; a failure should stop it")]

use std::io::Write as _;
use std::path::Path;
use std::sync::Arc;
use std::time::{Duration, Instant};

use kimberly_core::memory::{MemoryDraft, Metadata};
use kimberly_core::ports::{
    AuditEntry, Clock, LexicalQuery, LexicalTerm, NewMemory, RequestRecord, SessionSpot, Vaults,
};
use kimberly_core::scoring::{ScoreRecord, Signals, Weights};
use kimberly_core::text::TextTraits;
use kimberly_core::time::{Span, Timestamp};
use kimberly_core::{MemoryId, UserId};
use kimberly_store::{SqliteOptions, SqliteStore};
use sqlx::sqlite::{SqliteConnectOptions, SqliteConnection};
use sqlx::{ConnectOptions, Row};

struct FixedClock;

impl Clock for FixedClock {
    fn now(&self) -> Timestamp {
        Timestamp(1_800_000_000_000_000)
    }
}

/// A small generator, so that every run measures the same texts.
struct Dice(u64);

impl Dice {
    fn roll(&mut self, below: u64) -> u64 {
        self.0 = self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (self.0 >> 33) % below
    }

    /// Common words are common: the smaller of three rolls.
    fn word(&mut self) -> String {
        let n = self.roll(4_000).min(self.roll(4_000)).min(self.roll(4_000));
        Self::nth(if self.roll(3) == 0 { self.roll(60) } else { n })
    }

    fn nth(n: u64) -> String {
        let mut rest = n + 7;
        let mut word = String::new();
        while rest > 0 {
            word.push_str(["ka", "lo", "mi", "ne", "ru", "so", "ti", "va", "wen", "dor"][(rest % 10) as usize]);
            rest /= 10;
        }
        word
    }

    fn text(&mut self, bytes: usize) -> String {
        let mut text = self.word();
        while text.len() < bytes {
            text.push(' ');
            text.push_str(&self.word());
        }
        text
    }
}

fn memory(dice: &mut Dice, n: u128, bytes: usize) -> NewMemory {
    let at = FixedClock.now().plus(Span(i64::try_from(n).unwrap_or(0)));
    let content = dice.text(bytes);
    let traits = TextTraits { words: u32::try_from(content.split(' ').count()).unwrap_or(0), ..TextTraits::default() };
    let inputs = [("age_days", 0.0), ("access_count", 0.0), ("sentiment", 0.3)];
    NewMemory {
        id: MemoryId(uuid::Uuid::from_u128((1 << 100) + n)),
        size_bytes: content.len() as u64,
        draft: MemoryDraft {
            content,
            session_id: Some(format!("session-{}", n / 40)),
            speaker: Some(if n & 1 == 0 { "Anna" } else { "Ben" }.to_owned()),
            metadata: Metadata { version: "v1".to_owned(), ..Metadata::default() },
            ..MemoryDraft::default()
        },
        sentiment: 0.3,
        traits,
        score: ScoreRecord {
            version: "scoring/v1".to_owned(),
            scored_at: at,
            score: 0.46,
            signals: Signals {
                relevance_to_goals: 0.5,
                emotional_weight: 0.3,
                predictive_value: 0.5,
                recency_freq: 0.6,
            },
            weights: Weights::new([0.4, 0.3, 0.2, 0.1]),
            inputs: inputs.into_iter().map(|(name, value)| (name.to_owned(), value)).collect(),
            best_goal: None,
        },
        created_at: at,
    }
}

/// What a create does: context, insert, audit, answer.
async fn create(vaults: &Arc<dyn Vaults>, user: &UserId, memory: NewMemory) {
    let memories = Arc::new(vec![memory]);
    vaults
        .transact(user, "create", move |tx| {
            let memories = Arc::clone(&memories);
            Box::pin(async move {
                let request_id = memories[0].id.to_string();
                tx.write_context(Some(&request_id)).await?;
                tx.insert_memories(&memories).await?;
                let at = memories[0].created_at;
                let subject = Some(request_id.clone());
                tx.audit(&AuditEntry { at, actor: "user".into(), action: "memory.create", subject, count: 1 }).await?;
                let answer = "{\"receipt\":\"of about as many bytes as a real one has, two hundred or so\"}".repeat(3);
                tx.put_request(&RequestRecord { request_id, fingerprint: [7; 32], answer, at }).await
            })
        })
        .await
        .unwrap();
}

async fn bulk(vaults: &Arc<dyn Vaults>, user: &UserId, memories: Vec<NewMemory>) {
    let memories = Arc::new(memories);
    vaults
        .transact(user, "bulk", move |tx| {
            let memories = Arc::clone(&memories);
            Box::pin(async move { tx.insert_memories(&memories).await.map(|_| ()) })
        })
        .await
        .unwrap();
}

fn percentile(times: &mut [Duration], percent: usize) -> f64 {
    times.sort_unstable();
    times[(times.len() - 1) * percent / 100].as_secs_f64() * 1e6
}

fn report(what: &str, times: &mut [Duration]) -> f64 {
    let p50 = percentile(times, 50);
    println!("{what:<58} p50 {p50:>8.0} us   p99 {:>8.0} us", percentile(times, 99));
    p50
}

async fn writes(store: &SqliteStore, folder: &Path, dice: &mut Dice) {
    let vaults = store.vaults();
    let user = UserId::parse("writer").unwrap();
    create(&vaults, &user, memory(dice, 0, 150)).await;
    let mut bare = std::fs::File::create(folder.join("bare")).unwrap();
    let (mut bare_times, mut create_times) = (Vec::new(), Vec::new());
    for n in 1..=400 {
        let began = Instant::now();
        bare.write_all(&[7; 4096]).unwrap();
        bare.sync_data().unwrap();
        bare_times.push(began.elapsed());
        let one = memory(dice, n, 150);
        let began = Instant::now();
        create(&vaults, &user, one).await;
        create_times.push(began.elapsed());
    }
    let bare = report("bare append of 4 KiB + fdatasync", &mut bare_times);
    let single = report("create, one client", &mut create_times);
    println!("    create / bare: {:.2}", single / bare);
    let rate_1 = clients(&vaults, 1, 400, 100_000).await;
    let rate_32 = clients(&vaults, 32, 100, 200_000).await;
    println!(
        "    creates per second on one vault: 1 client {rate_1:.0}, 32 clients {rate_32:.0} ({:.1}x)",
        rate_32 / rate_1
    );
}

async fn clients(vaults: &Arc<dyn Vaults>, clients: u128, each: u128, first: u128) -> f64 {
    let began = Instant::now();
    let mut tasks = Vec::new();
    for client in 0..clients {
        let vaults = Arc::clone(vaults);
        tasks.push(tokio::spawn(async move {
            let user = UserId::parse("writer").unwrap();
            let mut dice = Dice(9 + u64::try_from(client).unwrap());
            let mut times = Vec::new();
            for n in 0..each {
                let one = memory(&mut dice, first + client * each + n, 150);
                let began = Instant::now();
                create(&vaults, &user, one).await;
                times.push(began.elapsed());
            }
            times
        }));
    }
    let mut times = Vec::new();
    for task in tasks {
        times.extend(task.await.unwrap());
    }
    let seconds = began.elapsed().as_secs_f64();
    let rate = f64::from(u32::try_from(times.len()).unwrap()) / seconds;
    report(&format!("create, {clients} clients on one vault"), &mut times);
    rate
}

async fn imports(store: &SqliteStore, dice: &mut Dice) {
    let user = UserId::parse("importer").unwrap();
    let batches: Vec<Vec<_>> =
        (0..20).map(|b| (0..1_000).map(|n| memory(dice, 1_000_000 + b * 1_000 + n, 150)).collect()).collect();
    let began = Instant::now();
    for batch in batches {
        bulk(&store.vaults(), &user, batch).await;
    }
    let rate = 20_000.0 / began.elapsed().as_secs_f64();
    println!("bulk insert of 20 x 1,000 memories of 150 bytes: {rate:.0}/s");
}

/// Six words; common ones if asked for, which most memories hold one of.
fn query(dice: &mut Dice, common: bool) -> LexicalQuery {
    let mut word = || if common { Dice::nth(dice.roll(60)) } else { dice.word() };
    let any = (0..6).map(|_| LexicalTerm { words: vec![word()], prefix: false }).collect();
    LexicalQuery { any, ..LexicalQuery::default() }
}

async fn bare_fts(conn: &mut SqliteConnection, expression: &str, sql: &'static str) -> usize {
    sqlx::query(sql)
        .bind(expression)
        .fetch_all(conn)
        .await
        .unwrap()
        .iter()
        .map(|row| usize::from(row.get::<f64, _>(1) > 0.0))
        .sum()
}

async fn reads(store: &SqliteStore, path: &Path, dice: &mut Dice) {
    let (vaults, user) = (store.vaults(), UserId::parse("reader").unwrap());
    bulk(&vaults, &user, (0..1_000).map(|n| memory(dice, 2_000_000 + n, 150)).collect()).await;
    let mut conn = SqliteConnectOptions::new().filename(path).disable_statement_logging().connect().await.unwrap();
    for common in [false, true] {
        compare(&vaults, &user, &mut conn, (dice, common)).await;
    }
}

async fn compare(
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

fn lookup(
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

async fn opening(options: &SqliteOptions, users: u32) {
    let store = SqliteStore::open(options.clone(), Arc::new(FixedClock)).await.unwrap();
    let vaults = store.vaults();
    let mut dice = Dice(5);
    let mut made = Vec::new();
    for n in 0..users {
        let user = UserId::parse(&format!("user-{n}")).unwrap();
        let batch = (0..20).map(|m| memory(&mut dice, 3_000_000 + u128::from(n) * 100 + m, 150)).collect();
        let began = Instant::now();
        bulk(&vaults, &user, batch).await;
        made.push(began.elapsed());
    }
    report("first write of a user (makes the vault)", &mut made);
    vaults.close().await;
    let store = SqliteStore::open(options.clone(), Arc::new(FixedClock)).await.unwrap();
    let vaults = store.vaults();
    for what in ["first read of a user (opens the vault)", "second read (vault is open)"] {
        let before = resident_kib();
        let mut times = Vec::new();
        for n in 0..users {
            let user = UserId::parse(&format!("user-{n}")).unwrap();
            let query = query(&mut dice, false);
            let began = Instant::now();
            vaults.read(&user, move |r| lookup(r, query.clone(), true)).await.unwrap();
            times.push(began.elapsed());
        }
        report(what, &mut times);
        let grown = resident_kib().saturating_sub(before);
        println!("    {} vaults open, {} KiB more per vault", vaults.open_vaults(), grown / u64::from(users));
    }
    vaults.close().await;
}

fn resident_kib() -> u64 {
    let status = std::fs::read_to_string("/proc/self/status").unwrap_or_default();
    let line = status.lines().find_map(|line| line.strip_prefix("VmRSS:"));
    line.and_then(|rest| rest.trim().trim_end_matches(" kB").parse().ok()).unwrap_or_default()
}

async fn sizes(store: &SqliteStore, dice: &mut Dice) {
    let vaults = store.vaults();
    for (name, memories) in [("empty", 0_u32), ("thousand", 1_000)] {
        let user = UserId::parse(name).unwrap();
        let batch = (0..u128::from(memories)).map(|n| memory(dice, 4_000_000 + n, 200)).collect();
        bulk(&vaults, &user, batch).await;
        let now = vaults.read(&user, |r| Box::pin(r.sizes())).await.unwrap();
        println!(
            "{memories} memories of 200 bytes: {} KiB at once, index {} KiB",
            now.disk_bytes / 1024,
            now.index_bytes / 1024
        );
    }
    tokio::time::sleep(Duration::from_secs(4)).await;
    for name in ["empty", "thousand"] {
        let rest = vaults.read(&UserId::parse(name).unwrap(), |r| Box::pin(r.sizes())).await.unwrap();
        println!("    {name} vault at rest: {} KiB", rest.disk_bytes / 1024);
    }
}

fn main() {
    let runtime = tokio::runtime::Builder::new_multi_thread().enable_all().build().unwrap();
    runtime.block_on(async {
        let base = std::env::args().nth(1).unwrap_or_else(|| "target".to_owned());
        std::fs::create_dir_all(&base).unwrap();
        let folder = tempfile::tempdir_in(base).unwrap();
        let options = SqliteOptions::new(folder.path().join("data"));
        let store = SqliteStore::open(options.clone(), Arc::new(FixedClock)).await.unwrap();
        let mut dice = Dice(1);
        writes(&store, folder.path(), &mut dice).await;
        imports(&store, &mut dice).await;
        reads(&store, &vault_of(&options.data_dir, "reader"), &mut dice).await;
        sizes(&store, &mut dice).await;
        store.vaults().close().await;
        opening(&SqliteOptions { data_dir: folder.path().join("many"), ..options }, 300).await;
    });
}

/// The database of a user, where the layout says that it is.
fn vault_of(data: &Path, user: &str) -> std::path::PathBuf {
    use sha2::Digest as _;
    use std::fmt::Write as _;
    let mut hash = String::new();
    for byte in sha2::Sha256::digest(user.as_bytes()) {
        let _ = write!(hash, "{byte:02x}");
    }
    data.join("vaults").join(&hash[..2]).join(&hash).join("memory.db")
}
