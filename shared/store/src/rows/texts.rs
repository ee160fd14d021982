//! What is stored of a memory's text: as it is, or sealed.

use kimberly_core::error::Result;
use kimberly_core::ids::MemoryId;
use kimberly_core::memory::MemoryDraft;

use super::WriteRow;
use super::memory::labels_json;
use crate::sealed::{Field, Seals};

/// What is stored of a draft's text: as it is, or sealed.
pub(crate) struct Texts {
    pub(super) plain: (String, Option<String>, Option<String>),
    pub(super) sealed: [Option<Vec<u8>>; 3],
}

impl Texts {
    /// Those of a memory: sealed if it is sensitive and there is encryption.
    pub(crate) fn of(id: MemoryId, draft: &MemoryDraft, seals: Option<&Seals>) -> Result<Self> {
        let plain = (draft.content.clone(), draft.attributes.clone(), labels_json(&draft.metadata.channels));
        match seals.filter(|seals| draft.metadata.sensitive && seals.are_on()) {
            Some(seals) => Self::sealed(id, &plain, seals),
            None => Ok(Self { plain, sealed: [None, None, None] }),
        }
    }

    /// Seals content, attributes and channels.
    pub(crate) fn sealed(
        id: MemoryId,
        (content, attributes, channels): &(String, Option<String>, Option<String>),
        seals: &Seals,
    ) -> Result<Self> {
        let seal = |field, text: Option<&String>| text.map(|text| seals.seal(id, field, text)).transpose();
        let sealed = [
            seal(Field::Content, Some(content))?,
            seal(Field::Attributes, attributes.as_ref())?,
            seal(Field::Channels, channels.as_ref())?,
        ];
        Ok(Self { plain: (String::new(), None, None), sealed })
    }

    /// Adds the three sealed columns.
    pub(crate) fn push_sealed(self, args: &mut impl WriteRow) {
        for sealed in self.sealed {
            args.put_opt_bytes(sealed);
        }
    }
}
