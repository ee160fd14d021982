//! The queue's guarantees, one file each. One program, since linking takes longer than most of these tests.
#![expect(clippy::unwrap_used, reason = "a helper that fails should stop its test")]

mod a_frozen_worker_comes_too_late;
mod a_key_encrypts_the_file;
mod a_purged_user_leaves_no_job;
mod children;
mod common;
mod damaged_store_is_reported_and_survived;
mod dead_job_is_given_up_first;
mod failing_job_is_retried_then_dead_lettered;
mod jobs_for_the_embedder_have_a_queue_of_their_own;
mod killed_process_loses_no_job;
mod late_result_of_a_lost_lease_is_dropped;
mod many_processes_share_the_jobs;
mod one_users_jobs_do_not_hold_up_anothers;
mod postgres;
mod push_to_start_latency;
mod pushed_twice_runs_once;
mod stop_lets_running_jobs_finish;
mod undecodable_payload_is_dead_lettered;
