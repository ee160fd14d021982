//! `kimberly raw`

use kimberly_proto::v1;

use crate::context::Context;
use crate::error::CliResult;
use crate::{input, json, view};

#[derive(clap::Args)]
pub(crate) struct Args {
    /// The thought; `-` reads it from stdin
    text: String,
    /// A tag; can be repeated
    #[arg(long, value_name = "TAG")]
    tag: Vec<String>,
    /// Its session
    #[arg(long, default_value = "", hide_default_value = true)]
    session: String,
    /// Its namespace, such as an application's name
    #[arg(long, value_name = "NAME", default_value = "", hide_default_value = true)]
    namespace: String,
}

impl Args {
    pub(crate) async fn run(self, context: &Context) -> CliResult {
        let draft = v1::MemoryDraft {
            content: input::text(self.text)?,
            metadata: Some(v1::Metadata { tags: self.tag, ..v1::Metadata::default() }),
            session_id: self.session,
            namespace: self.namespace,
            kind: v1::Kind::Raw.into(),
            ..v1::MemoryDraft::default()
        };
        let request = v1::CreateMemoryRequest {
            user_id: context.user.clone(),
            memory: Some(draft),
            request_id: String::new(),
            always_new: false,
        };
        let answer = context.connect().await?.memories().create_memory(request).await?.into_inner();
        context.out.answer(|| json::of(&answer), || view::receipt(answer.receipt.as_ref()))
    }
}
