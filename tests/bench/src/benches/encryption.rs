//! The cost of encryption at rest: the same calls to a system with and one without, alternating, so that background
//! load affects both.

use std::sync::Arc;
use std::time::{Duration, Instant};

use kimberly_proto::v1::memory_service_client::MemoryServiceClient;
use kimberly_proto::v1::{CreateMemoryRequest, QueryMemoriesRequest};
use tonic::transport::Channel;

use super::recall::query;
use crate::figures::{Aim, Figures};
use crate::load::{Limit, Sample, closed_loop, connect};
use crate::population::Population;
use crate::report::Report;
use crate::system::{Role, System};
use crate::texts::Language;
use crate::{Options, Result};

const MEMORIES: usize = 1_000;
const USERS: usize = 10;
const CLIENTS: [usize; 2] = [1, 32];
/// Alternating rounds.
const ROUNDS: usize = 12;
/// A quota large enough for all rounds.
const QUOTA: (&str, &str) = ("KIMBERLY_QUOTAS__LONG_TERM", "1GiB");
/// Only one open vault, to measure opening.
const ONE_VAULT: (&str, &str) = ("KIMBERLY_VAULTS__MAX_OPEN", "1");

/// The extent of one round.
struct Extent {
    queries: usize,
    writing: Duration,
    opened: usize,
    made: usize,
}

/// One of the two systems, and its measurements.
struct Side {
    _system: System,
    _opener: System,
    channels: Vec<Channel>,
    opening: Channel,
    recall: [Sample; 2],
    writes: [Sample; 2],
    open: Sample,
    make: Sample,
    next: usize,
}

/// Measures and reports.
pub(crate) async fn run(options: Options, report: &mut Report) -> Result<()> {
    let extent = if options.quick {
        Extent { queries: 100, writing: Duration::from_millis(250), opened: 20, made: 4 }
    } else {
        Extent { queries: 500, writing: Duration::from_secs(1), opened: 60, made: 10 }
    };
    let language = Arc::new(Language::new());
    let population = Population::new(&language, "encryption", MEMORIES);
    let few = Population::new(&language, "encryption-opened", 20);
    let mut sides = [Side::start("true", &population, &few).await?, Side::start("false", &population, &few).await?];
    let questions = Arc::new(population.questions(0..USERS, extent.queries * 4));
    let small = Arc::new(few.questions(0..USERS, extent.opened));
    let written = Arc::new(population.singles(USERS));
    for side in &mut sides {
        side.warm_up(&questions, &written).await?;
    }
    for round in 0..ROUNDS {
        // The order alternates too.
        let order = if round % 2 == 0 { [0, 1] } else { [1, 0] };
        for side in order {
            sides[side].round(round, &extent, &questions, &small, &written).await?;
        }
    }
    let mut figures = Figures::new(report, "encryption, on beside off");
    figure(&sides, &mut figures);
    figures.print();
    Ok(())
}

fn figure([on, off]: &[Side; 2], figures: &mut Figures<'_>) {
    for (index, clients) in CLIENTS.into_iter().enumerate() {
        let (a, b) = (&on.recall[index], &off.recall[index]);
        let name = format!("encryption.recall.c{clients}");
        figures.add(&format!("{name}.on.p50_ms"), a.p50(), Aim::Open);
        figures.add(&format!("{name}.off.p50_ms"), b.p50(), Aim::Open);
        figures.add(&format!("{name}.p50_ratio"), a.p50() / b.p50(), Aim::AtMost(1.15));
        let (a, b) = (&on.writes[index], &off.writes[index]);
        let name = format!("encryption.write.c{clients}");
        figures.add(&format!("{name}.on.per_second"), a.per_second(), Aim::Open);
        figures.add(&format!("{name}.off.per_second"), b.per_second(), Aim::Open);
        figures.add(&format!("{name}.on.p50_ms"), a.p50(), Aim::Open);
        figures.add(&format!("{name}.off.p50_ms"), b.p50(), Aim::Open);
        figures.add(&format!("{name}.rate_ratio"), b.per_second() / a.per_second(), Aim::AtMost(1.15));
    }
    for (what, a, b) in [("open", &on.open, &off.open), ("make", &on.make, &off.make)] {
        figures.add(&format!("encryption.{what}.on.p50_ms"), a.p50(), Aim::Open);
        figures.add(&format!("encryption.{what}.off.p50_ms"), b.p50(), Aim::Open);
    }
}

impl Side {
    async fn start(enabled: &str, population: &Population, few: &Population) -> Result<Self> {
        let encryption = ("KIMBERLY_ENCRYPTION__ENABLED", enabled);
        let mut system = System::prepare(&[encryption, QUOTA])?;
        system.start(Role::Api).await?;
        let channels = connect(&system.api_url(), 32).await?;
        population.import(&channels[..2], 0..USERS).await?;
        let mut opener = System::prepare(&[encryption, ONE_VAULT])?;
        opener.start(Role::Api).await?;
        let opening = connect(&opener.api_url(), 1).await?;
        few.import(&opening, 0..USERS).await?;
        Ok(Self {
            _system: system,
            _opener: opener,
            opening: opening.into_iter().next().ok_or("a connection was asked for")?,
            channels,
            recall: Default::default(),
            writes: Default::default(),
            open: Sample::default(),
            make: Sample::default(),
            next: 0,
        })
    }

    async fn warm_up(
        &mut self,
        questions: &Arc<Vec<QueryMemoriesRequest>>,
        written: &Arc<Vec<CreateMemoryRequest>>,
    ) -> Result<()> {
        query(&self.channels[..8], questions, 0, questions.len().min(400)).await?;
        self.write(8, Limit { calls: 200, time: Duration::from_secs(5) }, written).await?;
        Ok(())
    }

    async fn round(
        &mut self,
        round: usize,
        extent: &Extent,
        questions: &Arc<Vec<QueryMemoriesRequest>>,
        small: &Arc<Vec<QueryMemoriesRequest>>,
        written: &Arc<Vec<CreateMemoryRequest>>,
    ) -> Result<()> {
        for (index, clients) in CLIENTS.into_iter().enumerate() {
            let first = round * extent.queries;
            let sample = query(&self.channels[..clients], questions, first, extent.queries).await?;
            self.recall[index].join(sample);
            let limit = Limit { calls: usize::MAX, time: extent.writing };
            let sample = self.write(clients, limit, written).await?;
            self.writes[index].join(sample);
        }
        // Questions of users in turn, with at most one vault open: each call opens a vault.
        let sample = query(std::slice::from_ref(&self.opening), small, 0, extent.opened).await?;
        self.open.join(sample);
        let made = self.make_vaults(round, extent.made, written).await?;
        self.make.join(made);
        Ok(())
    }

    /// Writes to one user.
    async fn write(&mut self, clients: usize, limit: Limit, written: &Arc<Vec<CreateMemoryRequest>>) -> Result<Sample> {
        let requests = Arc::clone(written);
        let sample = closed_loop(&self.channels[..clients], self.next, limit, move |channel, number| {
            let request = requests[number % requests.len()].clone();
            async move {
                MemoryServiceClient::new(channel).create_memory(request).await?;
                Ok(())
            }
        })
        .await?;
        self.next += sample.calls();
        Ok(sample)
    }

    /// The first write of users without a vault.
    async fn make_vaults(&self, round: usize, made: usize, written: &[CreateMemoryRequest]) -> Result<Sample> {
        let mut client = MemoryServiceClient::new(self.channels[0].clone());
        let mut taken = Vec::with_capacity(made);
        for (number, request) in written.iter().take(made).enumerate() {
            let user_id = format!("encryption-made-{round}-{number}");
            let sent = Instant::now();
            client.create_memory(CreateMemoryRequest { user_id, ..request.clone() }).await?;
            taken.push(sent.elapsed());
        }
        Ok(Sample::of(&taken))
    }
}
