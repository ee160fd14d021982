//! Purges the bytes of attachments.

use std::sync::Arc;

use async_trait::async_trait;
use kimberly_core::UserId;
use kimberly_core::error::Result;
use kimberly_core::ports::{Blobs, ErasesUsers};

pub(super) struct Attachments(Arc<dyn Blobs>);

impl Attachments {
    pub(super) fn new(blobs: Arc<dyn Blobs>) -> Self {
        Self(blobs)
    }
}

#[async_trait]
impl ErasesUsers for Attachments {
    async fn erase(&self, user: &UserId) -> Result<()> {
        self.0.remove_all(user).await
    }
}
