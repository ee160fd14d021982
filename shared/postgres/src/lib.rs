//! Shared by all users of Postgres: connecting, transactions, stale connections, rights on tables, and locks that let
//! one process at a time create them.

mod connecting;
mod error;
mod lock;
mod names;
mod pool;
mod roles;
mod server;
mod servers;
mod way;

pub use connecting::{Bounds, close, connect, execute, how};
pub use error::{Error, Result, code};
pub use lock::{Lock, classes};
pub use names::{name, quoted};
pub use pool::standby;
pub use roles::{Tables, current_role, grant, not_the_owner, refuse_lacking};
pub use server::{extension, schema_of_extension, version};
pub use servers::{DatabaseAddress, Servers};
pub use way::Way;
