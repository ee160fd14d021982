//! How long writes wait for background work on the same vault: nights, extraction, imports and rebuilds.

use std::sync::Arc;
use std::time::{Duration, Instant};

use kimberly_proto::v1::conversation_service_client::ConversationServiceClient;
use kimberly_proto::v1::import_item::Memory as Imported;
use kimberly_proto::v1::import_memories_request::Message as Part;
use kimberly_proto::v1::maintenance_service_client::MaintenanceServiceClient;
use kimberly_proto::v1::memory_service_client::MemoryServiceClient;
use kimberly_proto::v1::{
    BatchCreateMemoriesRequest, CreateMemoryRequest, ImportItem, ImportMemoriesRequest, ImportStart, MeditateRequest,
    MemoryDraft, Message, ObserveRequest, RebuildDerivedRequest, Role as Speaker,
};
use tokio::sync::watch;
use tonic::transport::Channel;

use super::meditate::meditate_all;
use crate::figures::{Aim, Figures};
use crate::load::{Sample, connect};
use crate::population::Population;
use crate::report::{Report, say};
use crate::system::{Role, System};
use crate::texts::Language;
use crate::{Options, Result};

/// A quota large enough for the measurements.
const SETTINGS: [(&str, &str); 1] = [("KIMBERLY_QUOTAS__LONG_TERM", "1GiB")];
const BATCH: usize = 1_000;
/// Messages observed in all and at once, and the time that the worker gets to read them.
const OBSERVED: usize = 500;
const AT_ONCE: usize = 20;
const EXTRACTING: Duration = Duration::from_secs(15);
/// Pause of the client between two creates.
const PAUSE: Duration = Duration::from_millis(20);
/// The longest that a create should wait.
const LONGEST_MS: f64 = 250.0;

/// Measures and reports.
pub(crate) async fn run(options: Options, report: &mut Report) -> Result<()> {
    let sizes: &[usize] = if options.quick { &[20_000] } else { &[20_000, 100_000] };
    for memories in options.memories.as_ref().map_or(sizes, std::slice::from_ref) {
        let mut figures = Figures::new(report, &format!("waits, a vault of {memories} memories"));
        measure(*memories, &mut figures).await?;
        figures.print();
    }
    Ok(())
}

async fn measure(memories: usize, figures: &mut Figures<'_>) -> Result<()> {
    let population = Population::new(&Arc::new(Language::new()), "waits", memories);
    let mut system = System::prepare(&SETTINGS)?;
    system.start(Role::Api).await?;
    let channels = connect(&system.api_url(), 2).await?;
    let (user, drafts) = (population.id(0), population.batch(0).memories);
    for batch in drafts.chunks(BATCH) {
        let memories = batch.to_vec();
        let request =
            BatchCreateMemoriesRequest { user_id: user.clone(), memories, always_new: true, ..<_>::default() };
        MemoryServiceClient::new(channels[0].clone()).batch_create_memories(request).await?;
    }
    let background = Background { channel: channels[1].clone(), user, drafts };
    background.beside("alone", &channels[0], tokio::time::sleep(Duration::from_secs(5)), figures).await;
    system.start(Role::Worker).await?;
    let users = [background.user.clone()];
    let night = |user: &str| MeditateRequest { user_id: user.to_owned(), full: true, ..<_>::default() };
    let nights = meditate_all(&users, &system, &channels[1..], night);
    background.beside("night", &channels[0], nights, figures).await.map(drop)?;
    background.beside("extract", &channels[0], background.extract(), figures).await?;
    background.beside("import", &channels[0], background.import(memories / 4), figures).await?;
    background.beside("rebuild", &channels[0], background.rebuild(), figures).await
}

/// Work on one vault beside its creates.
struct Background {
    channel: Channel,
    user: String,
    drafts: Vec<MemoryDraft>,
}

impl Background {
    /// Observes messages, and waits for as long as the worker needs to read them.
    async fn extract(&self) -> Result<()> {
        let of = |(n, draft): (usize, &MemoryDraft)| Message {
            id: format!("message-{n}"),
            role: Speaker::User.into(),
            content: format!("I decided to take {}", draft.content),
            ..Message::default()
        };
        let mut client = ConversationServiceClient::new(self.channel.clone());
        for (session, drafts) in self.drafts.chunks(AT_ONCE).take(OBSERVED / AT_ONCE).enumerate() {
            let messages = drafts.iter().enumerate().map(of).collect();
            let session_id = format!("observed-{session}");
            let request = ObserveRequest { user_id: self.user.clone(), session_id, messages, ..<_>::default() };
            client.observe(request).await?;
        }
        tokio::time::sleep(EXTRACTING).await;
        Ok(())
    }

    async fn import(&self, items: usize) -> Result<()> {
        let start = ImportStart { user_id: self.user.clone(), import_id: "waits".to_owned(), ..<_>::default() };
        let item = |(index, draft): (usize, &MemoryDraft)| {
            let draft = MemoryDraft { content: format!("again {}", draft.content), ..draft.clone() };
            Part::Item(ImportItem {
                index: i64::try_from(index).unwrap_or_default(),
                memory: Some(Imported::Draft(draft)),
            })
        };
        let items = self.drafts.iter().take(items).enumerate().map(item);
        let parts = std::iter::once(Part::Start(start)).chain(items);
        let requests: Vec<_> = parts.map(|part| ImportMemoriesRequest { message: Some(part) }).collect();
        let mut client = MemoryServiceClient::new(self.channel.clone());
        let mut answers = client.import_memories(futures::stream::iter(requests)).await?.into_inner();
        while answers.message().await?.is_some() {}
        Ok(())
    }

    async fn rebuild(&self) -> Result<()> {
        let request = RebuildDerivedRequest { user_id: self.user.clone(), ..<_>::default() };
        MaintenanceServiceClient::new(self.channel.clone()).rebuild_derived(request).await?;
        Ok(())
    }

    /// Creates one memory after another until `work` is done; adds how long that took, and how many were refused.
    async fn beside<T>(
        &self,
        name: &str,
        channel: &Channel,
        work: impl Future<Output = T>,
        figures: &mut Figures<'_>,
    ) -> T {
        let (stop, stopped) = watch::channel(false);
        let creating = tokio::spawn(create_until(channel.clone(), self.user.clone(), stopped));
        let began = Instant::now();
        let done = work.await;
        let taken = began.elapsed();
        stop.send_replace(true);
        let (sample, refused) = creating.await.unwrap_or_default();
        say(&format!("{name}: {:.1} s, {} creates", taken.as_secs_f64(), sample.calls()));
        let name = format!("waits.n{}.{name}", self.drafts.len());
        figures.add(&format!("{name}.p50_ms"), sample.p50(), Aim::Open);
        figures.add(&format!("{name}.p99_ms"), sample.p99(), Aim::Open);
        figures.add(&format!("{name}.max_ms"), sample.percentile(1.0), Aim::AtMost(LONGEST_MS));
        figures.add(&format!("{name}.refused"), f64::from(refused), Aim::AtMost(0.0));
        figures.add(&format!("{name}.seconds"), taken.as_secs_f64(), Aim::Open);
        done
    }
}

/// Creates memories until stopped; returns their times, and how many were refused.
async fn create_until(channel: Channel, user: String, stopped: watch::Receiver<bool>) -> (Sample, u32) {
    let (mut taken, mut refused) = (Vec::new(), 0);
    while !*stopped.borrow() {
        let content = format!("a note that is written beside other work, number {}", taken.len());
        let memory = Some(MemoryDraft { content, ..MemoryDraft::default() });
        let request = CreateMemoryRequest { user_id: user.clone(), memory, ..<_>::default() };
        let sent = Instant::now();
        refused += u32::from(MemoryServiceClient::new(channel.clone()).create_memory(request).await.is_err());
        taken.push(sent.elapsed());
        tokio::time::sleep(PAUSE).await;
    }
    (Sample::of(&taken), refused)
}
