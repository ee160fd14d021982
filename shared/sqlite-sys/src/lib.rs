//! SQLCipher under the name by which sqlx links SQLite.
//!
//! sqlx takes `libsqlite3-sys` below 0.38; the first with a SQLCipher on a SQLite whose write-ahead log several processes
//! may share without harm is 0.39.1. The two differ in nothing that sqlx uses. `[patch.crates-io]` in the workspace puts
//! this crate in the place of the older one, so that the tree holds one SQLite, and that one can encrypt. To be removed
//! when sqlx takes that version by itself.
//!
//! AES comes from the system's libcrypto, linked dynamically, so the distribution's updates fix it.
//!
//! By hand a database opens with `PRAGMA key="x'<64 hex>'"; PRAGMA cipher_hmac_algorithm=HMAC_SHA256;`.

pub use real::*;
