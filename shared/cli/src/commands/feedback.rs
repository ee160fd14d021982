//! `kimberly feedback`

use kimberly_proto::v1;
use kimberly_proto::v1::feedback::Kind as Verdict;
use prost_types::FieldMask;

use crate::context::Context;
use crate::error::{CliError, CliResult};
use crate::ids::Kind;
use crate::{ids, json, view};

#[derive(clap::Args)]
#[command(override_usage = "kimberly feedback [OPTIONS] <ID> <VERDICT>")]
pub(crate) struct Args {
    /// The memory's id; then up, down, or a rating from 1 (useless) to 5 (very useful); none retracts it
    #[arg(num_args = 2, required = true, value_names = ["ID", "VERDICT"])]
    words: Vec<String>,
}

impl Args {
    pub(crate) async fn run(self, context: &Context) -> CliResult {
        let (id, Said(verdict)) = told(&self.words)?;
        let client = context.connect().await?;
        let id = ids::one(context, &client, Kind::Memory, id).await?;
        let user_feedback = verdict.map(|kind| v1::Feedback { kind: Some(kind) });
        let metadata = v1::Metadata { user_feedback, ..v1::Metadata::default() };
        let request = v1::UpdateMemoryRequest {
            user_id: context.user.clone(),
            id,
            memory: Some(v1::MemoryDraft { metadata: Some(metadata), ..v1::MemoryDraft::default() }),
            update_mask: Some(FieldMask { paths: vec!["metadata.user_feedback".to_owned()] }),
            ..Default::default()
        };
        let answer = client.memories().update_memory(request).await?.into_inner();
        context.out.answer(|| json::of(&answer), || view::receipt(answer.receipt.as_ref()))
    }
}

/// A verdict on a memory; `None` retracts it.
#[derive(Debug, PartialEq)]
struct Said(Option<Verdict>);

/// The memory and the verdict, in either order: no id is a valid verdict.
fn told(words: &[String]) -> CliResult<(String, Said)> {
    let [first, second] = words else { return Err(wanted()) };
    match (verdict(first), verdict(second)) {
        (_, Some(verdict)) => Ok((first.clone(), verdict)),
        (Some(verdict), None) => Ok((second.clone(), verdict)),
        (None, None) => Err(wanted()),
    }
}

fn wanted() -> CliError {
    CliError::usage("write the memory's id, then up, down, none, or a number from 1 to 5")
}

fn verdict(word: &str) -> Option<Said> {
    match word {
        "up" => Some(Said(Some(Verdict::ThumbsUp(true)))),
        "down" => Some(Said(Some(Verdict::ThumbsUp(false)))),
        "none" => Some(Said(None)),
        _ => word.parse().ok().filter(|stars| (1..=5).contains(stars)).map(|stars| Said(Some(Verdict::Rating(stars)))),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_id_comes_first_and_last_as_it_did_before() {
        let told = |words: [&str; 2]| told(&words.map(str::to_owned));
        let up = || Said(Some(Verdict::ThumbsUp(true)));
        assert_eq!(told(["a1b2c3", "up"]).unwrap(), ("a1b2c3".to_owned(), up()));
        assert_eq!(told(["up", "a1b2c3"]).unwrap(), ("a1b2c3".to_owned(), up()));
        assert_eq!(told(["123456", "5"]).unwrap(), ("123456".to_owned(), Said(Some(Verdict::Rating(5)))));
        assert!(told(["9", "mem_x"]).unwrap_err().message().contains("1 to 5"));
    }
}
