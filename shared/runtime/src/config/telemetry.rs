//! `[telemetry]`: logs, metrics and traces. By default nothing leaves the machine.

use std::net::SocketAddr;

use serde::{Deserialize, Serialize};

use super::{Period, Problems};

/// The format of log lines.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum LogFormat {
    /// Human-readable.
    #[default]
    Human,
    /// One JSON object per line.
    Json,
}

/// Settings of telemetry.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct TelemetryConfig {
    /// The log filter, as `level` or `level,module=level`. `KIMBERLY_LOG` and `RUST_LOG` override it.
    pub log: String,
    /// The format of log lines.
    pub log_format: LogFormat,
    /// OTLP/gRPC endpoint for metrics and traces, such as `http://127.0.0.1:4317`. Unset: nothing is exported.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub otlp_endpoint: Option<String>,
    /// Interval of metrics export; 1 s to 1 h.
    pub otlp_interval: Period,
    /// The share of traces that is exported; 0 to 1.
    pub trace_ratio: f64,
    /// Loopback address where the api serves metrics in Prometheus' text format; the worker uses the next port and the
    /// embedder the one after. Unset: metrics are not served.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub prometheus_listen: Option<SocketAddr>,
}

impl Default for TelemetryConfig {
    fn default() -> Self {
        Self {
            log: "info".to_owned(),
            log_format: LogFormat::Human,
            otlp_endpoint: None,
            otlp_interval: Period::seconds(60),
            trace_ratio: 1.0,
            prometheus_listen: None,
        }
    }
}

impl TelemetryConfig {
    pub(super) fn check(&self, problems: &mut Problems) {
        if let Err(error) = self.log.parse::<tracing_subscriber::EnvFilter>() {
            problems.add(format!(
                "telemetry.log is {:?} ({error}); write a level such as info or info,kimberly_api=debug",
                self.log
            ));
        }
        if let Some(endpoint) = &self.otlp_endpoint
            && !(endpoint.starts_with("http://") || endpoint.starts_with("https://"))
        {
            problems.add(format!("telemetry.otlp_endpoint is {endpoint:?}; write a URL such as http://127.0.0.1:4317"));
        }
        problems.range("telemetry.otlp_interval", self.otlp_interval, Period::seconds(1)..=Period::seconds(3_600));
        problems.range("telemetry.trace_ratio", self.trace_ratio, 0.0..=1.0);
        if let Some(address) = self.prometheus_listen {
            problems.loopback("telemetry.prometheus_listen", address);
            if !(1..=65_533).contains(&address.port()) {
                problems
                    .add(format!("telemetry.prometheus_listen has port {}; 1 to 65533 are allowed", address.port()));
            }
        }
    }
}
