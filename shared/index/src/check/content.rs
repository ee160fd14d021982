//! Checks the content of an index against its stamp.

use crate::block;
use crate::stamp::Stamp;
use crate::store::{Record, record};

/// Content found so far. Keys come in order: trees, blocks, directory, stamp.
#[derive(Default)]
pub(super) struct Content {
    large: Option<crc32fast::Hasher>,
    /// Kept until the end, since only the stamp, which comes last, gives the length of rows.
    blocks: Vec<FoundBlock>,
    stamp: Option<Vec<u8>>,
}

struct FoundBlock {
    number: u32,
    rows: usize,
    component_bytes: usize,
}

impl Content {
    pub(super) fn entry(&mut self, key: &[u8], value: &[u8]) -> Result<(), String> {
        match record(key) {
            Some(Record::Tree | Record::Directory) => {
                let sum = self.large.get_or_insert_default();
                sum.update(key);
                sum.update(value);
            }
            Some(Record::Block(number)) => {
                let (rows, component_bytes) =
                    block::intact_rows(value).ok_or_else(|| format!("is damaged: block {number}"))?;
                self.blocks.push(FoundBlock { number, rows, component_bytes });
            }
            Some(Record::Stamp) => self.stamp = Some(value.to_vec()),
            None => return Err("contains data that belongs to no vector index".to_owned()),
        }
        Ok(())
    }

    /// Compares the content with the stamp.
    pub(super) fn finish(self) -> Result<Stamp, String> {
        let Some(bytes) = self.stamp else {
            return Err("is an LMDB file of something else: it has no stamp".to_owned());
        };
        let stamp = Stamp::decode(&bytes)?;
        let per_block = block::rows_per_block(stamp.dimension());
        let mut rows = 0;
        for (index, found) in self.blocks.iter().enumerate() {
            let full = found.rows == per_block || (index + 1 == self.blocks.len() && found.rows < per_block);
            let sized = found.component_bytes == found.rows * stamp.dimension();
            if found.number as usize != index || !full || !sized {
                return Err(format!("is damaged: block {} is not the expected one", found.number));
            }
            rows += found.rows;
        }
        if rows != stamp.vectors as usize {
            return Err(format!("is damaged: it contains {rows} vectors but states {}", stamp.vectors));
        }
        if self.large.map(crc32fast::Hasher::finalize) != stamp.large {
            return Err("is damaged: its trees are not those that were written".to_owned());
        }
        Ok(stamp)
    }
}
