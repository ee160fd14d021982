//! Creation of the tables, and the rights on them.

use kimberly_queue::{PgQueueOptions, Pushed, Queue, QueueOptions};

use crate::common::database::{APP, Database, OWNER, run};
use crate::common::{Fixture, On, Runs, consume, job, quick, recorder};

async fn refusal(options: &PgQueueOptions) -> String {
    Queue::connect(options, quick()).await.unwrap_err().to_string()
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn many_may_make_the_tables_at_the_same_moment() {
    let database = Database::make().await;
    let options = database.options();
    let connects = (0..8).map(|_| {
        let options = options.clone();
        tokio::spawn(async move { Queue::connect(&options, quick()).await })
    });
    for connected in futures::future::join_all(connects).await {
        connected.unwrap().unwrap();
    }
}

#[tokio::test]
async fn a_role_that_owns_nothing_needs_the_owner_once() {
    let database = Database::make_with(&format!("OWNER {OWNER}")).await;
    let alone = PgQueueOptions::new(database.url_as(APP));
    let refused = refusal(&alone).await;
    assert!(refused.contains("extension hstore") || refused.contains("apalis"), "{refused}");
    // The owner is not a superuser.
    let with_owner = PgQueueOptions { owner_url: Some(database.url_as(OWNER)), ..alone.clone() };
    Queue::connect(&with_owner, quick()).await.unwrap().close().await;
    let queue = Queue::connect(&alone, quick()).await.unwrap();
    assert_eq!(queue.push(&job(1)).await.unwrap(), Pushed::New);
    let mut conn = database.connect().await;
    run(&mut conn, &format!("REVOKE DELETE ON apalis.jobs FROM {APP}")).await;
    let lacking = refusal(&alone).await;
    assert!(lacking.contains("lacks") && lacking.contains("\"apalis\".\"jobs\""), "{lacking}");
    Queue::connect(&with_owner, quick()).await.unwrap();
    Queue::connect(&alone, quick()).await.unwrap();
}

#[tokio::test]
async fn an_address_that_leads_nowhere_is_refused_without_its_password() {
    let database = Database::make().await;
    let options = PgQueueOptions::new(database.url().replace(database.name(), "no_such_database"));
    let refused = refusal(&options).await;
    assert!(refused.contains("no_such_database"), "{refused}");
    let shown = format!("{:?}", PgQueueOptions::new("postgres://ada:secret@host/db"));
    assert!(!shown.contains("secret"), "{shown}");
}

#[tokio::test]
async fn tables_of_a_newer_build_are_refused() {
    let fixture = Fixture::new(On::Postgres).await;
    fixture.run("UPDATE kimberly_queue SET version = 9, serves_from = 9").await;
    let refused = refusal(&fixture.database.as_ref().unwrap().options()).await;
    assert!(refused.contains("newer build"), "{refused}");
    fixture.run("UPDATE kimberly_queue SET serves_from = 1").await;
    fixture.another(quick()).await;
}

#[tokio::test]
async fn nothing_notifies_and_nothing_is_left_in_public() {
    let fixture = Fixture::new(On::Postgres).await;
    let triggers = "SELECT count(*) FROM pg_trigger WHERE NOT tgisinternal";
    assert_eq!(fixture.number(triggers).await, 0);
    let tables = "SELECT count(*) FROM pg_class c JOIN pg_namespace n ON n.oid = relnamespace \
         WHERE nspname = 'public' AND relkind IN ('r', 'v', 'S')";
    assert_eq!(fixture.number(tables).await, 0);
}

#[tokio::test]
async fn two_installations_in_one_database_do_not_see_each_others_jobs() {
    let fixture = Fixture::new(On::Postgres).await;
    let options = fixture.database.as_ref().unwrap().options();
    let other = PgQueueOptions { schema: "other".to_owned(), ..options };
    let other = Queue::connect(&other, QueueOptions::default()).await.unwrap();
    fixture.queue.push(&job(1)).await.unwrap();
    assert_eq!(other.push(&job(1)).await.unwrap(), Pushed::New, "the same id in another queue");
    other.push(&job(2)).await.unwrap();
    let runs = Runs::default();
    let consumer = consume(&fixture.queue, recorder(&runs, |_, _| Ok(())), 2);
    fixture.eventually("done", std::time::Duration::from_secs(10), |s| s.done == 1).await;
    consumer.stop().await;
    assert_eq!(other.erase_user("user-1").await.unwrap(), 2);
    assert_eq!(fixture.queue.stats().await.unwrap().done, 1);
}

#[tokio::test]
async fn polling_reads_no_other_rows_than_due_jobs() {
    let fixture = Fixture::new(On::Postgres).await;
    let batch: Vec<_> = (0..5000).map(|n| (job(n), 0)).collect();
    fixture.queue.push_batch(&batch).await.unwrap();
    let mut conn = fixture.database.as_ref().unwrap().connect().await;
    run(&mut conn, "ANALYZE jobs").await;
    for (what, sql) in [
        (
            "fetching",
            "SELECT id FROM jobs WHERE (status = 'Pending' OR (status = 'Failed' AND attempts < max_attempts)) \
             AND run_at < now() AND job_type = 'kimberly.kimberly' ORDER BY priority DESC, run_at ASC LIMIT 1 FOR UPDATE SKIP LOCKED",
        ),
        (
            "the last turn of a user",
            "SELECT min(priority) FROM jobs \
             WHERE job_type = 'kimberly.kimberly' AND metadata -> 'user' = 'user-1' AND status = 'Pending'",
        ),
        (
            "what runs",
            "SELECT min(priority) FROM jobs \
             WHERE job_type = 'kimberly.kimberly' AND status IN ('Queued', 'Running')",
        ),
        (
            "rows that cannot be fetched",
            "SELECT id FROM jobs WHERE job_type = 'kimberly.kimberly' AND status IN ('Pending', 'Failed') \
             AND (id !~* '^[0-7][0-9A-HJKMNP-TV-Z]{25}$' OR attempts < 0 OR array_position(avals(metadata), NULL) IS NOT NULL)",
        ),
    ] {
        let explain = sqlx::AssertSqlSafe(format!("EXPLAIN {sql}"));
        let plan: Vec<String> = sqlx::query_scalar(explain).fetch_all(&mut conn).await.unwrap();
        let plan = plan.join("\n");
        assert!(!plan.contains("Seq Scan") && !plan.contains("Sort"), "{what}:\n{plan}");
    }
}

#[tokio::test]
async fn a_worker_whose_clock_was_ahead_leases_jobs_no_longer_than_others() {
    let fixture = Fixture::new(On::Postgres).await;
    fixture.queue.push(&job(1)).await.unwrap();
    let ahead = "INSERT INTO workers (id, worker_type, storage_name, last_seen) \
         VALUES ('gone', 'kimberly.kimberly', 's', now() + interval '1 hour')";
    fixture.run(ahead).await;
    fixture.run("UPDATE jobs SET status = 'Queued', lock_by = 'gone', lock_at = now()").await;
    let consumer = fixture.consume(recorder(&Runs::default(), |_, _| Ok(())), 1);
    fixture.eventually("done", std::time::Duration::from_secs(30), |s| s.done == 1).await;
    consumer.stop().await;
}
