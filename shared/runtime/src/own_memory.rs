//! Protects the process's memory, which holds keys, from core dumps and from other processes of the account.

use crate::config::Environment;

/// Set to `1` by tests that inspect a process from outside.
const LOOKED_AT: &str = "KIMBERLY_TEST_LOOKED_AT";

/// Disables core dumps, and access to this process's memory by other processes of the account (root excepted).
pub fn forbid_inspection(env: &Environment) {
    if env.get(LOOKED_AT) == Some("1") {
        return;
    }
    if let Err(error) = forbid() {
        tracing::warn!(
            "a core dump of this process may contain its keys, because core dumps could not be disabled: {error}"
        );
    }
}

#[cfg(target_os = "linux")]
fn forbid() -> std::io::Result<()> {
    use rustix::process::{DumpableBehavior, Resource, Rlimit, set_dumpable_behavior, setrlimit};
    setrlimit(Resource::Core, Rlimit { current: Some(0), maximum: Some(0) })?;
    Ok(set_dumpable_behavior(DumpableBehavior::NotDumpable)?)
}

#[cfg(not(target_os = "linux"))]
fn forbid() -> std::io::Result<()> {
    Ok(())
}
