//! Records that memories were recalled or read. Batched by the caller: never on the path of a request.

use std::sync::Arc;

use super::App;
use crate::error::Result;
use crate::ids::UserId;
use crate::ports::Touch;

impl App {
    /// Adds touches in one transaction; memories that are gone by now are passed over. Touches change no etag, and are
    /// not audited one by one: they are statistics, not writes of a caller.
    pub async fn touch(&self, user: &UserId, touches: Vec<Touch>) -> Result<()> {
        if touches.is_empty() {
            return Ok(());
        }
        let touches: Arc<[Touch]> = touches.into();
        let running = self.vaults.transact(user, "touch", move |tx| {
            let touches = Arc::clone(&touches);
            Box::pin(async move { tx.touch(&touches).await })
        });
        running.await
    }
}
