//! Log lines on stderr, and spans to the tracer if there is one.

use std::io::IsTerminal as _;

use opentelemetry::trace::TracerProvider as _;
use opentelemetry_sdk::trace::SdkTracerProvider;
use tracing_subscriber::filter::{EnvFilter, FilterExt as _, LevelFilter, filter_fn};
use tracing_subscriber::layer::SubscriberExt as _;
use tracing_subscriber::util::SubscriberInitExt as _;
use tracing_subscriber::{Layer, Registry};

use crate::Failure;
use crate::config::{Environment, LogFormat, TelemetryConfig};

/// Crates that would flood the log; a filter that names one of them overrides this.
const QUIET: &str = "apalis_core=warn,h2=warn,hyper=warn,hyper_util=warn,tonic=warn,tower=warn,sqlx=warn,\
                     opentelemetry=warn,opentelemetry_sdk=warn,opentelemetry-otlp=warn";
/// Crates whose spans describe the export of spans, which would never end.
const TRANSPORT: [&str; 5] = ["h2", "hyper", "tonic", "tower", "opentelemetry"];

/// Installs the log and the tracer for the whole process.
pub(super) fn install(
    process: &'static str,
    config: &TelemetryConfig,
    env: &Environment,
    tracer: Option<&SdkTracerProvider>,
) -> Result<(), Failure> {
    let lines = match config.log_format {
        LogFormat::Json => tracing_subscriber::fmt::layer().json().with_writer(std::io::stderr).boxed(),
        LogFormat::Human => {
            let colour = std::io::stderr().is_terminal() && env.get("NO_COLOR").is_none();
            tracing_subscriber::fmt::layer().with_ansi(colour).with_writer(std::io::stderr).boxed()
        }
    };
    let lines = lines.with_filter(filter(config, env)?);
    let spans = tracer.map(|provider| {
        let ours = filter_fn(|meta| !TRANSPORT.iter().any(|name| meta.target().starts_with(name)));
        tracing_opentelemetry::layer()
            .with_tracer(provider.tracer(process))
            .with_location(false)
            .with_filter(ours.and(LevelFilter::INFO))
    });
    let _ = Registry::default().with(lines).with(spans).try_init();
    Ok(())
}

/// `KIMBERLY_LOG`, else `RUST_LOG`, else the configuration.
fn filter(config: &TelemetryConfig, env: &Environment) -> Result<EnvFilter, Failure> {
    let named = ["KIMBERLY_LOG", "RUST_LOG"].into_iter().find_map(|name| Some((name, env.get(name)?)));
    let (name, wanted) = named.unwrap_or(("telemetry.log", &config.log));
    format!("{QUIET},{wanted}").parse().map_err(|error| {
        let advice = "write a level such as info or info,kimberly_api=debug";
        Failure::new(format!("{name} is {wanted:?}, which is not a log filter ({error})"), advice)
    })
}
