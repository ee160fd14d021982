//! Lists names.

use kimberly_core::Result;
use kimberly_core::ports::Named;
use kimberly_core::usecases::named::NamesInput;
use kimberly_proto::v1;

use crate::access::Entered;
use crate::convert;
use crate::convert::enums::WireEnum as _;

pub(super) async fn handle(entered: Entered<v1::ListNamesRequest>) -> Result<v1::ListNamesResponse> {
    let Entered { message: request, user, app, .. } = entered;
    let v1::ListNamesRequest { namespace, prefix, after, limit, .. } = request;
    let page = app.list_names(&user, NamesInput { namespace, prefix, after, limit }).await?;
    Ok(v1::ListNamesResponse { names: page.names.into_iter().map(named).collect(), more: page.more })
}

fn named(one: Named) -> v1::NamedRecord {
    v1::NamedRecord {
        name: one.name,
        id: one.id.to_string(),
        tier: one.tier.number(),
        sensitive: one.sensitive,
        content_bytes: convert::int64(one.content_bytes),
        updated_at: Some(convert::time::wire_timestamp(one.updated_at)),
        etag: one.revision.to_string(),
    }
}
