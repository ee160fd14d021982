//! The inputs of a search besides the query.

use std::sync::Arc;

use super::semantic::SemanticRecall;
use crate::documents::DocumentCache;
use crate::entities::GraphCache;
use crate::ids::UserId;
use crate::recall::SessionCache;
use crate::settings::ServerDefaults;
use crate::time::Timestamp;

/// The inputs of a search besides the query.
#[derive(Clone)]
pub(super) struct Around {
    pub(super) user: UserId,
    pub(super) cache: SessionCache,
    pub(super) documents: DocumentCache,
    pub(super) graphs: GraphCache,
    pub(super) semantic: Option<SemanticRecall>,
    pub(super) defaults: Arc<ServerDefaults>,
    pub(super) now: Timestamp,
}
