//! The worker, run manually: schedules due runs, runs the jobs of the outbox, removes finished ones.

use kimberly_core::meditation::MeditationStatus;
use kimberly_core::meditation::{Kind, Reason};
use kimberly_core::ports::{Job, OutboxRow};
use kimberly_core::{MeditationId, MemoryId};

use crate::simulation::cut::cut_after;
use crate::simulation::world::World;

impl World {
    /// One round of the worker.
    pub(crate) async fn work(&mut self) {
        let now = self.app.clock.now();
        for due in self.registry.due(now, 100).await.expect("due users are read") {
            self.app.start_due(&*self.registry, &due).await.expect("a due run is scheduled");
        }
        loop {
            let rows = self.outbox().await;
            if rows.is_empty() {
                break;
            }
            for row in rows {
                match row.job {
                    Job::Meditate { meditation_id } => self.carry_out(meditation_id).await,
                    Job::Erase => self.app.erase_withheld(&self.user).await.map(drop).expect("the rest is erased"),
                    Job::Extract { .. } => {
                        self.app.extract_turns(&self.user, &[]).await.map(drop).expect("extracted from turns");
                    }
                    Job::Compact { turn_id } => {
                        self.app.compact_due(&self.user, turn_id).await.map(drop).expect("a session was compacted");
                    }
                    Job::Summarize { .. } => panic!("a job for a language model was made although there is none"),
                    Job::Embed => panic!("a job for the embedder was made although embeddings are off"),
                    Job::Attachments { .. } => panic!("a job for attachments was made although there are none"),
                }
                self.remove(row.position).await;
            }
        }
        self.registry.clear_pending_outbox(&self.user).await.expect("the mark is cleared");
    }

    /// Executes a run, with interruptions if the world has them.
    async fn carry_out(&mut self, id: MeditationId) {
        let app = self.app.clone();
        let user = self.user.clone();
        let mut attempts = 0;
        loop {
            let polls = self.knife_stroke(attempts);
            attempts += 1;
            match cut_after(app.run_meditation(&user, id), polls).await {
                Some(ended) => break ended.expect("a run is carried out"),
                None => self.cuts += 1,
            }
        }
        self.runs += 1;
        self.check_run(id).await;
    }

    /// The number of polls before the next attempt is interrupted; none after some attempts.
    fn knife_stroke(&mut self, attempts: u32) -> Option<u32> {
        use rand::Rng as _;
        let cut = self.cut_runs && attempts < 6;
        cut.then(|| self.knife.dice().random_range(1..=4 + attempts * 8))
    }

    /// Records what a run did, and checks it.
    async fn check_run(&mut self, id: MeditationId) {
        let (run, decisions) = self
            .vaults
            .read(&self.user, move |reader| {
                Box::pin(async move { Ok((reader.meditation(id).await?, reader.decisions(id, 0, 100_000).await?)) })
            })
            .await
            .expect("a run is read");
        let run = run.expect("the run is recorded");
        assert_eq!(run.status, MeditationStatus::Complete, "day {}: {:?}", self.day, run.error);
        let counted = |kind: Kind| decisions.iter().filter(|d| d.decision.kind == kind).count() as u64;
        assert_eq!((run.archived, run.pruned), (counted(Kind::Archive), counted(Kind::Delete)), "day {}", self.day);
        for recorded in &decisions {
            let decision = &recorded.decision;
            match decision.kind {
                Kind::Archive if decision.reason == Reason::OverQuota => {
                    let tier = decision.tier().expect("a decision about a memory says its tier");
                    self.archived_by_quota[tier as usize] += 1;
                }
                Kind::Delete => {
                    self.erased += 1;
                    self.assert_may_be_erased(decision.memory_id());
                }
                _ => {}
            }
        }
    }

    /// Protected and permanent memories are erased only if their owner deleted them. Memories created by meditations
    /// are neither.
    fn assert_may_be_erased(&self, id: MemoryId) {
        let Some(known) = self.known.get(&id) else { return };
        let mine = known.protected || known.tier == kimberly_core::memory::Tier::Permanent;
        assert!(!mine || known.deleted_by_owner, "day {}: {id} was erased", self.day);
    }

    async fn outbox(&self) -> Vec<OutboxRow> {
        let read = self.vaults.read(&self.user, |reader| Box::pin(async move { reader.outbox(100).await }));
        read.await.expect("the outbox is read")
    }

    async fn remove(&self, position: i64) {
        let removed = self.vaults.transact(&self.user, "simulation.relay", move |tx| {
            Box::pin(async move { tx.remove_outbox(&[position]).await })
        });
        removed.await.expect("a relayed row is removed");
    }
}
