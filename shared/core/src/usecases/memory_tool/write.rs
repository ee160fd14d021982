//! Commands that change files, one transaction each. The answer stored for replays holds no text: a replay shows the
//! lines around a change from the file as it is then.

mod trees;

use std::sync::Arc;

use serde::{Deserialize, Serialize};

use super::super::create_memories::{CreateInput, Created};
use super::super::idempotency::{self, Key};
use super::super::write_back::{Versioning, WriteBack};
use super::super::{App, PreparedMemories};
use super::Told;
use super::files::{Found, find, in_the_way};
use crate::access::Caller;
use crate::error::{Error, Result};
use crate::ids::UserId;
use crate::memory::{Creator, Edit, Edited, Memory, MemoryDraft, Metadata, Source, Tier};
use crate::memory_tool::{Command, edited, name_of, refused};
use crate::ports::{Ids, VaultTransaction, WriteContext};
use crate::settings::ServerDefaults;
use crate::time::Timestamp;

/// The result of a command: its message, or the name of the edited file and the changed line.
#[derive(Clone, Debug, Serialize, Deserialize)]
enum Did {
    Said(String),
    Edited(String, usize),
}

/// The change that a command made, for the observer.
enum Changed {
    Nothing,
    Created(Created),
    /// The quota shares of the tiers that grew.
    Grown(Vec<(Tier, f64)>),
    /// The tier of each deleted file.
    Deleted(Vec<Tier>),
}

/// The result and the changes of a command, or why it cannot be done.
type Done = Result<(Did, Changed), String>;

/// A command, ready for its transaction.
struct Work {
    namespace: String,
    command: Command,
    key: Option<Key>,
    /// The file to create, for `create`.
    new: Option<PreparedMemories>,
    now: Timestamp,
    ids: Arc<dyn Ids>,
    defaults: Arc<ServerDefaults>,
    caller: Option<Arc<Caller>>,
    seals: bool,
    trace: Option<String>,
}

impl App {
    pub(super) async fn change_files(
        &self,
        user: &UserId,
        namespace: String,
        command: Command,
        (request_id, traceparent): (String, Option<String>),
    ) -> Result<Told> {
        let key = self.key(&request_id, "memory_tool", &(&namespace, &command))?;
        let new = match &command {
            Command::Create { path, file_text } => match name_of(path) {
                Ok(Some(name)) => Some(self.new_file(&namespace, name, file_text, traceparent.clone())?),
                Ok(None) => return Ok(Err(format!("File {path} already exists"))),
                Err(why) => return Ok(Err(why)),
            },
            _ => None,
        };
        let work = Arc::new(Work {
            namespace,
            command,
            key,
            new,
            now: self.clock.now(),
            ids: Arc::clone(&self.ids),
            defaults: Arc::clone(&self.defaults),
            caller: self.caller.clone(),
            seals: self.seals(),
            trace: traceparent.clone(),
        });
        let asked = Arc::clone(&work);
        let running = self.vaults.transact(user, "memory_tool", move |tx| {
            let work = Arc::clone(&work);
            Box::pin(async move { work.run(tx).await })
        });
        match running.await {
            // The name belongs to a file that the caller does not reach.
            Err(Error::NameTaken) => Ok(Err(asked.taken())),
            Err(Error::Invalid(found)) if found.iter().all(|one| one.field.starts_with("memory.")) => {
                let told =
                    found.iter().map(|one| format!("{} {}", one.field.trim_start_matches("memory."), one.problem));
                Ok(Err(format!("The file was not written: {}.", told.collect::<Vec<_>>().join("; "))))
            }
            done => {
                let (told, changed) = self.relieved(user, traceparent.as_deref(), done).await?;
                self.note_changed(changed);
                Ok(told)
            }
        }
    }

    /// Reports to the observer what was changed.
    fn note_changed(&self, changed: Changed) {
        match changed {
            Changed::Nothing => {}
            Changed::Created(created) => self.note_created(&created),
            Changed::Grown(shares) => {
                for (tier, share) in shares {
                    self.observer.quota_usage(tier, share);
                }
            }
            Changed::Deleted(tiers) => {
                for tier in tiers {
                    self.observer.deleted(tier, 1);
                }
            }
        }
    }

    /// Prepares the file to create.
    fn new_file(
        &self,
        namespace: &str,
        name: String,
        text: &str,
        traceparent: Option<String>,
    ) -> Result<PreparedMemories> {
        let draft = MemoryDraft {
            tier: Tier::LongTerm,
            content: text.to_owned(),
            metadata: Metadata { source: Source::Agent, ..Metadata::default() },
            protected: true,
            created_by: Creator::Agent,
            namespace: namespace.to_owned(),
            name: Some(name),
            ..MemoryDraft::default()
        };
        let input = CreateInput { drafts: vec![draft], traceparent, ..CreateInput::default() };
        self.prepare_memories(input)
    }
}

impl Work {
    async fn run(&self, tx: &mut dyn VaultTransaction) -> Result<(Told, Changed)> {
        let context = tx.write_context(self.key.as_ref().map(Key::request_id)).await?;
        if let Some(did) = idempotency::replay::<Did>(self.key.as_ref(), context.prior.as_ref())? {
            return Ok((Ok(self.told(tx, did).await?), Changed::Nothing));
        }
        let done = match &self.command {
            Command::View { path, .. } | Command::Create { path, .. } => self.create(tx, path).await?,
            Command::StrReplace { path, old_str, new_str } => {
                let edit = Edit::Replace { old: old_str.clone(), new: new_str.clone() };
                self.edit(tx, &context, path, &edit).await?
            }
            Command::Insert { path, insert_line, insert_text } => {
                let edit = Edit::Insert { line: *insert_line, text: insert_text.clone() };
                self.edit(tx, &context, path, &edit).await?
            }
            Command::Delete { path } => self.delete(tx, &context, path).await?,
            Command::Rename { old_path, new_path } => self.rename(tx, &context, old_path, new_path).await?,
        };
        match done {
            Ok((did, changed)) => {
                idempotency::remember(self.key.as_ref(), tx, &did, self.now).await?;
                Ok((Ok(self.told(tx, did).await?), changed))
            }
            Err(why) => Ok((Err(why), Changed::Nothing)),
        }
    }

    /// Returns the message about what was done.
    async fn told(&self, tx: &mut dyn VaultTransaction, did: Did) -> Result<String> {
        let (name, line) = match did {
            Did::Said(words) => return Ok(words),
            Did::Edited(name, line) => (name, line),
        };
        let Command::StrReplace { .. } = &self.command else {
            return Ok(format!("The file /{name} has been edited."));
        };
        let content = match find(tx.as_reader(), &self.namespace, Some(&name)).await? {
            Found::File(memory) => memory.draft.content,
            Found::Directory(_) | Found::Nothing => String::new(),
        };
        Ok(edited(&Edited { content, line }))
    }

    /// Returns the message for a file name that is taken.
    fn taken(&self) -> String {
        match &self.command {
            Command::Rename { new_path, .. } => format!("The destination {new_path} already exists"),
            Command::Create { path, .. } => format!("File {path} already exists"),
            _ => "A file of this name already exists".to_owned(),
        }
    }

    async fn create(&self, tx: &mut dyn VaultTransaction, path: &str) -> Result<Done> {
        let (Some(new), Ok(Some(name))) = (&self.new, name_of(path)) else { return Ok(Err(self.taken())) };
        if !matches!(find(tx.as_reader(), &self.namespace, Some(&name)).await?, Found::Nothing) {
            return Ok(Err(self.taken()));
        }
        if let Some(parent) = in_the_way(tx.as_reader(), &self.namespace, &name).await? {
            return Ok(Err(format!("The path {parent} is not a directory.")));
        }
        let created = new.run(tx).await?;
        Ok(Ok((Did::Said(format!("File created successfully at: {path}")), Changed::Created(created))))
    }

    async fn edit(
        &self,
        tx: &mut dyn VaultTransaction,
        context: &WriteContext,
        path: &str,
        edit: &Edit,
    ) -> Result<Done> {
        let name = match name_of(path) {
            Ok(name) => name,
            Err(why) => return Ok(Err(why)),
        };
        let before = match find(tx.as_reader(), &self.namespace, name.as_deref()).await? {
            Found::File(memory) => *memory,
            Found::Directory(_) => return Ok(Err(format!("The path {path} is not a file."))),
            Found::Nothing => return Ok(Err(format!("The path {path} does not exist. Please provide a valid path."))),
        };
        let edited = match edit.apply(&before.draft.content) {
            Ok(edited) => edited,
            Err(why) => {
                let (old, line) = match edit {
                    Edit::Replace { old, .. } => (old.as_str(), 0),
                    Edit::Insert { line, .. } => ("", *line),
                    Edit::Append(_) | Edit::Whole(_) => ("", 0),
                };
                return Ok(Err(refused(&why, path, (old, line))));
            }
        };
        let draft = MemoryDraft { content: edited.content, ..before.draft.clone() };
        let shares = self.store(tx, context, &before, draft).await?;
        Ok(Ok((Did::Edited(name.unwrap_or_default(), edited.line), Changed::Grown(shares))))
    }

    async fn store(
        &self,
        tx: &mut dyn VaultTransaction,
        context: &WriteContext,
        before: &Memory,
        draft: MemoryDraft,
    ) -> Result<Vec<(Tier, f64)>> {
        let draft = draft.normalized("memory", self.defaults.draft_limits)?;
        let mut memory = Memory { draft, updated_at: self.now, revision: before.revision + 1, ..before.clone() };
        let write = WriteBack {
            action: "memory_tool.write",
            now: self.now,
            ids: &*self.ids,
            defaults: &self.defaults,
            caller: self.caller.as_deref(),
            seals: self.seals,
            names_consent: false,
            versioning: &Versioning::default(),
            trace: self.trace.as_deref(),
        };
        write.store(tx, context, before, &mut memory).await.map(|stored| stored.shares)
    }
}
