//! A user of Kimberly, with the vocabulary of the stories. Every method panics if the call fails; stories about
//! failures use the clients directly.

use kimberly_proto::v1 as pb;

use crate::drafts::draft;
use crate::{Clients, eventually};

/// One user with a connection.
#[derive(Clone, Debug)]
pub struct User {
    /// The clients; boxed, since futures hold users.
    pub clients: Box<Clients>,
    /// The user's id.
    pub id: String,
}

impl User {
    /// A user over these clients.
    pub fn new(clients: Clients, id: &str) -> Self {
        Self { clients: Box::new(clients), id: id.to_owned() }
    }

    /// The id, for requests.
    pub fn id(&self) -> String {
        self.id.clone()
    }

    /// Stores a long-term memory.
    pub async fn remember(&mut self, content: &str) -> pb::MemoryReceipt {
        self.remember_draft(draft(content)).await
    }

    /// Stores a draft.
    pub async fn remember_draft(&mut self, memory: pb::MemoryDraft) -> pb::MemoryReceipt {
        let request = pb::CreateMemoryRequest {
            user_id: self.id(),
            memory: Some(memory),
            request_id: String::new(),
            always_new: true,
        };
        let response = self.clients.memories.create_memory(request).await.expect("a memory is stored");
        response.into_inner().receipt.expect("a receipt")
    }

    /// Stores many drafts in one write.
    pub async fn remember_all(&mut self, memories: Vec<pb::MemoryDraft>) -> Vec<pb::MemoryReceipt> {
        let request = pb::BatchCreateMemoriesRequest {
            user_id: self.id(),
            memories,
            request_id: String::new(),
            always_new: true,
        };
        let response = self.clients.memories.batch_create_memories(request).await.expect("a batch is stored");
        response.into_inner().receipts
    }

    /// Sends messages to the session `s`.
    pub async fn observe(&mut self, messages: Vec<pb::Message>, extraction: pb::ExtractionMode) -> pb::ObserveResponse {
        let request = pb::ObserveRequest {
            user_id: self.id(),
            session_id: "s".to_owned(),
            messages,
            extraction: extraction.into(),
            ..Default::default()
        };
        self.clients.conversations.observe(request).await.expect("messages are taken in").into_inner()
    }

    /// Sends one message and waits for extraction; returns what was extracted.
    pub async fn heard(&mut self, message: pb::Message) -> pb::ExtractedTurn {
        let answer = self.observe(vec![message], pb::ExtractionMode::Wait).await;
        let ids: Vec<&str> = answer.extracted.iter().map(|turn| turn.id.as_str()).collect();
        assert_eq!(ids, [answer.messages[0].id.as_str()], "{answer:?}");
        answer.extracted.into_iter().next().expect("it was read")
    }

    /// Records a consent to everything.
    pub async fn consent(&mut self) -> pb::Consent {
        let consent = pb::Consent { purpose: "tests".to_owned(), ..pb::Consent::default() };
        let request = pb::GrantConsentRequest {
            user_id: self.id(),
            consent: Some(consent),
            ..pb::GrantConsentRequest::default()
        };
        let response = self.clients.consents.grant_consent(request).await.expect("a consent is recorded");
        response.into_inner().consent.expect("a record")
    }

    /// The results of a query, best first.
    pub async fn recall(&mut self, query: &str) -> Vec<pb::QueryResult> {
        let request = pb::QueryMemoriesRequest {
            user_id: self.id(),
            query: query.to_owned(),
            ..pb::QueryMemoriesRequest::default()
        };
        self.clients.memories.query_memories(request).await.expect("a query is answered").into_inner().results
    }

    /// The contents of a query's results, best first.
    pub async fn recalled(&mut self, query: &str) -> Vec<String> {
        let contents = |result: pb::QueryResult| result.memory.expect("a result holds its memory").content;
        self.recall(query).await.into_iter().map(contents).collect()
    }

    /// Replaces the content of a memory.
    pub async fn write_over(&mut self, id: &str, content: &str) {
        let request = pb::UpdateMemoryRequest {
            user_id: self.id(),
            id: id.to_owned(),
            memory: Some(draft(content)),
            update_mask: Some(prost_types::FieldMask { paths: vec!["content".to_owned()] }),
            ..Default::default()
        };
        self.clients.memories.update_memory(request).await.expect("a memory is changed");
    }

    /// Deletes a memory.
    pub async fn forget(&mut self, id: &str) -> pb::MemoryReceipt {
        let request =
            pb::DeleteMemoryRequest { user_id: self.id(), id: id.to_owned(), ..pb::DeleteMemoryRequest::default() };
        let response = self.clients.memories.delete_memory(request).await.expect("a memory is deleted");
        response.into_inner().receipt.expect("a receipt")
    }

    /// Erases memories at once, with everything derived from them alone.
    pub async fn forget_now(&mut self, ids: &[&str]) -> pb::ForgetMemoriesResponse {
        let ids = ids.iter().map(|id| (*id).to_owned()).collect();
        let request = pb::ForgetMemoriesRequest { user_id: self.id(), ids, request_id: String::new() };
        self.clients.memories.forget_memories(request).await.expect("memories are forgotten").into_inner()
    }

    /// Restores a memory.
    pub async fn restore(&mut self, id: &str) -> pb::MemoryReceipt {
        let request =
            pb::RestoreMemoryRequest { user_id: self.id(), id: id.to_owned(), ..pb::RestoreMemoryRequest::default() };
        let response = self.clients.memories.restore_memory(request).await.expect("a memory is restored");
        response.into_inner().receipt.expect("a receipt")
    }

    /// Reads a memory with its score explanation.
    pub async fn explain(&mut self, id: &str) -> pb::GetMemoryResponse {
        let request =
            pb::GetMemoryRequest { user_id: self.id(), id: id.to_owned(), explain: true, ..Default::default() };
        self.clients.memories.get_memory(request).await.expect("a memory is read").into_inner()
    }

    /// Reads a memory.
    pub async fn memory(&mut self, id: &str) -> pb::Memory {
        let request =
            pb::GetMemoryRequest { user_id: self.id(), id: id.to_owned(), explain: false, ..Default::default() };
        let response = self.clients.memories.get_memory(request).await.expect("a memory is read");
        response.into_inner().memory.expect("a memory")
    }

    /// All memories that match a filter, newest first, by pages of the maximum size.
    pub async fn list(&mut self, filter: pb::MemoryFilter) -> Vec<pb::Memory> {
        let mut all = Vec::new();
        let mut request = pb::ListMemoriesRequest {
            user_id: self.id(),
            filter: Some(filter),
            page_size: 1_000,
            ..pb::ListMemoriesRequest::default()
        };
        loop {
            let page = self.clients.memories.list_memories(request.clone()).await.expect("a page").into_inner();
            all.extend(page.memories);
            if page.next_page_token.is_empty() {
                return all;
            }
            request.page_token = page.next_page_token;
        }
    }

    /// All memories in any state.
    pub async fn everything(&mut self) -> Vec<pb::Memory> {
        let states = [pb::MemoryState::Active, pb::MemoryState::Archived, pb::MemoryState::Deleted];
        self.list(pb::MemoryFilter { states: states.map(Into::into).to_vec(), ..pb::MemoryFilter::default() }).await
    }

    /// Changes the settings named in the mask.
    pub async fn set(&mut self, settings: pb::UserSettings, mask: &[&str]) -> pb::UpdateSettingsResponse {
        let request = pb::UpdateSettingsRequest {
            user_id: self.id(),
            user_settings: Some(settings),
            update_mask: Some(prost_types::FieldMask { paths: mask.iter().map(|path| (*path).to_owned()).collect() }),
            ..pb::UpdateSettingsRequest::default()
        };
        self.clients.settings.update_settings(request).await.expect("settings are taken").into_inner()
    }

    /// Adds an active goal.
    pub async fn pursue(&mut self, title: &str, tags: &[&str]) -> pb::Goal {
        let tags = tags.iter().map(|tag| (*tag).to_owned()).collect();
        let goal = pb::Goal { title: title.to_owned(), tags, ..pb::Goal::default() };
        let request = pb::CreateGoalRequest { user_id: self.id(), goal: Some(goal), request_id: String::new() };
        let response = self.clients.goals.create_goal(request).await.expect("a goal is added");
        response.into_inner().goal.expect("a goal")
    }

    /// The plan of a meditation.
    pub async fn plan(&mut self) -> pb::MeditateResponse {
        let request = pb::MeditateRequest { user_id: self.id(), dry_run: true, ..pb::MeditateRequest::default() };
        self.clients.meditations.meditate(request).await.expect("a plan is made").into_inner()
    }

    /// Requests a meditation and waits until it has ended.
    pub async fn meditate(&mut self) -> pb::Meditation {
        let request = pb::MeditateRequest { user_id: self.id(), ..pb::MeditateRequest::default() };
        let response = self.clients.meditations.meditate(request).await.expect("a meditation is scheduled");
        let id = response.into_inner().meditation.expect("a run").id;
        self.meditation_ended(&id).await
    }

    /// The planned changes of a meditation with these steps.
    pub async fn plan_of(&mut self, steps: &[&str]) -> Vec<pb::Decision> {
        self.asked_for(steps, true).await.decisions
    }

    /// Runs a meditation of these steps and waits until it has ended; returns the run with its decisions.
    pub async fn night_of(&mut self, steps: &[&str]) -> pb::GetMeditationResponse {
        let id = self.asked_for(steps, false).await.meditation.expect("a run").id;
        self.meditation_ended(&id).await;
        self.run(&id).await
    }

    async fn asked_for(&mut self, steps: &[&str], dry_run: bool) -> pb::MeditateResponse {
        let steps = steps.iter().map(|step| (*step).to_owned()).collect();
        let request = pb::MeditateRequest { user_id: self.id(), steps, dry_run, ..pb::MeditateRequest::default() };
        self.clients.meditations.meditate(request).await.expect("chosen steps run").into_inner()
    }

    /// Waits until a run has ended.
    pub async fn meditation_ended(&mut self, id: &str) -> pb::Meditation {
        let user = self.clone();
        eventually(&format!("the run {id} ends"), || async {
            let run = user.clone().run(id).await.meditation.expect("a run");
            let ended = [pb::MeditationStatus::Complete, pb::MeditationStatus::Failed].contains(&run.status());
            ended.then_some(run)
        })
        .await
    }

    /// A run with its first thousand decisions.
    pub async fn run(&mut self, id: &str) -> pb::GetMeditationResponse {
        let request = pb::GetMeditationRequest {
            user_id: self.id(),
            id: id.to_owned(),
            page_size: 1_000,
            page_token: String::new(),
        };
        self.clients.meditations.get_meditation(request).await.expect("a run is read").into_inner()
    }

    /// The latest thousand runs, newest first.
    pub async fn runs(&mut self) -> Vec<pb::Meditation> {
        let request = pb::ListMeditationsRequest { user_id: self.id(), page_size: 1_000, page_token: String::new() };
        self.clients.meditations.list_meditations(request).await.expect("runs are listed").into_inner().meditations
    }

    /// The user's metrics.
    pub async fn metrics(&mut self) -> pb::UserMetrics {
        let request = pb::GetMetricsRequest { user_id: self.id() };
        let response = self.clients.metrics.get_metrics(request).await.expect("metrics are read").into_inner();
        match response.metrics {
            Some(pb::get_metrics_response::Metrics::User(metrics)) => metrics,
            other => panic!("metrics of a user were asked for, not {other:?}"),
        }
    }
}
