//! A night of many users with all steps: records per second and core, the worker's memory, the same night once more, and
//! each step by itself. The records are turns of LoCoMo.

use std::time::Duration;

use kimberly_core::meditation::steps::pipeline;
use kimberly_proto::v1::{BatchCreateMemoriesRequest, MeditateRequest, MemoryDraft};
use tonic::transport::Channel;

use super::locomo::dataset;
use super::meditate::{Meditated, meditate_all};
use super::recall_quality::sets;
use crate::figures::{Aim, Figures};
use crate::load::connect;
use crate::population::{create_all, scatter};
use crate::process::megabytes;
use crate::report::{Report, say};
use crate::system::{Role, System};
use crate::{Options, Result};

/// Records of each user.
const RECORDS: usize = 1_000;

/// Measures and reports.
pub(crate) async fn run(options: Options, report: &mut Report) -> Result<()> {
    let users = options.users.unwrap_or(if options.quick { 40 } else { 1_000 });
    let texts = Texts::read()?;
    let mut system = System::prepare(&[])?;
    system.start(Role::Api).await?;
    let channels = connect(&system.api_url(), 8).await?;
    let mut figures = Figures::new(report, &format!("night, {users} users x {RECORDS} records"));

    let steps: Vec<String> = pipeline().map(|step| step.name().to_owned()).into();
    let few = texts.import(&channels, "few", users / 10).await?;
    let first = night(&mut system, &channels, &few, &steps).await?;
    figures.add("night.few.peak_mb", megabytes(first.peak_bytes), Aim::Open);
    for (kind, steps) in [("", steps.as_slice()), ("usual.", &[])] {
        let many = texts.import(&channels, &format!("{kind}many"), users).await?;
        let first = night(&mut system, &channels, &many, steps).await?;
        let rate = per_core_second(&many, &first);
        figures.add(&format!("night.{kind}records_per_core_second"), rate, Aim::AtLeast(1_000.0));
        figures.add(&format!("night.{kind}peak_mb"), megabytes(first.peak_bytes), Aim::Open);
        for name in ["second", "third"] {
            let again = night(&mut system, &channels, &many, steps).await?;
            let share = again.processor.as_secs_f64() / first.processor.as_secs_f64();
            figures.add(&format!("night.{kind}{name}_to_first"), share, Aim::AtMost(0.05));
        }
    }
    let alone = texts.import(&channels, "alone", users.div_ceil(10)).await?;
    for name in ["first", "second", "third"] {
        for step in &steps {
            let done = night(&mut system, &channels, &alone, std::slice::from_ref(step)).await?;
            figures.add(&format!("night.{name}.{step}.us_per_record"), micros(&alone, &done), Aim::Open);
        }
    }
    figures.print();
    Ok(())
}

/// A night of these users, by a newly started worker.
async fn night(system: &mut System, channels: &[Channel], users: &[String], steps: &[String]) -> Result<Meditated> {
    system.start(Role::Worker).await?;
    let of =
        |user: &str| MeditateRequest { user_id: user.to_owned(), steps: steps.to_vec(), ..MeditateRequest::default() };
    let done = meditate_all(users, system, channels, of).await?;
    system.stop(Role::Worker).await?;
    Ok(done)
}

#[expect(clippy::cast_precision_loss, reason = "far fewer than 2^52 records")]
fn per_core_second(users: &[String], done: &Meditated) -> f64 {
    (users.len() * RECORDS) as f64 / done.processor.as_secs_f64()
}

fn micros(users: &[String], done: &Meditated) -> f64 {
    Duration::from_secs(1).as_secs_f64() * 1e6 / per_core_second(users, done)
}

/// Turns of all conversations, one after another.
struct Texts(Vec<dataset::Turn>);

impl Texts {
    fn read() -> Result<Self> {
        let set = sets::read()?.into_iter().find(|set| set.name == "locomo").ok_or("locomo10.json is missing")?;
        Ok(Self(set.conversations.into_iter().flat_map(|conversation| conversation.turns).collect()))
    }

    /// Gives users records; returns their ids.
    async fn import(&self, channels: &[Channel], prefix: &str, users: usize) -> Result<Vec<String>> {
        let ids: Vec<String> = (0..users).map(|user| format!("{prefix}-{user:05}")).collect();
        let mut taken = Duration::ZERO;
        for (chunk, ids) in ids.chunks(32).enumerate() {
            let batches = ids.iter().enumerate().map(|(at, id)| self.batch(id, scatter(chunk * 32 + at)));
            taken += create_all(channels, batches.collect()).await?;
        }
        say(&format!("{users} users imported in {:.1} s", taken.as_secs_f64()));
        Ok(ids)
    }

    fn batch(&self, user: &str, first: usize) -> BatchCreateMemoriesRequest {
        let turns = self.0.iter().cycle().skip(first % self.0.len()).take(RECORDS);
        BatchCreateMemoriesRequest {
            user_id: user.to_owned(),
            memories: turns.map(draft).collect(),
            ..BatchCreateMemoriesRequest::default()
        }
    }
}

fn draft(turn: &dataset::Turn) -> MemoryDraft {
    let seconds = turn.session_at + i64::try_from(turn.position).unwrap_or(0);
    MemoryDraft {
        content: turn.text.clone(),
        speaker: turn.speaker.clone(),
        session_id: format!("session-{}", turn.session),
        occurred_at: Some(prost_types::Timestamp { seconds, nanos: 0 }),
        ..MemoryDraft::default()
    }
}
