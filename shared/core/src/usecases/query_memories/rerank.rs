//! Puts the best results in the order of a cross-encoder, or else of a language model. If neither answers, the order
//! stays.

use super::ask_model::{Asking, ask};
use super::output::Recalled;
use super::semantic::embedded_part;
use crate::ports::{CrossEncoder, NoScores};
use crate::recall::by_model::{MOST_RANKED, Without, ask_for_order, by_scores, order, scored_part};

/// Reorders the best results, and returns how many moved. Models see no sensitive memories, which keep their places.
pub(super) async fn rerank(
    cross_encoder: Option<&dyn CrossEncoder>,
    asking: Asking<'_>,
    text: &str,
    results: &mut [Recalled],
) -> Result<String, Without> {
    if cross_encoder.is_none() && asking.0.is_none() {
        return Err(Without::NoRanker);
    }
    let best = results.iter().enumerate().take(MOST_RANKED);
    let indexes: Vec<usize> =
        best.filter(|(_, one)| !one.memory.draft.metadata.sensitive).map(|(index, _)| index).collect();
    if indexes.len() < 2 {
        return Err(Without::NotNeeded);
    }
    let ranked: Vec<Recalled> = indexes.iter().filter_map(|index| results.get(*index)).cloned().collect();
    let texts: Vec<String> = ranked.iter().map(telling).collect();
    let order = match cross_encoder {
        Some(cross_encoder) => scored(cross_encoder, text, &texts).await?,
        None => ask(asking, &ask_for_order(text, &texts), |answer| order(answer, texts.len())).await?,
    };
    let moved = order.iter().enumerate().filter(|(index, id)| index != *id).count();
    for (index, one) in indexes.iter().zip(order.iter().filter_map(|id| ranked.get(*id))) {
        if let Some(result) = results.get_mut(*index) {
            result.clone_from(one);
        }
    }
    Ok(format!("{moved} of {} moved", texts.len()))
}

/// Returns the order of texts by the cross-encoder's scores for a query.
async fn scored(cross_encoder: &dyn CrossEncoder, query: &str, texts: &[String]) -> Result<Vec<usize>, Without> {
    let texts: Vec<String> = texts.iter().map(|text| scored_part(text)).collect();
    let scores = cross_encoder.scores(embedded_part(query), &texts).await.map_err(Without::NoScores)?;
    if scores.len() == texts.len() { Ok(by_scores(&scores)) } else { Err(Without::NoScores(NoScores::Unavailable)) }
}

/// Returns the parts of a result that show whether it answers: its best passages, or its content.
fn telling(one: &Recalled) -> String {
    let content = &one.memory.draft.content;
    let of_content = one.highlights.iter().filter_map(|span| content.get(span.clone()));
    let parts: Vec<&str> = one.passages.iter().map(|passage| passage.text.as_str()).chain(of_content).collect();
    if parts.is_empty() { content.clone() } else { parts.join(" … ") }
}
