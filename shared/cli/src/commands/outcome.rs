//! `kimberly outcome`

use clap::ValueEnum as _;
use kimberly_proto::v1;

use crate::context::Context;
use crate::error::{CliError, CliResult};
use crate::ids::Kind;
use crate::names::OutcomeArg;
use crate::{ids, input, json, text};

#[derive(clap::Args)]
#[command(override_usage = "kimberly outcome [OPTIONS] <ID>... <helpful|not_helpful>")]
pub(crate) struct Args {
    /// The memories' ids, at most 100 (`-` reads them from stdin), then `helpful` or `not_helpful`
    #[arg(num_args = 2.., required = true, value_names = ["ID", "OUTCOME"])]
    words: Vec<String>,
    /// The number of results that the query requested, for precision at k
    #[arg(short = 'k', long, default_value_t = 0, value_parser = clap::value_parser!(i32).range(0..=100))]
    top_k: i32,
}

impl Args {
    pub(crate) async fn run(self, context: &Context) -> CliResult {
        let (typed, outcome) = told(self.words)?;
        let typed = input::words(typed)?;
        let client = context.connect().await?;
        let request = v1::RecordOutcomeRequest {
            user_id: context.user.clone(),
            memory_ids: ids::all(context, &client, Kind::Memory, typed).await?,
            outcome: outcome.into(),
            request_id: String::new(),
            top_k: self.top_k,
        };
        let answer = client.memories().record_outcome(request).await?.into_inner();
        context.out.answer(|| json::of(&answer), || format!("recorded for {}", text::memories(answer.recorded)))
    }
}

/// The memories and their outcome. For compatibility, the outcome may also come first.
fn told(mut words: Vec<String>) -> CliResult<(Vec<String>, OutcomeArg)> {
    let outcome = |word: &String| OutcomeArg::from_str(word, true).ok();
    if let Some(outcome) = words.last().and_then(outcome) {
        words.pop();
        return Ok((words, outcome));
    }
    match words.first().and_then(outcome) {
        Some(outcome) => Ok((words.split_off(1), outcome)),
        None => Err(CliError::usage("write the memories' ids, then helpful or not_helpful")),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_ids_come_first_and_last_as_they_did_before() {
        let told = |words: &[&str]| told(words.iter().map(|word| (*word).to_owned()).collect());
        for words in [["a1b2c3", "d4e5f6", "helpful"], ["helpful", "a1b2c3", "d4e5f6"]] {
            let (ids, outcome) = told(&words).unwrap();
            assert_eq!((ids.join(" ").as_str(), outcome.value), ("a1b2c3 d4e5f6", v1::Outcome::Helpful));
        }
        assert!(told(&["a1b2c3", "great"]).unwrap_err().message().contains("not_helpful"));
    }
}
