//! `kimberly feedback`

use kimberly_proto::v1;
use kimberly_proto::v1::feedback::Kind;
use prost_types::FieldMask;

use crate::context::Context;
use crate::error::CliResult;
use crate::{json, view};

#[derive(clap::Args)]
pub(crate) struct Args {
    /// up, down, or a rating from 1 (useless) to 5 (very useful); none takes it back
    #[arg(value_parser = parse)]
    feedback: Verdict,
    /// The memory's id
    id: String,
}

#[derive(Clone)]
struct Verdict(Option<Kind>);

fn parse(raw: &str) -> Result<Verdict, String> {
    match raw {
        "up" => Ok(Verdict(Some(Kind::ThumbsUp(true)))),
        "down" => Ok(Verdict(Some(Kind::ThumbsUp(false)))),
        "none" => Ok(Verdict(None)),
        _ => raw
            .parse()
            .ok()
            .filter(|stars| (1..=5).contains(stars))
            .map(|stars| Verdict(Some(Kind::Rating(stars))))
            .ok_or_else(|| "write up, down, none, or a number from 1 to 5".to_owned()),
    }
}

impl Args {
    pub(crate) async fn run(self, context: &Context) -> CliResult {
        let user_feedback = self.feedback.0.map(|kind| v1::Feedback { kind: Some(kind) });
        let metadata = v1::Metadata { user_feedback, ..v1::Metadata::default() };
        let request = v1::UpdateMemoryRequest {
            user_id: context.user.clone(),
            id: self.id,
            memory: Some(v1::MemoryDraft { metadata: Some(metadata), ..v1::MemoryDraft::default() }),
            update_mask: Some(FieldMask { paths: vec!["metadata.user_feedback".to_owned()] }),
            ..Default::default()
        };
        let answer = context.connect().await?.memories().update_memory(request).await?.into_inner();
        let receipt = answer.receipt.unwrap_or_default();
        context.out.answer(|| json::receipt(&receipt), || view::receipts(std::slice::from_ref(&receipt)))
    }
}
