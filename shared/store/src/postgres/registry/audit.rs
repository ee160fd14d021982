//! The audit of the system.

use async_trait::async_trait;
use kimberly_core::error::Result;
use kimberly_core::ports::{AuditEntry, AuditWork, SystemAudit};

use super::RegistryPort;
use crate::postgres::unported;

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
