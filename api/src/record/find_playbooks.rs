//! Finds playbooks for a situation.

use kimberly_core::Result;
use kimberly_core::ids::Seq;
use kimberly_core::usecases::PlaybooksInput;
use kimberly_proto::v1;

use crate::access::Entered;
use crate::{Api, convert, references};

pub(super) async fn handle(api: &Api, entered: Entered<v1::FindPlaybooksRequest>) -> Result<v1::FindPlaybooksResponse> {
    let Entered { message: request, user, app, .. } = entered;
    let filter = convert::filter::filter(request.filter)?;
    let input = PlaybooksInput { situation: request.situation, filter, limit: request.limit };
    let found = app.find_playbooks(&user, input).await?;
    api.touches.record(&user, &found.touches);
    let seqs: Vec<Seq> = found.playbooks.iter().map(|one| one.memory.seq).collect();
    let (results, _) = convert::recall::results(&user, found.playbooks, None)?;
    let found = |result: v1::QueryResult| v1::FoundPlaybook { memory: result.memory, relevance: result.relevance };
    let mut playbooks: Vec<v1::FoundPlaybook> = results.into_iter().map(found).collect();
    references::fill(&app, &user, &seqs, playbooks.iter_mut().filter_map(|found| found.memory.as_mut()));
    Ok(v1::FindPlaybooksResponse { playbooks })
}
