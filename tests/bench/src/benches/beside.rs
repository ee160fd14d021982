//! Figures of peers beside ours.

use crate::Result;
use crate::figures::{Aim, Figures};
use crate::peers::{Peer, Peers, Plan};
use crate::report::{Report, checkout, say};

/// Measures peers and records their figures under `<benchmark>.<peer>.`, and under `<benchmark>.vs_<peer>.p50_ratio`
/// the ratio of their latency with one thread to `ours` (the median of one client, in milliseconds), with an aim for
/// each. Peers that cannot be installed or fail are reported and omitted.
pub(crate) async fn measure(
    benchmark: &str,
    peers: [(Peer, Aim); 2],
    plan: &Plan<'_>,
    ours: f64,
    report: &mut Report,
) -> Result<()> {
    let installed = match Peers::install(&checkout()).await {
        Ok(installed) => installed,
        Err(error) => {
            say(&format!("\nwithout peers: they cannot be installed here ({error})"));
            return Ok(());
        }
    };
    for (peer, aim) in peers {
        let measured = match installed.measure(peer, plan).await {
            Ok(measured) => measured,
            Err(error) => {
                say(&format!("\nwithout {}: {error}", peer.name()));
                continue;
            }
        };
        say(&format!("\n{} {}: {}", peer.name(), measured.version, measured.note));
        let mut figures = Figures::new(report, &format!("{benchmark}, {}", peer.name()));
        for run in &measured.runs {
            let name = format!("{benchmark}.{}.c{}", peer.name(), run.clients);
            figures.add(&format!("{name}.per_second"), run.per_second.unwrap_or(f64::NAN), Aim::Open);
            figures.add(&format!("{name}.p50_ms"), run.p50_ms.unwrap_or(f64::NAN), Aim::Open);
            figures.add(&format!("{name}.p99_ms"), run.p99_ms.unwrap_or(f64::NAN), Aim::Open);
            #[expect(clippy::cast_precision_loss, reason = "far fewer than 2^52 operations")]
            let (operations, errors) = (run.operations as f64, run.errors as f64);
            figures.add(&format!("{name}.operations"), operations, Aim::Open);
            figures.add(&format!("{name}.errors"), errors, Aim::Open);
        }
        let theirs = measured.runs.iter().find(|run| run.clients == 1).and_then(|run| run.p50_ms);
        figures.add(&format!("{benchmark}.vs_{}.p50_ratio", peer.name()), theirs.unwrap_or(f64::NAN) / ours, aim);
        figures.print();
    }
    Ok(())
}
