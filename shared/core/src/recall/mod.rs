//! What matters for a query (K-5).

mod session_cache;

pub use session_cache::{SessionCache, SessionMemory};
