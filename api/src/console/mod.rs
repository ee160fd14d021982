//! The web console: static files from this binary at `/console/`, served to all who reach the port. The files contain
//! no user data. The console fetches what it shows over the contract's JSON, like every other client.

mod files;
mod layer;

pub(crate) use layer::ConsoleLayer;

/// The path at which the console is served.
pub(crate) const PATH: &str = "/console/";
