//! The web console: static files from this binary at `/console/`, for everybody who reaches the port. They hold nothing
//! of anybody; what they show, they ask for over the JSON of the contract, like every other client.

mod files;
mod layer;

pub(crate) use layer::ConsoleLayer;

/// Where the console is served.
pub(crate) const PATH: &str = "/console/";
