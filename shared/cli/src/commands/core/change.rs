//! `kimberly core add`, `set` and `remove`

use kimberly_proto::v1;

use super::refused;
use crate::context::Context;
use crate::error::{CliError, CliResult};
use crate::{input, json, view};

#[derive(clap::Args)]
pub(super) struct Add {
    /// Its label: lowercase letters, digits, `_` and `-`
    label: String,
    /// Its text; `-` reads it from stdin
    #[arg(default_value = "", hide_default_value = true)]
    text: String,
    /// Its purpose
    #[arg(long, default_value = "", hide_default_value = true)]
    description: String,
    /// Assistants cannot change it
    #[arg(long)]
    read_only: bool,
}

#[derive(clap::Args)]
pub(super) struct Set {
    /// Its label
    label: String,
    /// Its new text; `-` reads it from stdin
    text: Option<String>,
    /// Its purpose
    #[arg(long)]
    description: Option<String>,
    /// Whether it is read-only
    #[arg(long, value_name = "BOOL")]
    read_only: Option<bool>,
    /// Only if it still has this etag
    #[arg(long, default_value = "", hide_default_value = true)]
    etag: String,
}

#[derive(clap::Args)]
pub(super) struct Remove {
    /// Its label
    label: String,
    /// Only if it still has this etag
    #[arg(long, default_value = "", hide_default_value = true)]
    etag: String,
}

impl Add {
    pub(super) async fn run(self, context: &Context, namespace: String) -> CliResult {
        let request = v1::AddBlockRequest {
            user_id: context.user.clone(),
            namespace,
            label: self.label,
            content: input::text(self.text)?,
            description: self.description,
            read_only: self.read_only,
            request_id: String::new(),
        };
        let answer = context.connect().await?.core().add_block(request).await?.into_inner();
        context.out.answer(|| json::of(&answer), || view::receipt(answer.receipt.as_ref()))
    }
}

impl Set {
    pub(super) async fn run(self, context: &Context, namespace: String) -> CliResult {
        if self.text.is_none() && self.description.is_none() && self.read_only.is_none() {
            return Err(CliError::usage("nothing to change; give a text, --description or --read-only"));
        }
        let request = v1::UpdateBlockRequest {
            user_id: context.user.clone(),
            namespace,
            label: self.label,
            content: self.text.map(input::text).transpose()?,
            description: self.description,
            read_only: self.read_only,
            etag: self.etag,
            request_id: String::new(),
        };
        let answer = context.connect().await?.core().update_block(request).await.map_err(refused())?.into_inner();
        context.out.answer(|| json::of(&answer), || view::receipt(answer.receipt.as_ref()))
    }
}

impl Remove {
    pub(super) async fn run(self, context: &Context, namespace: String) -> CliResult {
        let request = v1::RemoveBlockRequest {
            user_id: context.user.clone(),
            namespace,
            label: self.label,
            etag: self.etag,
            request_id: String::new(),
        };
        let answer = context.connect().await?.core().remove_block(request).await.map_err(refused())?.into_inner();
        context.out.answer(|| json::of(&answer), || view::receipt(answer.receipt.as_ref()))
    }
}
