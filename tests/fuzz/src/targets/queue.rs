//! Jobs, as stored in the queue's database.

use super::seeds;
use crate::Target;

pub(super) const TARGETS: &[Target] =
    &[Target { name: "job", about: "a job in the queue", seeds: jobs, run: kimberly_queue::fuzzing::job }];

fn jobs() -> Vec<Vec<u8>> {
    seeds(&[r#"{"v":1,"kind":"meditate","user_id":"ana","subject_id":"med_1","job_id":"j","traceparent":null}"#])
}
