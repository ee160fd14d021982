//! `kimberly alerts`

use kimberly_proto::v1;

use crate::context::Context;
use crate::error::CliResult;
use crate::{json, text, time};

#[derive(clap::Args)]
pub(crate) struct Args {
    /// Also alerts that have ended
    #[arg(long)]
    all: bool,
}

impl Args {
    pub(crate) async fn run(self, context: &Context) -> CliResult {
        let request = v1::ListAlertsRequest { include_cleared: self.all };
        let answer = context.connect().await?.metrics().list_alerts(request).await?.into_inner();
        context.out.answer(
            || json::of(&answer),
            || if answer.alerts.is_empty() { "nothing is wrong".to_owned() } else { lines(&answer.alerts) },
        )
    }
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
