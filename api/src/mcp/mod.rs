//! MCP on the api's port, at `/mcp`: the Model Context Protocol over streamable HTTP, without sessions. Tools call the
//! contract's services in this process, so a tool call passes the same checks as its rpc: rates, limits, quotas,
//! consent and the audit. This module does not access vaults or create statuses.
//!
//! A tool is a file in `tools` and a line in [`tools::ALL`]. Its profile decides which tools a client sees.

mod answer;
mod batch;
mod body;
mod call;
mod id;
mod layer;
mod profiles;
mod prompt;
mod protocol;
mod resources;
mod schema;
mod server;
mod tools;
mod versions;

pub(crate) use layer::McpLayer;

/// The path at which MCP is served.
pub(crate) const PATH: &str = "/mcp";
