//! `kimberly alerts`

use kimberly_proto::v1;
use serde_json::{Value, json};

use crate::context::Context;
use crate::error::CliResult;
use crate::{text, time};

#[derive(clap::Args)]
pub(crate) struct Args {
    /// Also those that hold no more
    #[arg(long)]
    all: bool,
}

impl Args {
    pub(crate) async fn run(self, context: &Context) -> CliResult {
        let request = v1::ListAlertsRequest { include_cleared: self.all };
        let alerts = context.connect().await?.metrics().list_alerts(request).await?.into_inner().alerts;
        context.out.answer(
            || json!({"alerts": alerts.iter().map(to_json).collect::<Vec<_>>()}),
            || if alerts.is_empty() { "nothing is wrong".to_owned() } else { lines(&alerts) },
        )
    }
}

fn to_json(alert: &v1::Alert) -> Value {
    json!({
        "name": alert.name,
        "raised_at": time::exact(alert.raised_at.as_ref()),
        "cleared_at": alert.cleared_at.as_ref().map(|at| time::exact(Some(at))),
        "count": alert.count,
        "text": alert.text,
    })
}

fn lines(alerts: &[v1::Alert]) -> String {
    let line = |alert: &v1::Alert| {
        let from = time::minute(alert.raised_at.as_ref());
        let span = match &alert.cleared_at {
            None => format!("since {from}"),
            Some(ended) => format!("{from} to {}", time::minute(Some(ended))),
        };
        format!("{} {span}\n  {}", text::printable(&alert.name), text::printable(&alert.text))
    };
    alerts.iter().map(line).collect::<Vec<_>>().join("\n")
}
