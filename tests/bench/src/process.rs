//! Memory and processor time of a process, from the kernel.

use std::io;
use std::time::Duration;

/// Clock ticks per second in `/proc`; 100 on every Linux that runs on common hardware.
const TICKS_PER_SECOND: u64 = 100;

/// Resident memory in bytes.
pub(crate) fn resident_bytes(pid: u32) -> io::Result<u64> {
    status_kib(pid, "VmRSS:").map(|kib| kib * 1_024)
}

/// Peak resident memory in bytes.
pub(crate) fn peak_resident_bytes(pid: u32) -> io::Result<u64> {
    status_kib(pid, "VmHWM:").map(|kib| kib * 1_024)
}

/// Bytes in megabytes.
#[expect(clippy::cast_precision_loss, reason = "far fewer than 2^52 bytes")]
pub(crate) fn megabytes(bytes: u64) -> f64 {
    bytes as f64 / 1e6
}

/// Processor time in user and kernel mode since the process started.
pub(crate) fn processor_time(pid: u32) -> io::Result<Duration> {
    let path = format!("/proc/{pid}/stat");
    let stat = std::fs::read_to_string(&path)?;
    // The second field is the name in parentheses and may contain anything; utime and stime are fields 14 and 15.
    let after_name = stat.rsplit_once(')').map_or("", |(_, rest)| rest);
    let ticks: Vec<u64> = after_name.split_whitespace().skip(11).take(2).filter_map(|n| n.parse().ok()).collect();
    match ticks[..] {
        [user, system] => Ok(Duration::from_millis((user + system) * 1_000 / TICKS_PER_SECOND)),
        _ => Err(unreadable(&path)),
    }
}

/// The running child processes of a process.
pub(crate) fn children(pid: u32) -> io::Result<Vec<u32>> {
    let mut found = Vec::new();
    for entry in std::fs::read_dir("/proc")? {
        let Some(child) = entry?.file_name().to_str().and_then(|name| name.parse().ok()) else { continue };
        // A process that ended meanwhile has no parent.
        let stat = std::fs::read_to_string(format!("/proc/{child}/stat")).unwrap_or_default();
        let parent = stat.rsplit_once(')').and_then(|(_, rest)| rest.split_whitespace().nth(1)?.parse().ok());
        if parent == Some(pid) {
            found.push(child);
        }
    }
    Ok(found)
}

fn status_kib(pid: u32, key: &str) -> io::Result<u64> {
    let path = format!("/proc/{pid}/status");
    let status = std::fs::read_to_string(&path)?;
    let line = status.lines().find_map(|line| line.strip_prefix(key));
    line.and_then(|rest| rest.split_whitespace().next()?.parse().ok()).ok_or_else(|| unreadable(&path))
}

fn unreadable(path: &str) -> io::Error {
    io::Error::other(format!("{path} does not look as expected"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn this_process_has_memory_and_time() {
        let pid = std::process::id();
        assert!(resident_bytes(pid).unwrap() > 100_000);
        assert!(peak_resident_bytes(pid).unwrap() >= resident_bytes(pid).unwrap() / 2);
        assert!(processor_time(pid).is_ok());
    }
}
