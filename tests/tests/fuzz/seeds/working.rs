//! Requests about working memory.

use kimberly_proto::v1 as pb;
use pb::working_operation::Operation;

use super::{Seed, USER, seed};

pub(super) fn seeds() -> Vec<Seed> {
    let (user_id, namespace, session_id) = (USER.to_owned(), "travels".to_owned(), "session".to_owned());
    let lifetime = Some(prost_types::Duration { seconds: 60, nanos: 5 });
    let op = |key: &str, operation| pb::WorkingOperation { key: key.to_owned(), operation: Some(operation) };
    let operations = vec![
        op("scratch:plan", Operation::Set(pb::WorkingSet { value: "pack".to_owned(), lifetime })),
        op("scratch:plan", Operation::Append(pb::WorkingAppend { value: ", go".to_owned(), lifetime: None })),
        op("count", Operation::Increment(pb::WorkingIncrement { by: -3, lifetime })),
        op("count", Operation::Expire(pb::WorkingExpire { lifetime })),
        op("count", Operation::Get(pb::WorkingGet {})),
        op("gone", Operation::Delete(pb::WorkingDelete {})),
    ];
    vec![
        seed(
            "/kimberly.v1.WorkingMemoryService/RunWorkingOperations",
            &pb::RunWorkingOperationsRequest {
                user_id: user_id.clone(),
                namespace: namespace.clone(),
                session_id: session_id.clone(),
                operations,
            },
        ),
        seed(
            "/kimberly.v1.WorkingMemoryService/GetWorkingEntry",
            &pb::GetWorkingEntryRequest {
                user_id: user_id.clone(),
                namespace: namespace.clone(),
                session_id: session_id.clone(),
                key: "count".to_owned(),
            },
        ),
        seed(
            "/kimberly.v1.WorkingMemoryService/ListWorkingKeys",
            &pb::ListWorkingKeysRequest {
                user_id,
                namespace,
                session_id,
                prefix: "c".to_owned(),
                after: "a".to_owned(),
                limit: 3,
            },
        ),
    ]
}
