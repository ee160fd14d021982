//! An assistant's files: a note and a core memory block per writer, with all acknowledged contents.

use kimberly_proto::v1 as pb;
use kimberly_proto::v1::edit_record_request::Edit;
use rand::Rng as _;

use super::Book;
use super::writer::{Writer, until_acknowledged};
use crate::User;
use crate::drafts::draft;

/// Number of versions that the server stores.
const VERSIONS: usize = 20;

/// A named record, edited by one writer.
#[derive(Debug)]
pub struct Named {
    name: String,
    pub(super) id: String,
    /// All acknowledged contents with their etags; the last one is current.
    contents: Vec<(i64, String)>,
}

impl Named {
    fn content(&self) -> &str {
        self.contents.last().map_or("", |(_, content)| content)
    }
}

impl Writer {
    /// Creates a note and a block, and edits them `edits` times.
    pub async fn edit_files(mut self, edits: usize) -> Book {
        self.create_files().await;
        for _ in 0..edits {
            self.edit().await;
        }
        self.book
    }

    /// Creates the note and the block.
    pub(super) async fn create_files(&mut self) {
        let content = self.content_of_file();
        let name = format!("notes/writer {}.md", self.number);
        // Protected, so that no meditation archives what is edited.
        let memory = pb::MemoryDraft { name: name.clone(), protected: true, ..draft(&content) };
        let request = pb::CreateMemoryRequest {
            user_id: self.user.id(),
            memory: Some(memory),
            request_id: self.request_id("note"),
            always_new: true,
        };
        let memories = self.user.clients.memories.clone();
        let response = until_acknowledged(|| {
            let (mut memories, request) = (memories.clone(), request.clone());
            async move { memories.create_memory(request).await }
        })
        .await;
        self.acknowledge_file(name, response.receipt, content);

        let content = self.content_of_file();
        let label = self.label();
        let request = pb::AddBlockRequest {
            user_id: self.user.id(),
            label: label.clone(),
            content: content.clone(),
            request_id: self.request_id("block"),
            ..pb::AddBlockRequest::default()
        };
        let core = self.user.clients.core.clone();
        let response = until_acknowledged(|| {
            let (mut core, request) = (core.clone(), request.clone());
            async move { core.add_block(request).await }
        })
        .await;
        self.acknowledge_file(format!("core/{label}"), response.receipt, content);
    }

    /// Edits the note or the block.
    pub(super) async fn edit(&mut self) {
        let content = self.content_of_file();
        match self.dice.random_range(0..3) {
            0 => self.edit_note(Edit::Whole(content.clone()), content).await,
            1 => self.replace_in_note(&content).await,
            _ => self.update_block(content).await,
        }
    }

    /// Replaces the text before the colon, which occurs once in the note.
    async fn replace_in_note(&mut self, content: &str) {
        let now = self.book.named[0].content().to_owned();
        let before = |text: &str| text.split(':').next().unwrap_or_default().to_owned() + ":";
        let (old, new) = (before(&now), before(content));
        let expected = now.replacen(&old, &new, 1);
        self.edit_note(Edit::Replace(pb::ReplaceEdit { old, new }), expected).await;
    }

    async fn edit_note(&mut self, edit: Edit, expected: String) {
        let name = self.book.named[0].name.clone();
        let request = pb::EditRecordRequest {
            user_id: self.user.id(),
            name: name.clone(),
            edit: Some(edit),
            request_id: self.request_id("edit"),
            ..pb::EditRecordRequest::default()
        };
        let named = self.user.clients.named.clone();
        let response = until_acknowledged(|| {
            let (mut named, request) = (named.clone(), request.clone());
            async move { named.edit_record(request).await }
        })
        .await;
        self.acknowledge_file(name, response.receipt, expected);
    }

    async fn update_block(&mut self, content: String) {
        let label = self.label();
        let request = pb::UpdateBlockRequest {
            user_id: self.user.id(),
            label: label.clone(),
            content: Some(content.clone()),
            request_id: self.request_id("update-block"),
            ..pb::UpdateBlockRequest::default()
        };
        let core = self.user.clients.core.clone();
        let response = until_acknowledged(|| {
            let (mut core, request) = (core.clone(), request.clone());
            async move { core.update_block(request).await }
        })
        .await;
        self.acknowledge_file(format!("core/{label}"), response.receipt, content);
    }

    fn label(&self) -> String {
        format!("writer-{}", self.number)
    }

    /// Content with characters that careless copying would change.
    fn content_of_file(&mut self) -> String {
        format!("{}\r\n\t<b>Grüße</b> & \u{1f6a2}\n", self.content())
    }

    fn acknowledge_file(&mut self, name: String, receipt: Option<pb::MemoryReceipt>, content: String) {
        let receipt = receipt.expect("a receipt");
        let etag = receipt.etag.parse().expect("an etag is a number");
        self.acknowledge(receipt.id.clone(), content.clone());
        match self.book.named.iter_mut().find(|one| one.name == name) {
            Some(one) => one.contents.push((etag, content)),
            None => self.book.named.push(Named { name, id: receipt.id, contents: vec![(etag, content)] }),
        }
    }
}

/// Asserts that notes, blocks, their versions and the rendered core memory equal the acknowledged contents, byte for
/// byte.
pub async fn assert_files_are_as_acknowledged(user: &mut User, books: &[&Book]) {
    let files: Vec<&Named> = books.iter().flat_map(|book| &book.named).collect();
    for file in &files {
        assert_eq!(content_of(user, &file.name).await, file.content(), "{} of {}", file.name, user.id);
        let earlier = file.contents.iter().rev().skip(1).take(VERSIONS).cloned();
        assert_eq!(versions_of(user, &file.name).await, earlier.collect::<Vec<_>>(), "{} of {}", file.name, user.id);
    }
    let request = pb::RenderCoreMemoryRequest { user_id: user.id(), ..Default::default() };
    let rendered = user.clients.core.render_core_memory(request).await.expect("core memory").into_inner().text;
    assert_eq!(rendered, rendered_from(&files), "core memory of {}", user.id);
}

async fn content_of(user: &mut User, name: &str) -> String {
    let request = pb::GetNamedRecordRequest { user_id: user.id(), name: name.to_owned(), ..Default::default() };
    let found = user.clients.named.get_named_record(request).await.expect("a file").into_inner();
    found.memory.expect("a memory").content
}

/// The stored versions, newest first.
async fn versions_of(user: &mut User, name: &str) -> Vec<(i64, String)> {
    let (user_id, name) = (user.id(), name.to_owned());
    let request =
        pb::ListVersionsRequest { user_id: user_id.clone(), name: name.clone(), ..pb::ListVersionsRequest::default() };
    let listed = user.clients.named.list_versions(request).await.expect("versions").into_inner().versions;
    let mut versions = Vec::new();
    for version in listed {
        let request = pb::GetVersionRequest {
            user_id: user_id.clone(),
            name: name.clone(),
            version: version.version,
            ..pb::GetVersionRequest::default()
        };
        let read = user.clients.named.get_version(request).await.expect("a version").into_inner();
        versions.push((version.version, read.content));
    }
    versions
}

/// The expected text of core memory, according to its contract.
fn rendered_from(files: &[&Named]) -> String {
    let mut blocks: Vec<(&str, &str)> =
        files.iter().filter_map(|file| Some((file.name.strip_prefix("core/")?, file.content()))).collect();
    blocks.sort_unstable();
    let blocks = blocks.into_iter().map(|(label, content)| {
        let escaped = content.replace('&', "&amp;").replace('<', "&lt;").replace('>', "&gt;").replace('\r', "&#13;");
        format!("<block label=\"{label}\">\n{escaped}</block>\n")
    });
    format!("<core_memory>\n{}</core_memory>", blocks.collect::<Vec<_>>().concat())
}
