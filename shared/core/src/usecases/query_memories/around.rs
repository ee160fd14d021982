//! The inputs of a search besides the query.

use std::sync::Arc;

use crate::documents::DocumentCache;
use crate::ids::UserId;
use crate::recall::SessionCache;
use crate::settings::ServerDefaults;
use crate::time::Timestamp;
use crate::usecases::query_memories::semantic::SemanticRecall;

/// The inputs of a search besides the query.
#[derive(Clone)]
pub(in super::super) struct Around {
    pub(in super::super) user: UserId,
    pub(in super::super) cache: SessionCache,
    pub(in super::super) documents: DocumentCache,
    pub(in super::super) semantic: Option<SemanticRecall>,
    pub(in super::super) defaults: Arc<ServerDefaults>,
    pub(in super::super) now: Timestamp,
}
