//! Keys and what they seal. Knows no memory, no SQL and no process; imports nothing of ours.
//!
//! Two **rings** lie outside the data folder ([`KeySources`]): the master ring opens everything, the sensitive ring
//! what was sealed once more. They wrap the keys of one data folder, which lie in `data/keys/`, one small file per
//! vault, or in a table that several machines share ([`KeyStore`]), apart from what they open: a vault whose key file is destroyed is unreadable, backups of the
//! vault included. [`Keys`] is the way in: it opens a data folder's keys (and makes them on the first start), makes,
//! hands out and destroys the keys of a user, and wraps them anew when a ring has a new key.
//!
//! What every ciphertext is bound to is part of what is authenticated (`fields`), so that none can be moved: a wrapped
//! key not to another user, purpose, generation or data folder, a sealed field not to another user, row or column.
//!
//! Secrets are held in [`Secret32`] and types around it: wiped when dropped, not cloned, shown by no `Debug`. No error
//! repeats what a ring holds. What the primitives copy onto the stack while they derive or sign is not wiped: who can read
//! the memory of a running process has its keys anyway.

mod account;
mod aead;
mod blob_key;
mod derive;
mod error;
mod folder_of;
mod folders;
mod hex;
mod key_file;
mod key_id;
mod key_ring;
mod key_store;
mod keys;
mod page_cipher;
mod room;
mod seal;
mod secret;
mod signer;
mod source;
mod stamp;
mod survey;
mod wrap;

#[cfg(test)]
mod tests;

pub use account::{create_private, read_private, replace_private};
pub use blob_key::{BlobKey, FRAME_OVERHEAD, FramePlace};
pub use error::KeyError;
pub use folder_of::folder_of;
pub use key_file::{KeyFile, WrappedKey};
pub use key_id::KeyId;
pub use key_ring::{MAX_KEYS, MAX_RING_BYTES, Ring, RingError, RingName};
#[cfg(any(test, feature = "conformance"))]
pub use key_store::claims;
pub use key_store::{Created, Destroyed, FileKeyStore, KeyName, KeyStore, MAX_KEY_FILE_BYTES, UserHash};
pub use keys::{HeldRing, Keys, Loads, Rewrapped, UserKeys};
pub use page_cipher::{DbKey, PAGE_CIPHER, PAGE_CIPHER_PRAGMA, PAGE_CIPHER_QUIET};
pub use room::{NoRoom, refuse_adding, refuse_mapping};
pub use seal::{SEALED_OVERHEAD, Sealer};
pub use secret::Secret32;
pub use signer::{AuditSigner, key_id, verify};
pub use source::{Added, Environment, KeySource, KeySources, Removed, RingPlace, wrapping_key};
pub use survey::{Survey, survey};
