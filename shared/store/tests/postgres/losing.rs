//! Connections lost at the worst moments.

use std::str::FromStr as _;
use std::sync::atomic::{AtomicU32, Ordering};
use std::sync::{Arc, Mutex};

use kimberly_core::ids::Seq;
use kimberly_store::conformance::Bed;
use kimberly_store::conformance::fixtures::{draft, new_memory, user};
use kimberly_store::{PgOptions, PgStore};
use sqlx::ConnectOptions as _;
use sqlx::postgres::PgConnectOptions;
use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};
use tokio::net::{TcpListener, TcpStream};

use crate::postgres::common::{Database, Still, bed};

/// The message as sent: text ending with a NUL.
const COMMIT: &str = "COMMIT\0";

/// When to cut a connection: after a client sent these words, before the server gets them or after it has answered.
#[derive(Clone, Copy)]
struct Cut {
    words: &'static str,
    answered: bool,
}

/// A proxy between clients and the server.
struct Between {
    port: u16,
    cut: Arc<Mutex<Option<Cut>>>,
}

impl Between {
    async fn open(server: (String, u16)) -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let (port, cut) = (listener.local_addr().unwrap().port(), Arc::new(Mutex::new(None)));
        let of_all = Arc::clone(&cut);
        tokio::spawn(async move {
            while let Ok((client, _)) = listener.accept().await {
                let server = TcpStream::connect(server.clone()).await.unwrap();
                tokio::spawn(pass(client, server, Arc::clone(&of_all)));
            }
        });
        Self { port, cut }
    }

    fn cut_once(&self, words: &'static str, answered: bool) {
        *self.cut.lock().unwrap() = Some(Cut { words, answered });
    }
}

/// Forwards data both ways until one side ends or the connection is cut.
async fn pass(mut client: TcpStream, mut server: TcpStream, cut: Arc<Mutex<Option<Cut>>>) {
    let (mut asked, mut answer) = (vec![0; 1 << 16], vec![0; 1 << 16]);
    loop {
        tokio::select! {
            read = client.read(&mut asked) => {
                let Ok(read @ 1..) = read else { return };
                let found = take(&cut, &asked[..read]);
                if found.is_some_and(|cut| !cut.answered) || server.write_all(&asked[..read]).await.is_err() {
                    return;
                }
                if found.is_some() {
                    let _ = server.read(&mut answer).await.unwrap();
                    return;
                }
            }
            read = server.read(&mut answer) => {
                let Ok(read @ 1..) = read else { return };
                if client.write_all(&answer[..read]).await.is_err() {
                    return;
                }
            }
        }
    }
}

/// Returns the cut if it is due at these bytes.
fn take(cut: &Mutex<Option<Cut>>, asked: &[u8]) -> Option<Cut> {
    let mut cut = cut.lock().unwrap();
    let words = cut.as_ref()?.words.as_bytes();
    if asked.windows(words.len()).any(|found| found == words) { cut.take() } else { None }
}

async fn open() -> (Between, Bed) {
    let database = Database::make().await;
    let how = PgConnectOptions::from_str(&database.url()).unwrap();
    let between = Between::open((how.get_host().to_owned(), how.get_port())).await;
    let url = how.host("127.0.0.1").port(between.port).to_url_lossy();
    let options = PgOptions { max_connections: 3, ..PgOptions::new(url.as_str()) };
    let store = PgStore::open(options, Arc::new(Still)).await.unwrap();
    (between, bed(store, database))
}

/// Inserts a memory; returns its number and how often the work was started.
async fn insert(bed: &Bed, n: u32) -> (Vec<Seq>, u32) {
    let begun = Arc::new(AtomicU32::new(0));
    let times = Arc::clone(&begun);
    let inserted = bed
        .vaults
        .transact(&user("u"), "create", move |tx| {
            times.fetch_add(1, Ordering::Relaxed);
            Box::pin(async move { tx.insert_memories(&[new_memory(n, draft("once"))]).await })
        })
        .await;
    (inserted.unwrap(), begun.load(Ordering::Relaxed))
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_work_that_loses_its_connection_is_done_again() {
    let (between, bed) = open().await;
    between.cut_once("INSERT INTO memories", false);
    assert_eq!(insert(&bed, 1).await, (vec![Seq(1)], 2));
    assert_eq!(bed.usage("u").await.created, 1);
    bed.vaults.close().await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_commit_that_did_not_arrive_is_made_again() {
    let (between, bed) = open().await;
    insert(&bed, 1).await;
    between.cut_once(COMMIT, false);
    assert_eq!(insert(&bed, 2).await, (vec![Seq(2)], 2));
    assert_eq!(bed.usage("u").await.created, 2);
    bed.vaults.close().await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_commit_whose_answer_is_lost_is_known_all_the_same() {
    let (between, bed) = open().await;
    insert(&bed, 1).await;
    between.cut_once(COMMIT, true);
    assert_eq!(insert(&bed, 2).await, (vec![Seq(2)], 1));
    assert_eq!(bed.usage("u").await.created, 2);
    bed.vaults.close().await;
}
