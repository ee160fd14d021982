//! Requests a purge, and reads one.

use crate::audit::Actor;
use crate::boxed;
use crate::erasure::Purge;
use crate::error::{Entity, Error, Result};
use crate::ids::{PurgeId, UserId};
use crate::ports::{By, Purges};
use crate::usecases::App;

impl App {
    /// Begins to erase everything of a user, who is hidden when this returns. Repeating it while a purge is under way changes nothing.
    #[boxed]
    pub async fn purge_user(&self, purges: &dyn Purges, user: &UserId, confirmed: &str) -> Result<Purge> {
        if confirmed != user.as_str() {
            let problem = "must be the same as user_id, because erased data cannot be restored";
            return Err(Error::invalid("confirm_user_id", problem));
        }
        let now = self.clock.now();
        let actor = self.caller.as_ref().map_or_else(|| Actor::System.name().into(), |caller| caller.actor());
        let purge = purges.begin(PurgeId(self.ids.new_id(now)), user, &By { actor, at: now }).await?;
        self.sessions.forget(user);
        self.documents.forget(user);
        self.graphs.forget(user);
        Ok(purge)
    }

    /// Returns a purge, or the receipt of one that is done; with `of`, only if it is a purge of that user.
    #[boxed]
    pub async fn get_purge(&self, purges: &dyn Purges, of: Option<&UserId>, id: PurgeId) -> Result<Purge> {
        let found = purges.get(id).await?;
        found
            .filter(|purge| of.is_none_or(|user| purges.is_of(purge, user)))
            .ok_or_else(|| Error::NotFound { entity: Entity::Purge, id: id.to_string() })
    }
}
