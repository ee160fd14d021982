//! Prints percentiles and sizes.

use std::path::Path;
use std::time::Duration;

pub(crate) fn percentile(times: &mut [Duration], percent: usize) -> f64 {
    times.sort_unstable();
    times[(times.len() - 1) * percent / 100].as_secs_f64() * 1e6
}

pub(crate) fn report(what: &str, times: &mut [Duration]) -> f64 {
    let p50 = percentile(times, 50);
    println!("{what:<58} p50 {p50:>8.0} us   p99 {:>8.0} us", percentile(times, 99));
    p50
}

pub(crate) fn resident_kib() -> u64 {
    let status = std::fs::read_to_string("/proc/self/status").unwrap_or_default();
    let line = status.lines().find_map(|line| line.strip_prefix("VmRSS:"));
    line.and_then(|rest| rest.trim().trim_end_matches(" kB").parse().ok()).unwrap_or_default()
}

/// Returns the path of a user's database.
pub(crate) fn vault_of(data: &Path, user: &str) -> std::path::PathBuf {
    use sha2::Digest as _;
    use std::fmt::Write as _;
    let mut hash = String::new();
    for byte in sha2::Sha256::digest(user.as_bytes()) {
        let _ = write!(hash, "{byte:02x}");
    }
    data.join("vaults").join(&hash[..2]).join(&hash).join("memory.db")
}
