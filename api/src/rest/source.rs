//! The names of the document that first described Kimberly (`/memory…` with `type`, `content`, `metadata`, `top_k`,
//! `filters`). Its payloads work as printed on its paths, along with those of the contract; they name no user, as
//! `access` allows. Only this file knows these names.

use kimberly_core::conversation::Received;
use kimberly_transcode::{Beside, Dialect, Elements, Words};
use serde_json::{Value, json};

use super::messages;

/// The additional names that each of its paths accepts and returns.
pub(super) const DIALECTS: &[Dialect] = &[
    Dialect {
        method: "POST",
        path: "/memory",
        takes: &[("type", "memory.tier"), ("content", "memory.content"), ("metadata", "memory.metadata")],
        answers: &[Beside {
            list: "",
            message: "receipt",
            names: &[("id", "id"), ("type", "tier"), ("size_bytes", "size_bytes"), ("score", "score")],
        }],
        elements: &[],
    },
    Dialect {
        method: "GET",
        path: "/memory",
        takes: &[
            ("type", "filter.tiers"),
            ("tags", "filter.tags_any"),
            ("created_after", "filter.created_after"),
            ("created_before", "filter.created_before"),
        ],
        answers: &[],
        elements: &[],
    },
    Dialect {
        method: "POST",
        path: "/memory/query",
        takes: &[
            ("type", "filter.tiers"),
            ("filters.type", "filter.tiers"),
            ("filters.tags", "filter.tags_any"),
            ("filters", "filter"),
        ],
        answers: &[Beside { list: "results", message: "memory", names: MEMORY_ITEM }],
        elements: &[],
    },
    Dialect {
        method: "POST",
        path: "/memory/meditate",
        takes: &[],
        answers: &[Beside {
            list: "",
            message: "meditation",
            names: &[("status", "status"), ("processed", "processed"), ("pruned", "pruned"), ("archived", "archived")],
        }],
        elements: &[],
    },
    // Not of that document: messages come in the forms of the APIs of language models.
    Dialect {
        method: "POST",
        path: "/v1/users/{user_id}/conversation:observe",
        takes: &[],
        answers: &[],
        elements: &[Elements {
            list: "messages",
            read: |message| Received::read(&message).to_json(),
            members: messages::members,
        }],
    },
];

/// The fields of its `MemoryItem`, except the score: the score of a result is the one it was ranked by.
const MEMORY_ITEM: &[(&str, &str)] = &[
    ("id", "id"),
    ("user_id", "user_id"),
    ("type", "tier"),
    ("content", "content"),
    ("size_bytes", "size_bytes"),
    ("metadata", "metadata"),
    ("embedding_ref", "embedding_ref"),
    ("created_at", "created_at"),
    ("last_seen_at", "last_seen_at"),
    ("audit", "audit"),
];

/// Its `user_feedback` is a text.
pub(super) const WORDS: &[Words] =
    &[Words { message: "kimberly.v1.Feedback", read: read_feedback, write: write_feedback }];

fn read_feedback(text: &str) -> Result<Value, String> {
    match text {
        "thumbs_up" => Ok(json!({"thumbsUp": true})),
        "thumbs_down" => Ok(json!({"thumbsUp": false})),
        other => {
            let stars = other.strip_prefix("rating:").and_then(|stars| stars.parse::<u8>().ok());
            let stars = stars.ok_or("feedback is thumbs_up, thumbs_down or rating:1 to rating:5")?;
            Ok(json!({"rating": stars}))
        }
    }
}

fn write_feedback(feedback: &Value) -> Option<String> {
    match (feedback["thumbs_up"].as_bool(), feedback["rating"].as_i64()) {
        (Some(true), _) => Some("thumbs_up".to_owned()),
        (Some(false), _) => Some("thumbs_down".to_owned()),
        (None, stars) => Some(format!("rating:{}", stars?)),
    }
}
