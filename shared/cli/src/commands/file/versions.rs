//! `kimberly file versions`, `diff`, `undo` and `redact`

use kimberly_proto::v1;

use super::refused;
use crate::context::Context;
use crate::error::CliResult;
use crate::{json, text, view};

#[derive(clap::Args)]
pub(super) struct Versions {
    /// The name
    name: String,
    /// Show the text of this version instead
    #[arg(long, value_name = "VERSION")]
    show: Option<i64>,
}

#[derive(clap::Args)]
pub(super) struct Diff {
    /// The name
    name: String,
    /// From this version
    from: i64,
    /// To this version [default: the current content]
    #[arg(default_value_t = 0, hide_default_value = true)]
    to: i64,
}

#[derive(clap::Args)]
pub(super) struct Undo {
    /// The name
    name: String,
    /// The version to restore [default: the newest]
    #[arg(long, default_value_t = 0, hide_default_value = true, value_name = "VERSION")]
    to: i64,
    /// Only if it still has this etag
    #[arg(long, default_value = "", hide_default_value = true)]
    etag: String,
}

#[derive(clap::Args)]
pub(super) struct Redact {
    /// The name
    name: String,
    /// The version
    version: i64,
}

impl Versions {
    pub(super) async fn run(self, context: &Context, namespace: String) -> CliResult {
        let (user_id, name) = (context.user.clone(), self.name);
        let mut client = context.connect().await?.named();
        if let Some(version) = self.show {
            let request = v1::GetVersionRequest { user_id, namespace, name, version };
            let answer = client.get_version(request).await.map_err(refused())?.into_inner();
            return context.out.answer(|| json::of(&answer), || text::printable(&answer.content));
        }
        let answer = client
            .list_versions(v1::ListVersionsRequest { user_id, namespace, name })
            .await
            .map_err(refused())?
            .into_inner();
        context.out.answer(
            || json::of(&answer),
            || match answer.versions.as_slice() {
                [] => "it was never changed".to_owned(),
                versions => view::versions(versions),
            },
        )
    }
}

impl Diff {
    pub(super) async fn run(self, context: &Context, namespace: String) -> CliResult {
        let request = v1::DiffVersionsRequest {
            user_id: context.user.clone(),
            namespace,
            name: self.name,
            from_version: self.from,
            to_version: self.to,
        };
        let answer = context.connect().await?.named().diff_versions(request).await.map_err(refused())?.into_inner();
        context.out.answer(|| json::of(&answer), || text::printable(&answer.diff))
    }
}

impl Undo {
    pub(super) async fn run(self, context: &Context, namespace: String) -> CliResult {
        let request = v1::UndoEditRequest {
            user_id: context.user.clone(),
            namespace,
            name: self.name,
            to_version: self.to,
            etag: self.etag,
            request_id: String::new(),
        };
        let answer = context.connect().await?.named().undo_edit(request).await.map_err(refused())?.into_inner();
        let id = answer.receipt.as_ref().map(|receipt| receipt.id.clone()).unwrap_or_default();
        context.out.answer(|| json::of(&answer), || format!("{id}  is restored to version {}", answer.version))
    }
}

impl Redact {
    pub(super) async fn run(self, context: &Context, namespace: String) -> CliResult {
        let request = v1::RedactVersionRequest {
            user_id: context.user.clone(),
            namespace,
            name: self.name,
            version: self.version,
            request_id: String::new(),
        };
        let answer = context.connect().await?.named().redact_version(request).await.map_err(refused())?.into_inner();
        context.out.answer(|| json::of(&answer), || format!("version {} has no text any more", self.version))
    }
}
