//! Limits on open files: every open vault uses several.

use crate::config::VaultsConfig;

/// Maximum files per open vault: four connections of three files each.
const FILES_PER_VAULT: u64 = 12;
/// Files for everything else: connections of callers, `system.db`, `queue.db`, logs.
const FILES_RESERVED: u64 = 256;

/// Raises the soft limit on open files to the hard one, and lowers `vaults.max_open` to what fits.
pub(crate) fn fit_vaults(vaults: &mut VaultsConfig) {
    let limit = rlimit::increase_nofile_limit(u64::MAX).unwrap_or(1_024);
    let fits = vaults_that_fit(limit);
    if vaults.max_open > fits {
        tracing::warn!(
            "vaults.max_open is lowered from {} to {fits}: only {limit} files may be open; raise the limit (`ulimit -Hn`)",
            vaults.max_open
        );
        vaults.max_open = fits;
    }
}

fn vaults_that_fit(limit: u64) -> usize {
    usize::try_from((limit.saturating_sub(FILES_RESERVED) / FILES_PER_VAULT).max(1)).unwrap_or(usize::MAX)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn vaults_leave_room_for_callers_and_never_drop_to_none() {
        assert_eq!(vaults_that_fit(1_024), 64);
        assert_eq!(vaults_that_fit(0), 1);
        let mut vaults = VaultsConfig { max_open: usize::MAX, ..VaultsConfig::default() };
        fit_vaults(&mut vaults);
        assert!(vaults.max_open < usize::MAX);
    }
}
