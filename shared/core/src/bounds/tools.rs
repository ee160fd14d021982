//! Bounds of tools for assistants, and names that they take, which the contract does not state.

/// Profiles of tools, by name; the first one for clients that name none.
pub const TOOL_PROFILES: [&str; 5] = ["default", "manage", "research", "graph", "all"];
/// Longest id that tools take, in bytes: that of a review names two memories.
pub const MAX_ID_BYTES: usize = 128;
/// Longest token of a page, in bytes; the service issues none that is longer.
pub const MAX_PAGE_TOKEN_BYTES: usize = 1024;
