//! Parses pages of an LMDB data file (format 1, 64 bits, pages of 4 KiB).

/// Bytes of a page.
pub(super) const PAGE: usize = 4_096;
/// Bytes of a page header.
pub(super) const HEADER: usize = 16;
/// The root of an empty tree.
pub(super) const NO_PAGE: u64 = u64::MAX;

const BRANCH: u16 = 0x01;
const LEAF: u16 = 0x02;
const OVERFLOW: u16 = 0x04;
const META: u16 = 0x08;
const DIRTY: u16 = 0x10;
const MAGIC: u32 = 0xBEEF_C0DE;
const VERSION: u32 = 1;
const BIG_DATA: u16 = 0x01;
/// Bytes of a node before its key.
const NODE: usize = 8;
/// Maximum key length of LMDB.
const MAX_KEY: usize = 511;

fn u16_at(bytes: &[u8], at: usize) -> Option<u16> {
    bytes.get(at..)?.first_chunk().map(|bytes| u16::from_le_bytes(*bytes))
}

fn u32_at(bytes: &[u8], at: usize) -> Option<u32> {
    bytes.get(at..)?.first_chunk().map(|bytes| u32::from_le_bytes(*bytes))
}

fn u64_at(bytes: &[u8], at: usize) -> Option<u64> {
    bytes.get(at..)?.first_chunk().map(|bytes| u64::from_le_bytes(*bytes))
}

/// A tree as described by a meta page.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Tree {
    pub(super) flags: u16,
    pub(super) depth: u16,
    pub(super) entries: u64,
    pub(super) root: u64,
}

/// A meta page.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Meta {
    pub(super) free: Tree,
    pub(super) main: Tree,
    pub(super) last_page: u64,
    pub(super) txn_id: u64,
}

impl Meta {
    pub(super) fn parse(number: u64, page: &[u8; PAGE]) -> Result<Self, &'static str> {
        let cut = "is cut off";
        if u32_at(page, 16) != Some(MAGIC) || u16_at(page, 10).is_none_or(|flags| flags & META == 0) {
            return Err("is not an LMDB file, or its first pages are damaged");
        }
        if u32_at(page, 20) != Some(VERSION) || u64_at(page, 0) != Some(number) {
            return Err("is an LMDB file of another version, or its first pages are damaged");
        }
        if u32_at(page, 40).is_none_or(|bytes| bytes as usize != PAGE) {
            return Err("was created on a machine with a page size other than 4 KiB");
        }
        let (free, main) = (tree(page, 40).ok_or(cut)?, tree(page, 88).ok_or(cut)?);
        let last_page = u64_at(page, 136).ok_or(cut)?;
        let txn_id = u64_at(page, 144).ok_or(cut)?;
        // Commits alternate between the two meta pages, starting with the first commit.
        if txn_id != 0 && txn_id % 2 != number {
            return Err("is damaged: a meta page is not of the stated commit");
        }
        if main.flags != 0 {
            return Err("is an LMDB file of something else");
        }
        Ok(Self { free, main, last_page, txn_id })
    }
}

fn tree(page: &[u8], at: usize) -> Option<Tree> {
    let (flags, depth) = (u16_at(page, at + 4)?, u16_at(page, at + 6)?);
    Some(Tree { flags, depth, entries: u64_at(page, at + 32)?, root: u64_at(page, at + 40)? })
}

/// The kind of a tree page.
pub(super) enum Kind {
    Branch,
    Leaf,
}

/// A branch or leaf page with validated node offsets.
pub(super) struct TreePage<'a> {
    bytes: &'a [u8; PAGE],
    pub(super) kind: Kind,
    nodes: usize,
}

impl<'a> TreePage<'a> {
    pub(super) fn parse(number: u64, bytes: &'a [u8; PAGE]) -> Result<Self, &'static str> {
        let damaged = "is damaged: a page has a wrong type";
        let flags = u16_at(bytes, 10).ok_or(damaged)? & !DIRTY;
        let kind = match flags {
            BRANCH => Kind::Branch,
            LEAF => Kind::Leaf,
            _ => return Err(damaged),
        };
        let (lower, upper) =
            (usize::from(u16_at(bytes, 12).ok_or(damaged)?), usize::from(u16_at(bytes, 14).ok_or(damaged)?));
        let sound = u64_at(bytes, 0) == Some(number) && lower >= HEADER && lower <= upper && upper <= PAGE;
        if !sound || lower % 2 != 0 {
            return Err(damaged);
        }
        Ok(Self { bytes, kind, nodes: (lower - HEADER) / 2 })
    }

    /// Number of nodes.
    pub(super) fn nodes(&self) -> usize {
        self.nodes
    }

    /// The node at an index.
    pub(super) fn node(&self, index: usize) -> Option<Node<'a>> {
        let at = usize::from(u16_at(self.bytes, HEADER + 2 * index)?);
        if at < HEADER + 2 * self.nodes || at % 2 != 0 {
            return None;
        }
        let low = u32_at(self.bytes, at)?;
        let (flags, key_size) = (u16_at(self.bytes, at + 4)?, usize::from(u16_at(self.bytes, at + 6)?));
        let key = self.bytes.get(at + NODE..(at + NODE).checked_add(key_size)?)?;
        if key_size > MAX_KEY {
            return None;
        }
        let after = at + NODE + key_size;
        let value = match self.kind {
            Kind::Branch => Value::Page(u64::from(low) | u64::from(flags) << 32),
            Kind::Leaf if flags == BIG_DATA => {
                Value::Overflow { page: u64_at(self.bytes, after)?, bytes: low as usize }
            }
            Kind::Leaf if flags == 0 => Value::Inline(self.bytes.get(after..after.checked_add(low as usize)?)?),
            Kind::Leaf => return None,
        };
        Some(Node { key, value })
    }
}

/// A key and its value.
pub(super) struct Node<'a> {
    pub(super) key: &'a [u8],
    pub(super) value: Value<'a>,
}

/// The value of a node.
pub(super) enum Value<'a> {
    /// In a branch: the child page.
    Page(u64),
    /// Bytes stored in the leaf.
    Inline(&'a [u8]),
    /// Bytes stored in overflow pages.
    Overflow {
        /// The first page.
        page: u64,
        /// The length in bytes.
        bytes: usize,
    },
}

/// Overflow pages needed for a value of this length.
pub(super) const fn overflow_pages(bytes: usize) -> usize {
    (HEADER - 1 + bytes) / PAGE + 1
}

/// The number of overflow pages if this is the first one of a value: more than needed after a shorter value replaced
/// a longer one.
pub(super) fn overflow_count(number: u64, bytes: &[u8]) -> Option<u64> {
    let sound = u64_at(bytes, 0)? == number && u16_at(bytes, 10)? & !DIRTY == OVERFLOW;
    u32_at(bytes, 12).filter(|_| sound).map(u64::from)
}
