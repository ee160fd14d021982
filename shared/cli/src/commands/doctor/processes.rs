//! The three processes: reachable, and healthy by their own report.

use kimberly_runtime::Config;

use super::Finding;
use crate::health::{self, Health};
use crate::tls::Identity;

/// Requests the health of each process.
pub(in crate::commands) async fn check(config: &Config, identity: Option<&Identity>) -> Vec<Finding> {
    let (api, worker, embedder) = tokio::join!(
        health::of(config.api.listen, config.tls.certificate.as_deref(), identity),
        health::of(config.worker.listen, None, None),
        health::of(config.embedder.listen, None, None)
    );
    vec![
        finding("api", config.api.listen, api),
        finding("worker", config.worker.listen, worker),
        finding("embedder", config.embedder.listen, embedder),
    ]
}

fn finding(name: &'static str, address: std::net::SocketAddr, health: Health) -> Finding {
    match health {
        Health::Serving => Finding::ok(name, format!("serving on {address}")),
        Health::NotServing => {
            Finding::bad(name, format!("on {address} reports that it is not serving; its log says why"))
        }
        Health::Away(why) => {
            Finding::bad(name, format!("not reachable on {address} ({why}); `kimberly up` starts all processes"))
        }
    }
}
