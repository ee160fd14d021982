//! Bounds of links, of what depends on a record, and of the graph of entities.

/// Most links of a memory, both directions counted together.
pub const MAX_LINKS_PER_MEMORY: usize = 1_000;
/// Longest quote or reason of a link, in bytes.
pub const MAX_LINK_EVIDENCE_BYTES: usize = 1_024;
/// Longest name of an entity in a request, in bytes.
pub const MAX_ENTITY_NAME_BYTES: usize = 256;
/// Most aliases of an entity in an answer.
pub const MAX_ENTITY_ALIASES: usize = 32;
/// Most edges of an entity in an answer.
pub const MAX_ENTITY_EDGES: usize = 100;
/// Most records of an edge in an answer.
pub const MAX_EDGE_EVIDENCE: usize = 8;
/// Most entities in an answer about a part of the graph.
pub const MAX_NEIGHBOURS: usize = 200;
/// Entities in such an answer by default.
pub const DEFAULT_NEIGHBOURS: usize = 50;
/// Largest distance between an entity and its neighbours, in edges.
pub const MAX_GRAPH_DEPTH: usize = 3;
/// Most edges in an answer about a part of the graph.
pub const MAX_SUBGRAPH_EDGES: usize = 1_000;
/// Most links in one import.
pub const MAX_LINK_BATCH: usize = 500;
/// Most links in an answer about a lineage.
pub const MAX_LINEAGE: usize = 1_000;
/// Most dependent records that one erasing call erases or marks, besides those in a cycle with the records it erases.
pub const MAX_CASCADE: usize = 1_000;
/// Most memories that one call forgets as copies of what it names, and most of which it strikes a part.
pub const MAX_COPIES: usize = 500;
/// Most memories in an answer that still mention what was forgotten.
pub const MAX_STILL_MENTIONS: usize = 50;
/// Most events in an answer about a record's history.
pub const MAX_HISTORY: usize = 1_000;
