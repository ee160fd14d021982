//! Broken connections, and a server that is unreachable for a while.

use std::collections::HashSet;
use std::sync::Arc;
use std::time::{Duration, Instant};

use kimberly_queue::{PgQueueOptions, PollOptions, Queue, QueueOptions};
use tokio::net::{TcpListener, TcpStream};
use tokio::task::JoinHandle;

use crate::common::database::{Database, run};
use crate::common::{Fixture, On, Runs, consume, job, quick, sleeper};

const CUTS: usize = 20;
const SOON: Duration = Duration::from_mins(1);

/// Pushes until acknowledged.
async fn push_until_it_is_there(queue: &Queue, n: usize) {
    let started = Instant::now();
    while let Err(error) = queue.push(&job(n)).await {
        assert!(started.elapsed() < SOON, "{error}");
        tokio::time::sleep(Duration::from_millis(20)).await;
    }
}

fn ran(runs: &Runs) -> HashSet<String> {
    runs.lock().unwrap().iter().map(|run| run.job_id.clone()).collect()
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn jobs_survive_connections_that_are_cut_all_the_time() {
    let fixture = Fixture::new(On::Postgres).await;
    let consumers: Vec<Queue> = vec![fixture.queue.clone(), fixture.another(quick()).await];
    let runs = Runs::default();
    let consumers: Vec<_> =
        consumers.iter().map(|queue| consume(queue, sleeper(&runs, Duration::from_millis(60)), 4)).collect();
    let mut conn = fixture.database.as_ref().unwrap().connect().await;
    let cutting = tokio::spawn(async move {
        for _ in 0..CUTS {
            tokio::time::sleep(Duration::from_millis(170)).await;
            let cut = "SELECT pg_terminate_backend(pid) FROM pg_stat_activity \
                 WHERE datname = current_database() AND application_name = 'kimberly-queue'";
            run(&mut conn, cut).await;
        }
    });
    let mut pushed = 0;
    while !cutting.is_finished() {
        push_until_it_is_there(&fixture.queue, pushed).await;
        pushed += 1;
        tokio::time::sleep(Duration::from_millis(5)).await;
    }
    cutting.await.unwrap();
    let stats = loop {
        let Ok(stats) = fixture.queue.stats().await else { continue };
        if stats.done == pushed as u64 {
            break stats;
        }
        tokio::time::sleep(Duration::from_millis(50)).await;
    };
    tracing::info!("{pushed} pushed, {} runs, {:?}", runs.lock().unwrap().len(), fixture.queue.consumer_health());
    assert_eq!((stats.dead, stats.pending, stats.running, stats.delayed), (0, 0, 0, 0));
    assert_eq!(ran(&runs).len(), pushed, "every acknowledged job ran");
    for consumer in consumers {
        assert_eq!(consumer.stop().await.cut, 0);
    }
}

/// A dropped worker abandons its pending calls, which may include a BEGIN.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn what_is_written_while_consumers_are_dropped_is_not_lost() {
    let often = PollOptions { busy: Duration::from_millis(1), idle: Duration::from_millis(1) };
    let fixture = Fixture::with(On::Postgres, QueueOptions { poll: often, ..quick() }).await;
    for n in 0..60 {
        let consumer = consume(&fixture.queue, sleeper(&Runs::default(), Duration::ZERO), 1);
        tokio::time::sleep(Duration::from_millis(20 + n % 7)).await;
        consumer.task.abort();
        let _ = consumer.task.await;
        for _ in 0..4 {
            // Far in the future, so that no worker takes it; several times, to use several connections.
            fixture.queue.push_after(&job(usize::try_from(n).unwrap()), u64::from(u32::MAX)).await.unwrap();
        }
    }
    // Seen from another connection.
    assert_eq!(fixture.number("SELECT count(*) FROM jobs").await, 60);
    let open = "SELECT count(*) FROM pg_stat_activity WHERE datname = current_database() \
         AND application_name = 'kimberly-queue' AND state = 'idle in transaction'";
    assert!(fixture.number(open).await <= 1, "only the fetching connection may stay open");
}

/// A proxy between clients and server that can be taken offline.
struct Between {
    port: u16,
    server: (String, u16),
    passing: Option<JoinHandle<()>>,
}

impl Between {
    async fn open(database: &Database) -> Self {
        let mut between = Self { port: 0, server: database.server(), passing: None };
        between.back().await;
        between
    }

    async fn back(&mut self) {
        let listener = TcpListener::bind(("127.0.0.1", self.port)).await.unwrap();
        self.port = listener.local_addr().unwrap().port();
        let server = self.server.clone();
        self.passing = Some(tokio::spawn(async move {
            // Dropped with this task, which closes all connections.
            let mut connections = tokio::task::JoinSet::new();
            while let Ok((mut client, _)) = listener.accept().await {
                let server = server.clone();
                connections.spawn(async move {
                    let mut server = TcpStream::connect(server).await.unwrap();
                    let _ = tokio::io::copy_bidirectional(&mut client, &mut server).await;
                });
            }
        }));
    }

    async fn away(&mut self) {
        let passing = self.passing.take().unwrap();
        passing.abort();
        let _ = passing.await;
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_server_that_was_away_is_used_again_and_what_ran_meanwhile_is_settled() {
    let fixture = Fixture::new(On::Postgres).await;
    let database = fixture.database.as_ref().unwrap();
    let mut between = Between::open(database).await;
    let options = PgQueueOptions {
        connect_timeout: Duration::from_millis(500),
        ..PgQueueOptions::new(database.url_at(between.port))
    };
    let queue = Arc::new(Queue::connect(&options, quick()).await.unwrap());
    let runs = Runs::default();
    let consumer = consume(&queue, sleeper(&runs, Duration::from_millis(700)), 2);
    queue.push(&job(1)).await.unwrap();
    fixture.eventually("it runs", SOON, |s| s.running == 1).await;
    between.away().await;
    let refused = queue.push(&job(2)).await;
    assert!(refused.is_err(), "an unstored job is not acknowledged");
    while queue.consumer_health().consecutive_failures < 2 {
        tokio::time::sleep(Duration::from_millis(20)).await;
    }
    assert!(!consumer.task.is_finished());
    between.back().await;
    push_until_it_is_there(&queue, 3).await;
    fixture.eventually("both are done", SOON, |s| s.done == 2).await;
    consumer.stop().await;
    tracing::info!("{:?}", queue.consumer_health());
    assert_eq!(ran(&runs), HashSet::from(["job-1".to_owned(), "job-3".to_owned()]));
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn the_first_to_reconnect_after_an_outage_takes_no_job_of_live_workers() {
    let fixture = Fixture::new(On::Postgres).await;
    let database = fixture.database.as_ref().unwrap();
    let (runs, mut ways, mut consumers) = (Runs::default(), Vec::new(), Vec::new());
    for n in 0..2 {
        let between = Between::open(database).await;
        let options = PgQueueOptions {
            connect_timeout: Duration::from_millis(500),
            ..PgQueueOptions::new(database.url_at(between.port))
        };
        let queue = Queue::connect(&options, quick()).await.unwrap();
        consumers.push(consume(&queue, sleeper(&runs, Duration::from_secs(12)), 1));
        ways.push(between);
        fixture.queue.push(&job(n)).await.unwrap();
    }
    fixture.eventually("both run", SOON, |s| s.running == 2).await;
    for between in &mut ways {
        between.away().await;
    }
    // Longer than the lease of 4 s: for the database both workers are dead.
    tokio::time::sleep(Duration::from_secs(6)).await;
    ways[0].back().await;
    let renewed = "SELECT count(*) FROM workers WHERE last_seen > now() - interval '3 seconds'";
    while fixture.number(renewed).await == 0 {
        tokio::time::sleep(Duration::from_millis(20)).await;
    }
    ways[1].back().await;
    fixture.eventually("both are done", SOON, |s| s.done == 2).await;
    assert_eq!(runs.lock().unwrap().len(), 2, "no job ran again");
    assert_eq!(fixture.number("SELECT sum(attempts) FROM jobs").await, 2);
    for consumer in consumers {
        consumer.stop().await;
    }
}
