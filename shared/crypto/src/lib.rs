//! Keys and encryption. Knows nothing of memories, SQL or processes, and imports no other crate of this workspace.
//!
//! Two **rings** are stored outside the data folder ([`KeySources`]): the master ring opens everything; sensitive
//! data also need the sensitive ring. Rings wrap the keys of one data folder. The wrapped keys are stored in
//! `data/keys/`, one small file per vault, or in a table that several machines share ([`KeyStore`]), apart from the
//! data that they open: once its key file is destroyed, a vault and its backups are unreadable. [`Keys`] is the entry
//! point: it opens a data folder's keys (and creates them on the first start), creates, returns and destroys the keys
//! of users, and rewraps them after a ring got a new key.
//!
//! Every ciphertext is bound to its position by authenticated data (`fields`), so that it cannot be moved: a wrapped
//! key to its user, purpose, generation and data folder; a sealed field to its user, row and column.
//!
//! Secrets are held in [`Secret32`] and types built on it: wiped when dropped, not cloned, not shown by `Debug`.
//! Errors never contain ring material. Copies that the primitives make on the stack while they derive or sign are not
//! wiped: an attacker who can read the memory of a running process has its keys anyway.

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
pub use blob_key::{BlobKey, FRAME_OVERHEAD, FramePosition};
pub use error::KeyError;
pub use folder_of::folder_of;
pub use key_file::{KeyFile, WrappedKey};
pub use key_id::KeyId;
pub use key_ring::{MAX_KEYS, MAX_RING_BYTES, Ring, RingError, RingName};
#[cfg(any(test, feature = "conformance"))]
pub use key_store::claims;
pub use key_store::{Created, Destroyed, FileKeyStore, KeyName, KeyStore, MAX_KEY_FILE_BYTES, UserHash};
pub use keys::{HeldRing, Keys, Loads, Rewrapped, UserKeys};
pub use keys::{refuse_lost_keys, refuse_lost_registry, refuse_unknown};
pub use page_cipher::{DbKey, PAGE_CIPHER, PAGE_CIPHER_PRAGMA, PAGE_CIPHER_QUIET};
pub use room::{NoRoom, overwrite_index_in_place, refuse_adding, refuse_mapping};
pub use seal::{SEALED_OVERHEAD, Sealer};
pub use secret::Secret32;
pub use signer::{AuditSigner, key_id, verify};
pub use source::{Added, Environment, KeySource, KeySources, Removed, RingLocation, wrapping_key};
pub use survey::{Survey, survey};
