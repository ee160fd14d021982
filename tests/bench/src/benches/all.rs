//! The benchmarks of speed and size, one after another, and one table of the figures that have an aim.

use crate::report::{Report, say};
use crate::{Options, Result};

const NAMES: [&str; 9] = ["recall", "write", "records", "context", "meditate", "night", "api", "footprint", "scale"];

/// Measures and reports. Each benchmark starts its own processes.
pub(crate) async fn run(options: Options, report: &mut Report) -> Result<()> {
    for name in NAMES {
        say(&format!("\n## {name}"));
        Box::pin(super::run(name, options, report)).await?;
    }
    say(&format!("\n## Aims\n\n{}", report.judged().text()));
    Ok(())
}
