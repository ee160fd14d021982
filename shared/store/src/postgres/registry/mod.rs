//! What is there once for all users.

use std::sync::Arc;

use async_trait::async_trait;
use kimberly_core::UserId;
use kimberly_core::access::{CertificateName, Credential, CredentialId, CredentialName, ListedCredential};
use kimberly_core::erasure::{Erased, Purge};
use kimberly_core::error::Result;
use kimberly_core::ids::PurgeId;
use kimberly_core::meditation::Trigger;
use kimberly_core::ports::{
    Added, AuditEntry, AuditWork, By, Credentials, DueUser, OutboxMark, Purges, Registry, SystemAudit,
};
use kimberly_core::time::Timestamp;

use super::shared::Shared;
use super::unported;

/// The ports, over the shared state.
pub(crate) struct RegistryPort(pub(crate) Arc<Shared>);

#[async_trait]
impl Registry for RegistryPort {
    async fn due(&self, _now: Timestamp, _limit: usize) -> Result<Vec<DueUser>> {
        Err(unported("due"))
    }
    async fn reschedule(
        &self,
        _user: &UserId,
        _trigger: Trigger,
        _was: Option<Timestamp>,
        _next: Timestamp,
    ) -> Result<bool> {
        Err(unported("reschedule"))
    }
    async fn next_due(&self, _user: &UserId, _trigger: Trigger) -> Result<Option<Timestamp>> {
        Err(unported("next_due"))
    }
    async fn users(&self, _after: Option<&UserId>, _limit: usize) -> Result<Vec<UserId>> {
        Err(unported("users"))
    }
    async fn count_users(&self) -> Result<u64> {
        Err(unported("count_users"))
    }
    async fn outbox_marks(&self, _limit: usize) -> Result<Vec<OutboxMark>> {
        Err(unported("outbox_marks"))
    }
    async fn clear_outbox_mark(&self, _user: &UserId) -> Result<()> {
        Err(unported("clear_outbox_mark"))
    }
    async fn take_embedding_budget(&self, _day: i64, _wanted: u64, _budget: u64) -> Result<u64> {
        Err(unported("take_embedding_budget"))
    }
    async fn embedded_on(&self, _day: i64) -> Result<u64> {
        Err(unported("embedded_on"))
    }
    async fn disk_bytes(&self) -> Result<u64> {
        Err(unported("disk_bytes"))
    }
}

#[async_trait]
impl Credentials for RegistryPort {
    async fn add(&self, _credential: &Credential, _most: usize, _by: &By) -> Result<Added> {
        Err(unported("add"))
    }
    async fn put_local_admin(&self, _credential: &Credential, _by: &By) -> Result<()> {
        Err(unported("put_local_admin"))
    }
    async fn by_id(&self, _id: CredentialId) -> Result<Option<Credential>> {
        Err(unported("by_id"))
    }
    async fn by_certificate(&self, _certificate: &CertificateName) -> Result<Option<Credential>> {
        Err(unported("by_certificate"))
    }
    async fn by_name(&self, _name: &CredentialName) -> Result<Option<ListedCredential>> {
        Err(unported("by_name"))
    }
    async fn list(&self, _after: Option<&CredentialName>, _limit: usize) -> Result<Vec<ListedCredential>> {
        Err(unported("list"))
    }
    async fn revoke(&self, _name: &CredentialName, _by: &By) -> Result<()> {
        Err(unported("revoke"))
    }
    async fn replace_secret(
        &self,
        _name: &CredentialName,
        _was: &[u8; 32],
        _hash: &[u8; 32],
        _until: Timestamp,
        _by: &By,
    ) -> Result<bool> {
        Err(unported("replace_secret"))
    }
    async fn used(&self, _uses: &[(CredentialId, Timestamp)]) -> Result<()> {
        Err(unported("used"))
    }
}

#[async_trait]
impl Purges for RegistryPort {
    async fn begin(&self, _id: PurgeId, _user: &UserId, _by: &By) -> Result<Purge> {
        Err(unported("begin"))
    }
    async fn get(&self, _id: PurgeId) -> Result<Option<Purge>> {
        Err(unported("get"))
    }
    async fn list(&self, _of: Option<&UserId>, _before: Option<PurgeId>, _limit: usize) -> Result<Vec<Purge>> {
        Err(unported("list"))
    }
    async fn under_way(&self, _limit: usize) -> Result<Vec<PurgeId>> {
        Err(unported("under_way"))
    }
    fn is_of(&self, _purge: &Purge, _user: &UserId) -> bool {
        false
    }
    async fn hold(&self) -> Result<Box<dyn Send>> {
        Err(unported("hold"))
    }
    async fn keep(&self, _purge: &Purge) -> Result<()> {
        Err(unported("keep"))
    }
    async fn empty_vault(&self, _user: &UserId, _purge: PurgeId) -> Result<Erased> {
        Err(unported("empty_vault"))
    }
    async fn destroy_vault(&self, _user: &UserId, _purge: PurgeId) -> Result<()> {
        Err(unported("destroy_vault"))
    }
    async fn forget_user(&self, _purge: &Purge, _at: Timestamp) -> Result<Purge> {
        Err(unported("forget_user"))
    }
    async fn release(&self, _user: &UserId, _purge: PurgeId) -> Result<()> {
        Err(unported("release"))
    }
    async fn finish(&self, _purge: &Purge, _at: Timestamp) -> Result<Purge> {
        Err(unported("finish"))
    }
}

#[async_trait]
impl SystemAudit for RegistryPort {
    async fn name(&self) -> Result<String> {
        Err(unported("name"))
    }
    async fn append(&self, _entries: Vec<AuditEntry>) -> Result<()> {
        Err(unported("append"))
    }
    async fn compact(&self) -> Result<usize> {
        Err(unported("compact"))
    }
    async fn read_with(&self, _work: AuditWork) -> Result<()> {
        Err(unported("read_with"))
    }
}
