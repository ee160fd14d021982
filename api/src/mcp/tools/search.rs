//! Finds memories in the form that research connectors expect of documents: ids, titles and URLs, which `fetch` reads.

use kimberly_core::bounds as b;
use kimberly_proto::v1;
use serde::{Deserialize, Serialize};
use tonic::Status;

use super::{Does, Tool};
use crate::mcp::answer::Answer;
use crate::mcp::call::Call;
use crate::mcp::schema::described;

/// Maximum bytes of a content in its title.
const TITLE_BYTES: usize = 80;

pub(super) struct Search;

described! {
    #[derive(Deserialize)]
    #[serde(deny_unknown_fields)]
    pub(super) struct Input {
        /// A question or a few words.
        query: String where length(1..=b::MAX_QUERY_BYTES),
    }

    #[derive(Serialize)]
    pub(super) struct Output {
        /// The results, best first.
        results: Vec<Found>,
    }

    /// A memory that was found.
    #[derive(Serialize)]
    struct Found {
        /// Its id, which fetch takes.
        id: String,
        /// How its content begins.
        title: String,
        /// Where it is read.
        url: String,
    }
}

/// Returns the first line of a text that is not blank, cut to the length of a title.
pub(super) fn title(content: &str) -> String {
    let line = content.lines().map(str::trim).find(|line| !line.is_empty()).unwrap_or_default();
    match (0..=TITLE_BYTES.min(line.len())).rev().find(|&at| line.is_char_boundary(at)) {
        Some(end) if end < line.len() => format!("{}…", &line[..end]),
        _ => line.to_owned(),
    }
}

impl Tool for Search {
    const NAME: &'static str = "search";
    const TITLE: &'static str = "Search memories";
    const DESCRIPTION: &'static str = "Find memories about the person that match a question or a few words. Returns \
        ids, titles and addresses, best first; fetch reads one in full.";
    const DOES: Does = Does::Reads;
    type Input = Input;
    type Output = Output;

    async fn run(call: &Call, input: Input) -> Result<Answer<Output>, Status> {
        let request = v1::QueryMemoriesRequest {
            user_id: call.user.clone(),
            query: input.query,
            max_content_bytes: i32::try_from(4 * TITLE_BYTES).unwrap_or_default(),
            ..v1::QueryMemoriesRequest::default()
        };
        let answer = call.memories().query_memories(call.request(request)).await?.into_inner();
        let found = answer.results.into_iter().filter_map(|result| result.memory);
        let results = found
            .map(|memory| Found { title: title(&memory.content), url: call.url(&memory.id), id: memory.id })
            .collect();
        Ok(Answer::of_data(Output { results }))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn title_is_the_first_line_that_says_something() {
        assert_eq!(title("\n  Ana likes tea \nand more"), "Ana likes tea");
        assert_eq!(title(&"ü".repeat(60)), format!("{}…", "ü".repeat(40)));
        assert_eq!(title(""), "");
    }
}
