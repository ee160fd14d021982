//! Keys of the environment, and snapshots of it.
//!
//! Everything is stored in LMDB's unnamed database: arroy's nodes under eight bytes that start with its index number,
//! blocks under `B` and their number, the directory of a large index under `D` and a subject, the stamp under `S`.

use std::path::Path;

use heed::types::Bytes;
use heed::{Database, RoTxn};
use kimberly_core::embedding::{ModelKey, VectorSubject};
use kimberly_core::error::Result;

use crate::block::{Block, Meta, rows_per_block};
use crate::errors::{corrupt, lmdb};
use crate::stamp::Stamp;

/// The database of an environment.
pub(crate) type Store = Database<'static, Bytes, Bytes>;

/// The index number for arroy, the prefix of its keys.
pub(crate) const TREE_INDEX: u16 = 1;
/// The stamp's key.
pub(crate) const STAMP: &[u8] = b"S";
const BLOCK: u8 = b'B';
/// Prefix of the directory's keys.
pub(crate) const DIRECTORY: u8 = b'D';

/// The kind of a key.
pub(crate) enum Record {
    Tree,
    Block(u32),
    Directory,
    Stamp,
}

/// The kind of a key; `None` if unknown.
pub(crate) fn record(key: &[u8]) -> Option<Record> {
    match key {
        STAMP => Some(Record::Stamp),
        [BLOCK, number @ ..] => number.try_into().ok().map(|number| Record::Block(u32::from_be_bytes(number))),
        [DIRECTORY, ..] => Some(Record::Directory),
        [first, second, ..] if [*first, *second] == TREE_INDEX.to_be_bytes() => Some(Record::Tree),
        _ => None,
    }
}

/// The key of a block.
pub(crate) fn block_key(number: u32) -> [u8; 5] {
    let [a, b, c, d] = number.to_be_bytes();
    [BLOCK, a, b, c, d]
}

/// The directory's key of a subject.
pub(crate) fn directory_key(subject: &VectorSubject) -> Vec<u8> {
    let mut key = vec![DIRECTORY];
    match subject {
        VectorSubject::Memory(seq) => {
            key.push(0);
            key.extend_from_slice(&seq.0.to_be_bytes());
        }
        VectorSubject::Goal(id) => {
            key.push(1);
            key.extend_from_slice(id.0.as_bytes());
        }
    }
    key
}

/// The index at one commit, or as seen by a write transaction.
pub(crate) struct Snapshot<'t> {
    pub(crate) txn: &'t RoTxn<'t>,
    pub(crate) store: Store,
    pub(crate) path: &'t Path,
    pub(crate) stamp: Stamp,
}

impl<'t> Snapshot<'t> {
    /// Opens a snapshot and reads the stamp.
    pub(crate) fn new(txn: &'t RoTxn<'t>, store: Store, path: &'t Path) -> Result<Self> {
        let bytes = store.get(txn, STAMP).map_err(|e| lmdb("reading", path, &e))?;
        let bytes = bytes.ok_or_else(|| corrupt(path, "has no stamp"))?;
        let stamp = Stamp::decode(bytes).map_err(|what| corrupt(path, what))?;
        Ok(Self { txn, store, path, stamp })
    }

    /// Fails if the index is of another model.
    pub(crate) fn is_of(&self, model: &ModelKey) -> Result<()> {
        if self.stamp.model == *model {
            return Ok(());
        }
        let (stored, dimension) = (&self.stamp.model, self.stamp.model.dimension());
        Err(corrupt(self.path, format_args!("is the index of {stored} with {dimension} dimensions, not of {model}")))
    }

    /// Rows of a full block.
    pub(crate) fn per_block(&self) -> usize {
        rows_per_block(self.stamp.dimension())
    }

    /// The block with this number.
    pub(crate) fn block(&self, number: u32) -> Result<Block<'t>> {
        let bytes = self.store.get(self.txn, &block_key(number)).map_err(|e| lmdb("reading", self.path, &e))?;
        self.parse(bytes.ok_or_else(|| corrupt(self.path, format_args!("lacks block {number}")))?)
    }

    /// All blocks in order.
    pub(crate) fn blocks(&self) -> Result<impl Iterator<Item = Result<Block<'t>>> + use<'_, 't>> {
        let blocks = self.store.prefix_iter(self.txn, &[BLOCK]).map_err(|e| lmdb("reading", self.path, &e))?;
        Ok(blocks.map(|entry| match entry {
            Ok((_, bytes)) => self.parse(bytes),
            Err(error) => Err(lmdb("reading", self.path, &error)),
        }))
    }

    fn parse(&self, bytes: &'t [u8]) -> Result<Block<'t>> {
        Block::parse(bytes, self.stamp.dimension()).map_err(|what| corrupt(self.path, what))
    }

    /// A row: its meta, components and inverse length.
    pub(crate) fn row(&self, row: u32) -> Result<(Meta, &'t [i8], f32)> {
        let (block, slot) = self.slot_of(row);
        let block = self.block(block)?;
        let meta = block.metas().nth(slot).transpose().map_err(|what| corrupt(self.path, what))?;
        let found = meta.zip(block.row(slot)).map(|(meta, (components, length))| (meta, components, length));
        found.ok_or_else(|| corrupt(self.path, format_args!("lacks row {row}")))
    }

    /// The components of a row.
    pub(crate) fn components(&self, row: u32) -> Result<&'t [i8]> {
        let (block, slot) = self.slot_of(row);
        let found = self.block(block)?.row(slot);
        found.map(|(components, _)| components).ok_or_else(|| corrupt(self.path, format_args!("lacks row {row}")))
    }

    /// The block and slot of a row.
    pub(crate) fn slot_of(&self, row: u32) -> (u32, usize) {
        let per_block = self.per_block();
        let row = row as usize;
        (u32::try_from(row / per_block).unwrap_or(u32::MAX), row % per_block)
    }

    /// The metas of all rows, in order.
    pub(crate) fn metas(&self) -> Result<Vec<Meta>> {
        let mut metas = Vec::with_capacity(self.stamp.vectors as usize);
        for block in self.blocks()? {
            for meta in block?.metas() {
                metas.push(meta.map_err(|what| corrupt(self.path, what))?);
            }
        }
        Ok(metas)
    }
}
