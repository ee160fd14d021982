//! Lists alerts for operators.

use kimberly_core::usecases::{ToldAlert, list_alerts};
use kimberly_core::{Result, UserId};
use kimberly_proto::v1;

use crate::access::Entered;
use crate::convert::{int64, time};

pub(super) async fn handle(entered: Entered<v1::ListAlertsRequest, Option<UserId>>) -> Result<v1::ListAlertsResponse> {
    let told = list_alerts(&*entered.system.audit, entered.message.include_cleared).await?;
    Ok(v1::ListAlertsResponse { alerts: told.into_iter().map(alert).collect() })
}

fn alert(told: ToldAlert) -> v1::Alert {
    v1::Alert {
        name: told.alert.to_string(),
        raised_at: Some(time::wire_timestamp(told.raised_at)),
        cleared_at: told.cleared_at.map(time::wire_timestamp),
        count: int64(told.count),
        text: told.alert.text(told.count),
    }
}
