//! `kimberly file replace`, `insert`, `append` and `write`

use kimberly_proto::v1;
use kimberly_proto::v1::edit_record_request::Edit;

use super::refused;
use crate::context::Context;
use crate::error::CliResult;
use crate::{input, json};

/// Under which condition a memory is edited.
#[derive(clap::Args)]
struct Only {
    /// Only if it still has this etag
    #[arg(long, default_value = "", hide_default_value = true)]
    etag: String,
    /// Only if the SHA-256 of its content is still this
    #[arg(long, value_name = "HEX", default_value = "", hide_default_value = true)]
    sha256: String,
    /// The reason, shown with the versions
    #[arg(long, default_value = "", hide_default_value = true)]
    reason: String,
    /// Remove the previous content and earlier versions
    #[arg(long)]
    discard_previous: bool,
}

#[derive(clap::Args)]
pub(super) struct Replace {
    /// The name
    name: String,
    /// A text that occurs exactly once
    old: String,
    /// Its replacement
    new: String,
    #[command(flatten)]
    only: Only,
}

#[derive(clap::Args)]
pub(super) struct Insert {
    /// The name
    name: String,
    /// After this line; 0 is the beginning
    line: i32,
    /// The text; `-` reads it from stdin
    text: String,
    #[command(flatten)]
    only: Only,
}

#[derive(clap::Args)]
pub(super) struct Text {
    /// The name
    name: String,
    /// The text; `-` reads it from stdin
    #[arg(value_name = "TEXT")]
    content: String,
    #[command(flatten)]
    only: Only,
}

impl Replace {
    pub(super) async fn run(self, context: &Context, namespace: String) -> CliResult {
        let replace = v1::ReplaceEdit { old: self.old, new: self.new };
        edit(context, (namespace, self.name), Edit::Replace(replace), self.only).await
    }
}

impl Insert {
    pub(super) async fn run(self, context: &Context, namespace: String) -> CliResult {
        let insert = v1::InsertEdit { line: self.line, text: input::text(self.text)? };
        edit(context, (namespace, self.name), Edit::Insert(insert), self.only).await
    }
}

impl Text {
    pub(super) async fn append(self, context: &Context, namespace: String) -> CliResult {
        let text = input::text(self.content)?;
        edit(context, (namespace, self.name), Edit::Append(text), self.only).await
    }

    pub(super) async fn write(self, context: &Context, namespace: String) -> CliResult {
        let text = input::text(self.content)?;
        edit(context, (namespace, self.name), Edit::Whole(text), self.only).await
    }
}

async fn edit(context: &Context, (namespace, name): (String, String), edit: Edit, only: Only) -> CliResult {
    let request = v1::EditRecordRequest {
        user_id: context.user.clone(),
        namespace,
        name,
        edit: Some(edit),
        etag: only.etag,
        content_sha256: only.sha256,
        request_id: String::new(),
        reason: only.reason,
        discard_previous: only.discard_previous,
    };
    let answer = context.connect().await?.named().edit_record(request).await.map_err(refused())?.into_inner();
    let receipt = answer.receipt.clone().unwrap_or_default();
    context.out.answer(
        || json::of(&answer),
        || format!("{}  changed at line {}, etag {}", receipt.id, answer.line, receipt.etag),
    )
}
