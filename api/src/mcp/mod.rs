//! MCP on the api's port, at `/mcp`: the Model Context Protocol over streamable HTTP, without sessions. A tool calls the
//! contract's services in this process, so that a call of a tool passes what every call passes: rates, limits, quotas,
//! consent and the audit are those of the rpc that it stands for. Nothing here touches vaults or makes statuses.
//!
//! A tool is a file in `tools` and a line in [`tools::ALL`]; which of them a client sees, its profile says.

mod answer;
mod body;
mod call;
mod layer;
mod profiles;
mod prompt;
mod resources;
mod server;
mod tools;

pub(crate) use layer::McpLayer;

/// Where MCP is served.
pub(crate) const PATH: &str = "/mcp";
