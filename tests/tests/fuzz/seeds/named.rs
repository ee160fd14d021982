//! Requests about named records.

use kimberly_proto::v1 as pb;

use super::{Seed, USER, seed};

/// Seeds of all rpcs about named records.
pub(super) fn seeds() -> Vec<Seed> {
    let (user_id, name, request_id) = (USER.to_owned(), "notes/travel.md".to_owned(), String::new());
    let edit = Some(pb::edit_record_request::Edit::Append("on Sunday".to_owned()));
    let command = r#"{"command": "str_replace", "path": "/memories/a", "old_str": "a", "new_str": "b"}"#.to_owned();
    vec![
        seed(
            "/kimberly.v1.NamedRecordService/EditRecord",
            &pb::EditRecordRequest { user_id: user_id.clone(), name: name.clone(), edit, ..Default::default() },
        ),
        seed(
            "/kimberly.v1.NamedRecordService/ListNames",
            &pb::ListNamesRequest { user_id: user_id.clone(), prefix: "notes/".to_owned(), ..Default::default() },
        ),
        seed(
            "/kimberly.v1.NamedRecordService/UndoEdit",
            &pb::UndoEditRequest {
                user_id: user_id.clone(),
                name,
                request_id: request_id.clone(),
                ..Default::default()
            },
        ),
        seed(
            "/kimberly.v1.CoreMemoryService/AddBlock",
            &pb::AddBlockRequest { user_id: user_id.clone(), label: "persona".to_owned(), ..Default::default() },
        ),
        seed(
            "/kimberly.v1.MemoryToolService/RunMemoryTool",
            &pb::RunMemoryToolRequest { user_id, command, request_id, ..Default::default() },
        ),
    ]
}
