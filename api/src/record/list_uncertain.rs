//! Lists what is uncertain, the least certain first.

use kimberly_core::Result;
use kimberly_core::ids::Seq;
use kimberly_core::usecases::UncertainInput;
use kimberly_proto::v1;

use crate::access::Entered;
use crate::{convert, references};

pub(super) async fn handle(entered: Entered<v1::ListUncertainRequest>) -> Result<v1::ListUncertainResponse> {
    let Entered { message: request, user, app, .. } = entered;
    let filter = convert::filter::filter(request.filter)?;
    let input = UncertainInput { threshold: request.threshold, filter, limit: request.limit };
    let found = app.list_uncertain(&user, input).await?;
    let seqs: Vec<Seq> = found.iter().map(|memory| memory.seq).collect();
    let memories = found.into_iter().map(|memory| convert::memory::memory(&user, memory));
    let mut memories: Vec<v1::Memory> = memories.collect::<Result<_>>()?;
    references::fill(&app, &user, &seqs, memories.iter_mut());
    Ok(v1::ListUncertainResponse { memories })
}
