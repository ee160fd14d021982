//! Recalls memories that are relevant to a query.

use kimberly_core::ids::Seq;
use kimberly_core::usecases::QueryInput;
use kimberly_core::{Error, Result};
use kimberly_proto::v1;

use crate::access::Entered;
use crate::convert::enums::WireEnum as _;
use crate::convert::view::View;
use crate::{Api, convert, references};

pub(super) async fn handle(api: &Api, entered: Entered<v1::QueryMemoriesRequest>) -> Result<v1::QueryMemoriesResponse> {
    let Entered { message: request, user, app, .. } = entered;
    let reference_time = convert::time::optional_timestamp(request.reference_time)
        .map_err(|problem| Error::invalid("reference_time", problem))?;
    let view = View::parse(request.view)?;
    let max_content_bytes = convert::recall::max_content_bytes(request.max_content_bytes)?;
    let max_content_bytes = max_content_bytes.filter(|_| view == View::Full);
    let input = QueryInput {
        query: request.query,
        top_k: request.top_k,
        filter: convert::filter::filter(request.filter)?,
        explain: request.explain,
        active_session_id: request.active_session_id,
        reference_time,
        min_score: request.min_score,
        stages: request.stages.into_iter().collect(),
        max_content_bytes,
        ..QueryInput::default()
    };
    let mut output = app.query_memories(&user, input).await?;
    if !request.peek {
        api.touches.record(&user, &output.touches);
    }
    let seqs: Vec<Seq> = output.results.iter().map(|one| one.memory.seq).collect();
    for one in &mut output.results {
        view.shorten(&mut one.memory);
    }
    let (mut results, left_out) = convert::recall::results(&user, output.results, max_content_bytes)?;
    for result in results.iter_mut().filter(|_| view == View::Summary) {
        result.highlights.clear();
        if let Some(memory) = &mut result.memory {
            view.fill_summary(memory);
        }
    }
    references::fill(&app, &user, &seqs, results.iter_mut().filter_map(|result| result.memory.as_mut()));
    Ok(v1::QueryMemoriesResponse {
        results,
        corrections: output.corrections.into_iter().map(convert::recall::correction).collect(),
        semantic: output.semantic.number(),
        left_out,
        nothing_relevant: output.nothing_relevant,
        stages: output.stages.into_iter().map(convert::recall::stage).collect(),
    })
}
