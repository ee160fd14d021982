//! Running counts and hashes of an archive, shared by writer and reader.

use sha2::{Digest as _, Sha256};

use crate::Section;
use crate::manifest::{Manifest, SectionSummary};

/// Counts and hashes so far.
#[derive(Clone, Debug)]
pub(crate) struct Tally {
    /// Bytes of the file so far, which is the position in it.
    pub(crate) at: u64,
    whole: Sha256,
    sections: [Count; Section::ALL.len()],
    /// The current section.
    pub(crate) current: Section,
}

/// Counts and hash of one section.
#[derive(Clone, Debug, Default)]
pub(crate) struct Count {
    pub(crate) pieces: u64,
    pub(crate) items: u64,
    bytes: u64,
    hash: Sha256,
}

impl Tally {
    pub(crate) fn new() -> Self {
        let sections = std::array::from_fn(|_| Count::default());
        Self { at: 0, whole: Sha256::new(), sections, current: Section::Memories }
    }

    /// Counts bytes of the file.
    pub(crate) fn passed(&mut self, bytes: &[u8]) {
        self.at += bytes.len() as u64;
        self.whole.update(bytes);
    }

    /// Counts bytes of the file that are content of the current section.
    pub(crate) fn content(&mut self, bytes: &[u8]) {
        self.passed(bytes);
        let count = self.count();
        count.bytes += bytes.len() as u64;
        count.hash.update(bytes);
    }

    /// Returns the counts of the current section.
    pub(crate) fn count(&mut self) -> &mut Count {
        &mut self.sections[self.current.index()]
    }

    /// Returns the number of lines of a section so far.
    pub(crate) fn items(&self, section: Section) -> u64 {
        self.sections[section.index()].items
    }

    /// Creates the manifest of an archive that ends here.
    pub(crate) fn manifest(&self) -> Manifest {
        let summary = |section: Section| {
            let Count { pieces, items, bytes, hash } = self.sections[section.index()].clone();
            SectionSummary { name: section.name().to_owned(), pieces, items, bytes, sha256: hex(hash) }
        };
        Manifest { sections: Section::ALL.map(summary).to_vec(), sha256: hex(self.whole.clone()) }
    }
}

/// Finishes a hash and returns it in hex.
pub(crate) fn hex(hash: Sha256) -> String {
    format!("{:x}", hash.finalize())
}
