//! A vault, an index and a fake model: the vector of a text depends on its letters.

use std::collections::HashSet;
use std::path::PathBuf;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex};

use kimberly_core::consent::ConsentDraft;
use kimberly_core::embedding::{ModelKey, StoredItem, Window};
use kimberly_core::memory::{EmbedMark, MemoryDraft, MemoryPatch, MemoryReceipt, Metadata};
use kimberly_core::ports::{
    BoxFuture, Clock as _, DocumentEmbedder, NoObserver, NoVectors, VectorReader, VectorWriter,
};
use kimberly_core::settings::{EmbeddingDefaults, Origin, ServerDefaults, UserSettings};
use kimberly_core::time::Span;
use kimberly_core::usecases::consents::GrantConsentInput;
use kimberly_core::usecases::embedding::{EmbeddingStatus, Synced, VectorUpdater};
use kimberly_core::usecases::settings::{SettingsPatch, UpdateSettingsInput};
use kimberly_core::usecases::{App, CreateInput, DeleteInput, UpdateInput};
use kimberly_core::{MemoryId, Timestamp, UserId};
use kimberly_index::{IndexWriter, Options};
use kimberly_store::{SqliteOptions, SqliteStore};
use kimberly_tests::fakes::{CountingIds, FakeClock};
use tempfile::TempDir;
use tokio::sync::Semaphore;

/// A Wednesday, 02:00: the window is open.
pub(crate) const NIGHT: Timestamp = Timestamp(20_418 * 86_400_000_000 + 2 * 3_600_000_000);
/// The dimension of vectors.
const DIMENSION: u32 = 8;

/// A fake model.
pub(crate) struct Letters {
    key: ModelKey,
    /// Texts that contain one of these fail.
    poison: Mutex<HashSet<String>>,
    /// Fails once after this many calls.
    dies_after: AtomicUsize,
    calls: AtomicUsize,
    texts: AtomicUsize,
    /// Permits for calls before it blocks.
    gate: Semaphore,
}

impl Letters {
    pub(crate) fn named(id: &str) -> Arc<Self> {
        let key = ModelKey::new(id, "0123456789abcdef", DIMENSION).unwrap();
        Arc::new(Self {
            key,
            poison: Mutex::default(),
            dies_after: AtomicUsize::new(usize::MAX),
            calls: AtomicUsize::new(0),
            texts: AtomicUsize::new(0),
            gate: Semaphore::new(Semaphore::MAX_PERMITS),
        })
    }

    pub(crate) fn key(&self) -> ModelKey {
        self.key.clone()
    }

    /// Makes texts with this word fail.
    pub(crate) fn cannot_read(&self, word: &str) {
        self.poison.lock().unwrap().insert(word.to_owned());
    }

    /// Makes no text fail.
    pub(crate) fn can_read_all(&self) {
        self.poison.lock().unwrap().clear();
    }

    /// Fails like a stopping process, after this many further calls.
    pub(crate) fn stops_after(&self, calls: usize) {
        self.dies_after.store(self.calls.load(Ordering::SeqCst) + calls, Ordering::SeqCst);
    }

    /// Blocks after this many further calls, until `goes_on`.
    pub(crate) fn waits_after(&self, calls: usize) {
        self.gate.forget_permits(usize::MAX);
        self.gate.add_permits(calls);
    }

    /// Unblocks.
    pub(crate) fn goes_on(&self) {
        self.gate.add_permits(Semaphore::MAX_PERMITS / 2);
    }

    /// Texts received so far.
    pub(crate) fn texts(&self) -> usize {
        self.texts.load(Ordering::SeqCst)
    }
}

/// The vector of a text.
pub(crate) fn vector(text: &str) -> Vec<f32> {
    let mut values = [0.1_f32; DIMENSION as usize];
    for byte in text.bytes() {
        values[usize::from(byte) % DIMENSION as usize] += 1.0;
    }
    let length = values.iter().map(|value| value * value).sum::<f32>().sqrt();
    values.iter().map(|value| value / length).collect()
}

impl DocumentEmbedder for Letters {
    fn model(&self) -> &ModelKey {
        &self.key
    }

    fn embed_documents(&self, texts: Vec<String>) -> BoxFuture<'_, Result<Vec<Vec<f32>>, NoVectors>> {
        Box::pin(async move {
            self.gate.acquire().await.unwrap().forget();
            let call = self.calls.fetch_add(1, Ordering::SeqCst);
            if call >= self.dies_after.load(Ordering::SeqCst) {
                self.dies_after.store(usize::MAX, Ordering::SeqCst);
                return Err(NoVectors::Stopping);
            }
            self.texts.fetch_add(texts.len(), Ordering::SeqCst);
            let poison = self.poison.lock().unwrap();
            if texts.iter().any(|text| poison.iter().any(|word| text.contains(word))) {
                return Err(NoVectors::Failed("unreadable".to_owned()));
            }
            Ok(texts.iter().map(|text| vector(text)).collect())
        })
    }
}

/// The whole setup.
pub(crate) struct World {
    pub(crate) app: App,
    pub(crate) updater: VectorUpdater,
    pub(crate) clock: Arc<FakeClock>,
    pub(crate) writer: Arc<IndexWriter>,
    pub(crate) store: SqliteStore,
    pub(crate) user: UserId,
    pub(crate) folder: TempDir,
}

impl World {
    /// With the operator's default settings, but an always open window.
    pub(crate) async fn new(model: &Arc<Letters>) -> Self {
        Self::with(model, |embedding| embedding.window = (Window::Always, Origin::Config)).await
    }

    pub(crate) async fn with(model: &Arc<Letters>, configure: impl FnOnce(&mut EmbeddingDefaults)) -> Self {
        let folder = tempfile::tempdir().unwrap();
        let clock = Arc::new(FakeClock::at(NIGHT));
        let store = SqliteStore::open(SqliteOptions::new(folder.path()), clock.clone()).await.unwrap();
        let mut defaults = ServerDefaults::default();
        defaults.embedding.on = true;
        configure(&mut defaults.embedding);
        let writer = Arc::new(IndexWriter::new(folder.path(), Options::default()));
        let ids = Arc::new(CountingIds::default());
        let mut app = App::new(store.vaults(), clock.clone(), ids, Arc::new(defaults), Arc::new(NoObserver));
        let vectors: Arc<dyn VectorWriter> = writer.clone();
        let reader: Arc<dyn VectorReader> = writer.clone();
        app.vectors = Some(reader);
        let updater = VectorUpdater { vectors, model: model.clone(), registry: store.registry() };
        Self { app, updater, clock, writer, store, user: UserId::parse("ada").unwrap(), folder }
    }

    /// Switches to another model.
    pub(crate) fn switch_to(&mut self, model: &Arc<Letters>) {
        self.updater.model = model.clone();
    }

    pub(crate) async fn remember(&self, contents: &[&str]) -> Vec<MemoryReceipt> {
        self.remember_drafts(contents.iter().map(|content| draft(content)).collect()).await
    }

    /// Records the consent that sensitive memories need.
    pub(crate) async fn consent(&self) {
        let draft = ConsentDraft { purpose: "tests".to_owned(), ..ConsentDraft::default() };
        let input = GrantConsentInput { draft, ..GrantConsentInput::default() };
        self.app.grant_consent(&self.user, input).await.unwrap();
    }

    pub(crate) async fn remember_drafts(&self, drafts: Vec<MemoryDraft>) -> Vec<MemoryReceipt> {
        if drafts.iter().any(|draft| draft.metadata.sensitive) {
            self.consent().await;
        }
        let input = CreateInput { drafts, batch: true, always_new: true, ..CreateInput::default() };
        self.app.create_memories(&self.user, input).await.unwrap()
    }

    pub(crate) async fn forget(&self, id: MemoryId) {
        let input = DeleteInput { id, etag: String::new(), request_id: String::new() };
        self.app.delete_memory(&self.user, input).await.unwrap();
    }

    /// Changes content and sensitivity.
    pub(crate) async fn edit(&self, id: MemoryId, content: &str, sensitive: bool) {
        if sensitive {
            self.consent().await;
        }
        let values = MemoryDraft { metadata: Metadata { sensitive, ..Metadata::default() }, ..draft(content) };
        self.update(id, values, &["content", "metadata.sensitive"]).await;
    }

    pub(crate) async fn set_embed(&self, id: MemoryId, embed: EmbedMark) {
        self.update(id, MemoryDraft { embed, ..draft("") }, &["embed"]).await;
    }

    async fn update(&self, id: MemoryId, values: MemoryDraft, mask: &[&str]) {
        let mask: Vec<String> = mask.iter().map(|&field| field.to_owned()).collect();
        let patch = MemoryPatch::new(values, &mask).unwrap();
        let input = UpdateInput { id, patch, etag: String::new(), request_id: String::new(), traceparent: None };
        self.app.update_memory(&self.user, input).await.unwrap();
    }

    pub(crate) async fn set(&self, values: UserSettings, field: &str) {
        let patch = SettingsPatch::new(values, &[field.to_owned()]).unwrap();
        let input = UpdateSettingsInput { patch, etag: String::new(), request_id: String::new() };
        self.app.update_settings(&*self.store.registry(), &self.user, input).await.unwrap();
    }

    pub(crate) async fn sync(&self) -> Synced {
        self.app.sync_vectors(&self.updater, &self.user, 1).await.unwrap()
    }

    pub(crate) async fn status(&self) -> EmbeddingStatus {
        self.app.embedding_status(&*self.store.registry(), &self.user).await.unwrap()
    }

    pub(crate) async fn needs_sync(&self) -> bool {
        self.app.needs_sync(&self.updater, &self.user).await.unwrap()
    }

    /// The content of the current model's index.
    pub(crate) fn items(&self) -> Vec<StoredItem> {
        self.writer.items(&self.user, self.updater.model.model()).unwrap()
    }

    /// Model and number of vectors of the active index.
    pub(crate) fn answering(&self) -> Option<(String, u64)> {
        let state = self.writer.active(&self.user).unwrap()?;
        Some((state.model.id().to_owned(), state.vectors))
    }

    /// Files of this name below the data folder.
    pub(crate) fn files(&self, name: &str) -> Vec<PathBuf> {
        let (mut found, mut folders) = (Vec::new(), vec![self.folder.path().to_owned()]);
        while let Some(folder) = folders.pop() {
            for entry in std::fs::read_dir(&folder).unwrap().flatten() {
                if entry.path().is_dir() {
                    folders.push(entry.path());
                } else if entry.file_name() == name {
                    found.push(entry.path());
                }
            }
        }
        found
    }

    pub(crate) async fn jobs(&self) -> usize {
        self.store.vaults().read(&self.user, |reader| Box::pin(reader.outbox(100))).await.unwrap().len()
    }

    pub(crate) fn pass(&self, span: Span) {
        self.clock.advance(span);
        assert!(self.clock.now() > NIGHT);
    }
}

pub(crate) fn draft(content: &str) -> MemoryDraft {
    MemoryDraft { content: content.to_owned(), ..MemoryDraft::default() }
}
