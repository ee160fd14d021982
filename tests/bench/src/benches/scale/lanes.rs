//! The same calls, alternating, to one api on SQLite and to one, two and four on Postgres, by one client and by more;
//! with their processor time.

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Duration;

use kimberly_proto::v1::QueryMemoriesRequest;
use kimberly_proto::v1::memory_service_client::MemoryServiceClient;
use tonic::transport::Channel;
use tonic::{Code, Status};

use super::Extent;
use super::machines::Machines;
use super::people::People;
use super::sheet::Sheet;
use crate::Result;
use crate::figures::{Aim, Figures};
use crate::load::{Limit, Sample, closed_loop, connect};
use crate::process::{children, processor_time};
use crate::system::{Role, System};

/// The numbers of apis and clients to measure. The first and the last two of Postgres are compared with SQLite.
pub(super) const ON_POSTGRES: [(usize, usize); 7] = [(1, 1), (1, 8), (1, 32), (2, 8), (2, 32), (4, 8), (4, 32)];
pub(super) const ON_SQLITE: [(usize, usize); 3] = [(1, 1), (1, 8), (1, 32)];
/// The retry delay after a refusal, as the server requests; it counts towards the call.
const AGAIN: Duration = Duration::from_millis(250);
/// Questions prepared in advance.
const QUESTIONS: usize = 20_000;
/// Warm-up calls per lane.
const WARM_UP: usize = 50;

/// A kind of call.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Call {
    /// `QueryMemories` of random users, mostly once each, so that caches do not help.
    Recall,
    /// `QueryMemories` of the few active users.
    Active,
    /// `CreateMemory`, durable.
    Write,
}

impl Call {
    pub(super) const ALL: [Self; 3] = [Self::Recall, Self::Active, Self::Write];

    pub(super) fn name(self) -> &'static str {
        match self {
            Self::Recall => "recall",
            Self::Active => "active_recall",
            Self::Write => "write",
        }
    }
}

/// The measurements of one kind of call.
#[derive(Default)]
struct Measured {
    sample: Sample,
    refused: usize,
    /// Processor time of apis, and of Postgres.
    worked: [Duration; 2],
}

/// One combination of backend, apis and clients.
struct Lane {
    backend: &'static str,
    apis: usize,
    channels: Vec<Channel>,
    pids: Vec<u32>,
    measured: [Measured; Call::ALL.len()],
    next: usize,
}

/// All lanes.
pub(super) struct Lanes {
    lanes: Vec<Lane>,
    /// The Postgres postmaster.
    postgres: u32,
}

impl Lanes {
    /// Connects every client.
    pub(super) async fn open(machines: &Machines, files: &System, postgres: u32) -> Result<Self> {
        let mut lanes = Vec::new();
        for (apis, clients) in ON_SQLITE {
            let channels = connect(&files.api_url(), clients).await?;
            lanes.push(Lane::new("sqlite", apis, channels, vec![files.pid(Role::Api)?]));
        }
        for (apis, clients) in ON_POSTGRES {
            let channels = machines.channels(apis, clients).await?;
            lanes.push(Lane::new("postgres", apis, channels, machines.pids()?));
        }
        Ok(Self { lanes, postgres })
    }

    /// Runs all lanes in turn, so that background load affects all of them.
    pub(super) async fn measure(&mut self, extent: Extent, people: &Arc<People>, users: usize) -> Result<()> {
        for call in Call::ALL {
            let among = if call == Call::Active { people.active(users) } else { users };
            let questions = Arc::new(people.questions(among, QUESTIONS));
            for lane in &mut self.lanes {
                let warm_up = Limit { calls: WARM_UP, time: Duration::from_mins(1) };
                lane.take((call, warm_up), (people, users), &questions).await?;
            }
            for _ in 0..extent.rounds {
                for lane in &mut self.lanes {
                    let before = lane.worked(self.postgres)?;
                    let turn = Limit { calls: usize::MAX, time: extent.turn };
                    let (sample, refused) = lane.take((call, turn), (people, users), &questions).await?;
                    let after = lane.worked(self.postgres)?;
                    let measured = &mut lane.measured[call as usize];
                    measured.sample.join(sample);
                    measured.refused += refused;
                    for ((sum, after), before) in measured.worked.iter_mut().zip(after).zip(before) {
                        *sum += after.saturating_sub(before);
                    }
                }
            }
        }
        Ok(())
    }

    /// Records the measurements.
    pub(super) fn figure(&self, users: usize, figures: &mut Figures<'_>, sheet: &mut Sheet) {
        for call in Call::ALL {
            for lane in &self.lanes {
                let (measured, clients) = (&lane.measured[call as usize], lane.channels.len());
                let name = format!("scale.users{users}.{}.{}{}.c{clients}", call.name(), lane.backend, lane.apis);
                let sample = &measured.sample;
                figures.add(&format!("{name}.per_second"), sample.per_second(), Aim::Open);
                figures.add(&format!("{name}.p50_ms"), sample.p50(), Aim::Open);
                figures.add(&format!("{name}.p99_ms"), sample.p99(), Aim::Open);
                let [api, postgres] = measured.worked.map(|worked| per_call(worked, sample.calls()));
                figures.add(&format!("{name}.api_processor_ms"), api, Aim::Open);
                if lane.backend == "postgres" {
                    figures.add(&format!("{name}.postgres_processor_ms"), postgres, Aim::Open);
                }
                #[expect(clippy::cast_precision_loss, reason = "far fewer than 2^52 calls")]
                let refused = measured.refused as f64 / sample.calls().max(1) as f64;
                figures.add(&format!("{name}.refusals_per_call"), refused, Aim::Open);
                let numbers = [sample.per_second(), sample.p50(), sample.p99(), api, postgres];
                sheet.put((users, call, lane.backend, lane.apis, clients), numbers);
            }
            sheet.beside(users, call, figures);
        }
    }
}

impl Lane {
    fn new(backend: &'static str, apis: usize, channels: Vec<Channel>, pids: Vec<u32>) -> Self {
        Self { backend, apis, channels, pids, measured: <_>::default(), next: 0 }
    }

    /// Calls up to a limit; returns the times and the number of refusals.
    async fn take(
        &mut self,
        (call, limit): (Call, Limit),
        (people, users): (&Arc<People>, usize),
        questions: &Arc<Vec<QueryMemoriesRequest>>,
    ) -> Result<(Sample, usize)> {
        let refused = Arc::new(AtomicUsize::new(0));
        let (people, questions, refusals) = (Arc::clone(people), Arc::clone(questions), Arc::clone(&refused));
        let sample = closed_loop(&self.channels, self.next, limit, move |channel, number| {
            let (question, write) = match call {
                Call::Recall | Call::Active => (Some(questions[number % questions.len()].clone()), None),
                Call::Write => (None, Some(people.write(users, number))),
            };
            let refusals = Arc::clone(&refusals);
            async move {
                let mut client = MemoryServiceClient::new(channel);
                loop {
                    let mut answer = Ok(());
                    if let Some(question) = &question {
                        answer = client.query_memories(question.clone()).await.map(drop);
                    }
                    if let Some(write) = &write {
                        answer = client.create_memory(write.clone()).await.map(drop);
                    }
                    if !is_refusal(&answer) {
                        return Ok(answer?);
                    }
                    refusals.fetch_add(1, Ordering::Relaxed);
                    tokio::time::sleep(AGAIN).await;
                }
            }
        })
        .await?;
        self.next += sample.calls();
        Ok((sample, refused.load(Ordering::Relaxed)))
    }

    /// Processor time so far of the lane's apis, and of Postgres if it is used.
    fn worked(&self, postgres: u32) -> Result<[Duration; 2]> {
        let of = |pids: &[u32]| -> Duration {
            // Ended processes are omitted.
            pids.iter().filter_map(|pid| processor_time(*pid).ok()).sum()
        };
        let asked = if self.backend == "postgres" { children(postgres)? } else { Vec::new() };
        Ok([of(&self.pids), of(&asked)])
    }
}

fn is_refusal(answer: &Result<(), Status>) -> bool {
    answer.as_ref().is_err_and(|status| status.code() == Code::ResourceExhausted)
}

fn per_call(worked: Duration, calls: usize) -> f64 {
    #[expect(clippy::cast_precision_loss, reason = "far fewer than 2^52 calls")]
    let calls = calls as f64;
    worked.as_secs_f64() * 1e3 / calls
}
