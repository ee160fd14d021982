//! Reports the average disk usage per user to telemetry (`monthly_storage_per_user`), at the start and periodically.

use std::sync::Arc;
use std::time::Duration;

use kimberly_core::ports::Registry;
use kimberly_core::usecases::App;
use tokio::time::Instant;
use tokio_util::sync::CancellationToken;

/// Minimum pause between measurements.
const INTERVAL: Duration = Duration::from_mins(5);
/// The pause after a measurement, as a multiple of its duration: walking a large data folder takes long.
const PAUSE_IN_MEASUREMENTS: u32 = 100;

/// Measures until `shutdown` is cancelled.
pub async fn run(app: App, registry: Arc<dyn Registry>, shutdown: CancellationToken) {
    let rounds = async {
        loop {
            let began = Instant::now();
            if let Err(error) = app.measure_storage(&*registry).await {
                tracing::warn!(%error, "cannot measure the data folder now");
            }
            tokio::time::sleep(INTERVAL.max(began.elapsed() * PAUSE_IN_MEASUREMENTS)).await;
        }
    };
    shutdown.run_until_cancelled(rounds).await;
}
