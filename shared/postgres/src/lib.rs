//! What whoever keeps something in Postgres needs of it, whatever that is: how one connects and begins, which connections are
//! good no longer, who may make and use tables, and that one process at a time makes them.

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
pub use servers::{Place, Servers};
pub use way::Way;
