//! Returns the memory with a name.

use kimberly_core::Result;
use kimberly_core::ports::Touch;
use kimberly_proto::v1;

use crate::access::Entered;
use crate::{Api, convert, references};

pub(super) async fn handle(
    api: &Api,
    entered: Entered<v1::GetNamedRecordRequest>,
) -> Result<v1::GetNamedRecordResponse> {
    let Entered { message: request, user, app, .. } = entered;
    let found = app.named_record(&user, &request.namespace, &request.name).await?;
    let touch = Touch { seq: found.seq, times: 1, at: app.clock.now() };
    if !request.peek {
        api.touches.record(&user, &[touch]);
    }
    let mut memory = convert::memory::memory(&user, found)?;
    references::fill(&app, &user, &[touch.seq], std::iter::once(&mut memory));
    Ok(v1::GetNamedRecordResponse { memory: Some(memory) })
}
