//! Records that memories were recalled or read, and who read them. Callers batch this, off the path of a request.

use std::sync::Arc;

use super::App;
use crate::audit::AuditEntry;
use crate::boxed;
use crate::error::{Error, Result};
use crate::ids::UserId;
use crate::ports::Touch;

impl App {
    /// Adds touches, and audit entries about reads, in one transaction; skips memories that are gone. Touches change no
    /// etag. Makes no vault for a user without one: there was nothing to read, or the user was purged since.
    #[boxed]
    pub async fn touch(&self, user: &UserId, touches: Vec<Touch>, reads: Vec<AuditEntry>) -> Result<()> {
        if touches.is_empty() && reads.is_empty() {
            return Ok(());
        }
        match self.is_untouched(user).await {
            Ok(false) => {}
            Ok(true) | Err(Error::Purging) => return Ok(()),
            Err(error) => return Err(error),
        }
        let work: Arc<(Vec<Touch>, Vec<AuditEntry>)> = Arc::new((touches, reads));
        let running = self.vaults.transact(user, "touch", move |tx| {
            let work = Arc::clone(&work);
            Box::pin(async move {
                let (touches, reads) = &*work;
                if !touches.is_empty() {
                    tx.touch(touches).await?;
                }
                for read in reads {
                    tx.audit(read).await?;
                }
                Ok(())
            })
        });
        running.await
    }

    async fn is_untouched(&self, user: &UserId) -> Result<bool> {
        Ok(self.vaults.read(user, |reader| Box::pin(reader.data_version())).await? == 0)
    }
}
