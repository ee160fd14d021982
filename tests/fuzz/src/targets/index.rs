//! Files of vectors: without checks, damaged ones would make LMDB read outside of the file.

use std::path::PathBuf;

use kimberly_core::UserId;
use kimberly_core::embedding::{EmbeddedItem, ModelKey, VectorSubject};
use kimberly_core::ids::Seq;
use kimberly_core::ports::{IndexChange, VectorReader as _, VectorWriter as _};
use kimberly_index::{IndexReader, IndexWriter, Options, fuzzing};
use tempfile::TempDir;

use super::seeds;
use crate::Target;

pub(super) const TARGETS: &[Target] = &[
    Target { name: "lmdb_file", about: "a data file of an index", seeds: files, run: data_file },
    Target { name: "vector_block", about: "a block of vectors", seeds: blocks, run: fuzzing::block },
    Target { name: "index_stamp", about: "the stamp of an index", seeds: stamps, run: fuzzing::stamp },
    Target { name: "active_models", about: "which models answer", seeds: active_seeds, run: fuzzing::active },
];

const DIMENSION: u32 = 4;

/// A data folder with one user's index. Each run replaces its data file.
struct Indexed {
    folder: TempDir,
    user: UserId,
    model: ModelKey,
}

impl Indexed {
    fn new() -> Self {
        let folder = tempfile::tempdir().expect("a folder");
        let user = UserId::parse("ana").expect("an id");
        let model = ModelKey::new("test-model", "0123456789abcdef", DIMENSION).expect("a model");
        let indexed = Self { folder, user, model };
        std::fs::create_dir_all(indexed.vault()).expect("a vault's folder");
        let item = |seq: i16| EmbeddedItem {
            subject: VectorSubject::Memory(Seq(seq.into())),
            revision: 1,
            fingerprint: 7,
            vectors: vec![vec![0.5, -0.5, 0.25, f32::from(seq)]],
        };
        let change = IndexChange { put: (1..=40).map(item).collect(), ..IndexChange::default() };
        let writer = IndexWriter::new(indexed.folder.path(), Options::default());
        writer.write(&indexed.user, &indexed.model, &change).expect("vectors");
        writer.activate(&indexed.user, &indexed.model).expect("an active index");
        indexed
    }

    fn vault(&self) -> PathBuf {
        let name = self.user.folder_name();
        self.folder.path().join("vaults").join(&name[..2]).join(&name)
    }

    fn data_file(&self) -> PathBuf {
        self.vault().join("vectors").join(self.model.slug()).join("data.mdb")
    }
}

fn files() -> Vec<Vec<u8>> {
    vec![std::fs::read(Indexed::new().data_file()).expect("the data file")]
}

/// A data file is either refused or answers queries; it never ends the process.
fn data_file(bytes: &[u8]) {
    thread_local! {
        static INDEXED: Indexed = Indexed::new();
    }
    INDEXED.with(|indexed| {
        // Replaced by a new file, because LMDB may have mapped the last one.
        let (path, new) = (indexed.data_file(), indexed.vault().join("new"));
        std::fs::write(&new, bytes).and_then(|()| std::fs::rename(&new, &path)).expect("a file");
        let reader = IndexReader::new(indexed.folder.path(), Options::default());
        let _answer = reader.nearest(&indexed.user, &indexed.model, &[1.0, 0.0, 0.0, 0.5], 10);
        let _known = reader.contains(&indexed.user, &indexed.model, &[VectorSubject::Memory(Seq(3))]);
    });
}

/// A dimension, and a block of two rows of this dimension.
fn blocks() -> Vec<Vec<u8>> {
    let mut block = vec![4, 2, 0, 0, 0, 20, 0, 0, 0, 0, 0, 0, 0];
    block.extend_from_slice(&[0; 8]);
    block.extend_from_slice(&[1; 8]);
    block.extend_from_slice(&[0; 20]);
    vec![block]
}

fn stamps() -> Vec<Vec<u8>> {
    vec![fuzzing::a_stamp()]
}

fn active_seeds() -> Vec<Vec<u8>> {
    seeds(&["minilm@0011223344556677 384\n", "a@00 4\nnext b@11 8\ngone c@22\n"])
}
