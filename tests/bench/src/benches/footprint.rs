//! Idle footprint: memory, start time, bytes on disk.

use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Duration;

use kimberly_proto::v1::settings_service_client::SettingsServiceClient;
use kimberly_proto::v1::{UpdateSettingsRequest, UserSettings};

use crate::disk::{bytes_below, files_named};
use crate::figures::{Aim, Figures};
use crate::load::connect;
use crate::population::Population;
use crate::process::{megabytes, resident_bytes};
use crate::report::Report;
use crate::system::{Role, System};
use crate::texts::Language;
use crate::{Options, Result};

/// Idle time before memory is measured.
const IDLE: Duration = Duration::from_secs(5);
const MEMORIES: usize = 1_000;

/// Measures and reports.
pub(crate) async fn run(options: Options, report: &mut Report) -> Result<()> {
    let starts = if options.quick { 5 } else { 21 };
    let mut figures = Figures::new(report, "footprint");
    processes(starts, &mut figures).await?;
    vaults(&mut figures).await?;
    figures.print();
    Ok(())
}

/// Start time and idle memory. The first start also creates the data folder and is not counted.
async fn processes(starts: usize, figures: &mut Figures<'_>) -> Result<()> {
    let mut system = System::prepare(&[])?;
    for role in Role::ALL {
        let first = system.start(role).await?;
        let mut taken = Vec::with_capacity(starts);
        for _ in 0..starts {
            system.stop(role).await?;
            taken.push(system.start(role).await?);
        }
        taken.sort_unstable();
        let name = role.name();
        figures.add(&format!("footprint.{name}.start_ms"), millis(taken[starts / 2]), Aim::AtMost(200.0));
        figures.add(&format!("footprint.{name}.first_start_ms"), millis(first), Aim::AtMost(200.0));
    }
    tokio::time::sleep(IDLE).await;
    for role in Role::ALL {
        let resident = resident_bytes(system.pid(role)?)?;
        figures.add(&format!("footprint.{}.idle_mb", role.name()), megabytes(resident), Aim::AtMost(40.0));
    }
    Ok(())
}

/// Size of vaults after their process has stopped, and thus checkpointed the WAL.
async fn vaults(figures: &mut Figures<'_>) -> Result<()> {
    let mut system = System::prepare(&[])?;
    system.start(Role::Api).await?;
    let channels = connect(&system.api_url(), 1).await?;
    let settings = UserSettings { low_score: Some(0.1), ..UserSettings::default() };
    let request = UpdateSettingsRequest {
        user_id: "footprint-empty".to_owned(),
        user_settings: Some(settings),
        update_mask: Some(prost_types::FieldMask { paths: vec!["low_score".to_owned()] }),
        ..UpdateSettingsRequest::default()
    };
    SettingsServiceClient::new(channels[0].clone()).update_settings(request).await?;
    system.stop(Role::Api).await?;
    let empty = only_vault(&system.data_dir(), &[])?;
    figures.add("footprint.vault.empty_kb", kilobytes(bytes_below(&empty)?), Aim::AtMost(300.0));

    system.start(Role::Api).await?;
    let channels = connect(&system.api_url(), 1).await?;
    let population = Population::new(&Arc::new(Language::new()), "footprint", MEMORIES);
    population.import(&channels, 0..1).await?;
    let filled = only_vault(&system.data_dir(), &[empty])?;
    let open = bytes_below(&filled)?;
    system.stop(Role::Api).await?;
    figures.add("footprint.vault.memories_1000_kb", kilobytes(bytes_below(&filled)?), Aim::AtMost(1_000.0));
    figures.add("footprint.vault.memories_1000_open_kb", kilobytes(open), Aim::Open);
    let texts: usize = population.turns(0).iter().map(|turn| turn.text.len()).sum();
    figures.add("footprint.vault.memories_1000_text_kb", kilobytes(texts as u64), Aim::Open);
    Ok(())
}

/// The folder of the only vault not listed yet.
fn only_vault(data_dir: &Path, known: &[PathBuf]) -> Result<PathBuf> {
    let folders = files_named(data_dir, "memory.db")?.into_iter().filter_map(|file| file.parent().map(Path::to_owned));
    let mut unknown = folders.filter(|folder| !known.contains(folder));
    unknown.next().ok_or_else(|| "the api made no vault".into())
}

fn millis(time: Duration) -> f64 {
    time.as_secs_f64() * 1e3
}

#[expect(clippy::cast_precision_loss, reason = "far fewer than 2^52 bytes")]
fn kilobytes(bytes: u64) -> f64 {
    bytes as f64 / 1e3
}
