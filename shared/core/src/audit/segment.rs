//! Many entries packed into one byte string, to save space.
//!
//! Each entry is stored as its hashed bytes followed by its hash. Nothing is lost: packing and unpacking returns a
//! chain bit for bit.

use super::encode::{Bytes, decode, encode};
use super::record::AuditRecord;

/// Most entries of a segment.
pub const MAX_SEGMENT_ENTRIES: usize = 4_096;

/// Packs entries, one after the other.
pub fn pack(entries: &[AuditRecord]) -> Vec<u8> {
    let mut bytes = Vec::new();
    for entry in entries {
        bytes.extend_from_slice(&encode(entry));
        bytes.extend_from_slice(&entry.hash);
    }
    bytes
}

/// Unpacks what [`pack`] wrote; `None` for other bytes or too many entries.
pub fn unpack(bytes: &[u8]) -> Option<Vec<AuditRecord>> {
    let (mut bytes, mut entries) = (Bytes(bytes), Vec::new());
    while !bytes.0.is_empty() {
        if entries.len() == MAX_SEGMENT_ENTRIES {
            return None;
        }
        let mut entry = decode(&mut bytes)?;
        entry.hash = bytes.take()?;
        entries.push(entry);
    }
    Some(entries)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::audit::{AuditEntry, AuditHead};
    use crate::time::Timestamp;

    fn records(count: u64) -> Vec<AuditRecord> {
        let mut head = AuditHead::genesis("vault:test");
        let entry = |n: u64| AuditEntry {
            at: Timestamp(-n.cast_signed()),
            actor: format!("key:\u{e9} {n}").as_str().into(),
            action: "memory.create",
            refused: n.is_multiple_of(3).then_some("PERMISSION_DENIED"),
            subject: n.is_multiple_of(2).then(|| format!("mem_{n}")),
            count: u64::MAX - n,
        };
        (1..=count)
            .map(|n| {
                let record = head.next(&entry(n));
                head = record.head();
                record
            })
            .collect()
    }

    #[test]
    fn entries_read_back_as_they_were_packed() {
        for count in [0, 1, 2, 700] {
            assert_eq!(unpack(&pack(&records(count))), Some(records(count)));
        }
    }

    #[test]
    fn bytes_that_were_cut_or_are_too_many_are_not_read() {
        let packed = pack(&records(3));
        let whole: Vec<usize> = (0..=3).map(|count| pack(&records(count)).len()).collect();
        for cut in 0..packed.len() {
            assert_eq!(unpack(&packed[..cut]).is_some(), whole.contains(&cut), "{cut}");
        }
        assert!(unpack(&[&packed[..], b"x"].concat()).is_none());
        assert!(unpack(&pack(&records(4_097))).is_none());
        // An invalid flag, text that is not UTF-8, another version.
        for (at, value) in [(0, 2), (21, 0xff)] {
            let mut changed = packed.clone();
            changed[at] = value;
            assert!(unpack(&changed).is_none(), "{at}");
        }
    }
}
