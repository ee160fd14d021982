//! Increasing numbers of concurrent clients in a closed loop.

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Duration;

use kimberly_proto::v1::QueryMemoriesRequest;
use tonic::Code;

use crate::Result;
use crate::figures::{Aim, Figures};
use crate::load::{Limit, closed_loop, connect};
use crate::process::{megabytes, resident_bytes};
use crate::report::Report;
use crate::system::{Role, System};

const CLIENTS: [usize; 3] = [1, 64, 512];
/// The retry delay after a refusal, as the server requests.
const AGAIN: Duration = Duration::from_millis(250);

/// Measures and reports.
pub(super) async fn measure(
    system: &System,
    questions: &Arc<Vec<QueryMemoriesRequest>>,
    report: &mut Report,
) -> Result<()> {
    let channels = connect(&system.api_url(), CLIENTS[CLIENTS.len() - 1]).await?;
    let mut figures = Figures::new(report, "clients at once");
    for clients in CLIENTS {
        let (asked, refused) = (Arc::clone(questions), Arc::new(AtomicUsize::new(0)));
        let refusals = Arc::clone(&refused);
        let limit = Limit { calls: questions.len(), time: Duration::from_mins(1) };
        let sample = closed_loop(&channels[..clients], 0, limit, move |channel, number| {
            let (question, refusals) = (asked[number % asked.len()].clone(), Arc::clone(&refusals));
            async move {
                // A refusal and the wait after it count towards the call.
                loop {
                    match super::query(channel.clone(), question.clone()).await {
                        Err(status) if status.code() == Code::ResourceExhausted => {
                            refusals.fetch_add(1, Ordering::Relaxed);
                            tokio::time::sleep(AGAIN).await;
                        }
                        answer => return Ok(answer?),
                    }
                }
            }
        })
        .await?;
        let name = format!("api.c{clients}");
        figures.add(&format!("{name}.per_second"), sample.per_second(), Aim::Open);
        figures.add(&format!("{name}.p50_ms"), sample.p50(), Aim::Open);
        figures.add(&format!("{name}.p99_ms"), sample.p99(), Aim::Open);
        #[expect(clippy::cast_precision_loss, reason = "far fewer than 2^52 calls")]
        let refusals_per_call = refused.load(Ordering::Relaxed) as f64 / sample.calls() as f64;
        figures.add(&format!("{name}.refusals_per_call"), refusals_per_call, Aim::Open);
        let resident = resident_bytes(system.pid(Role::Api)?)?;
        figures.add(&format!("{name}.api_mb"), megabytes(resident), Aim::Open);
    }
    figures.print();
    Ok(())
}
