//! The texts of a memory that stands there in plain and is to be sealed.

use kimberly_core::error::Result;
use kimberly_core::ids::MemoryId;

use super::WriteRow;
use crate::sealed::Seals;

/// Sealed content, attributes and channels.
pub(crate) struct Texts([Option<Vec<u8>>; 3]);

impl Texts {
    /// Seals content, attributes and channels.
    pub(crate) fn sealed(
        id: MemoryId,
        (content, attributes, channels): &(String, Option<String>, Option<String>),
        seals: &Seals,
    ) -> Result<Self> {
        let seal = |name, text: Option<&String>| text.map(|text| seals.seal(id, name, text)).transpose();
        let sealed = [
            seal("content", Some(content))?,
            seal("attributes", attributes.as_ref())?,
            seal("channels", channels.as_ref())?,
        ];
        Ok(Self(sealed))
    }

    /// Adds the three sealed columns.
    pub(crate) fn push_sealed(self, args: &mut impl WriteRow) {
        for sealed in self.0 {
            args.put_opt_bytes(sealed);
        }
    }
}
