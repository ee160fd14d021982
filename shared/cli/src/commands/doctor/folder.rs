//! Checks the data folder: exists, private, writable, with free space, and no files dated in the future.

use std::fs;
use std::os::unix::fs::PermissionsExt as _;
use std::path::Path;
use std::time::UNIX_EPOCH;

use super::Finding;
use crate::{text, time};

/// Free space above the reserve below which writes will soon fail, in bytes.
const LOW_SPACE: u64 = 192 << 20;

/// Checks the data folder. `reserve`: the configured bytes of free space below which nothing is added.
pub(super) fn check(folder: &Path, reserve: u64) -> Vec<Finding> {
    let shown = std::path::absolute(folder).unwrap_or_else(|_| folder.to_owned());
    let shown = shown.display();
    let found = match fs::metadata(folder) {
        Ok(found) => found,
        Err(error) if error.kind() == std::io::ErrorKind::NotFound => {
            return vec![Finding::warn("data folder", format!("{shown} does not exist yet; `kimberly up` creates it"))];
        }
        Err(error) => return vec![Finding::bad("data folder", format!("{shown} cannot be read: {error}"))],
    };
    if !found.is_dir() {
        return vec![Finding::bad(
            "data folder",
            format!("{shown} is not a folder; name another with KIMBERLY_DATA_DIR"),
        )];
    }
    let mode = found.permissions().mode() & 0o777;
    let others = mode & 0o077;
    let privacy = if others == 0 {
        Finding::ok("data folder", format!("{shown}, mode {mode:o}"))
    } else {
        Finding::warn(
            "data folder",
            format!("{shown} has mode {mode:o}: other accounts can access it; restrict it with chmod 700"),
        )
    };
    let mut findings = vec![privacy, space(folder, reserve)];
    findings.extend(from_the_future(folder));
    findings
}

fn space(folder: &Path, reserve: u64) -> Finding {
    match rustix::fs::statvfs(folder) {
        Ok(disk) => of_space(disk.f_bavail.saturating_mul(disk.f_frsize), reserve),
        Err(error) => Finding::warn("disk", format!("its free space cannot be read: {error}")),
    }
}

fn of_space(free: u64, reserve: u64) -> Finding {
    let bytes = |count: u64| text::bytes(i64::try_from(count).unwrap_or(i64::MAX));
    let (shown, least) = (bytes(free), bytes(reserve));
    if free < reserve {
        let advice = format!("writes fail until {least} are free, or vaults.reserve is lower");
        return Finding::bad("disk", format!("{shown} free; {advice}"));
    }
    if free < reserve.saturating_add(LOW_SPACE) {
        return Finding::warn("disk", format!("{shown} free; free some space soon: writes fail below {least}"));
    }
    Finding::ok("disk", format!("{shown} free"))
}

/// A file modified later than now means that the clock was set back.
fn from_the_future(folder: &Path) -> Option<Finding> {
    let written = fs::metadata(folder.join("system.db")).ok()?.modified().ok()?;
    let written = i64::try_from(written.duration_since(UNIX_EPOCH).ok()?.as_secs()).ok()?;
    let ahead = written - time::now_seconds();
    (ahead > 60).then(|| {
        Finding::warn(
            "clock",
            format!("system.db was written {ahead} s in the future: the clock was set back; memories may look too new"),
        )
    })
}

#[cfg(test)]
mod tests {
    use super::super::Level;
    use super::*;

    #[test]
    fn a_private_folder_is_fine_and_an_open_one_is_warned_about() {
        let folder = tempfile::tempdir().unwrap();
        fs::set_permissions(folder.path(), fs::Permissions::from_mode(0o700)).unwrap();
        assert_eq!(check(folder.path(), 0)[0].level, Level::Ok);
        fs::set_permissions(folder.path(), fs::Permissions::from_mode(0o755)).unwrap();
        assert_eq!(check(folder.path(), 0)[0].level, Level::Warn);
    }

    #[test]
    fn a_missing_folder_is_fine_and_a_file_instead_of_it_is_a_fault() {
        let folder = tempfile::tempdir().unwrap();
        assert_eq!(check(&folder.path().join("none"), 0)[0].level, Level::Warn);
        let file = folder.path().join("data");
        fs::write(&file, b"").unwrap();
        assert_eq!(check(&file, 0)[0].level, Level::Bad);
    }

    #[test]
    fn free_space_is_compared_with_the_configured_reserve() {
        let level = |free, reserve| of_space(free, reserve).level;
        for reserve in [1 << 20, 64 << 20, 2 << 30] {
            assert_eq!(level(reserve - 1, reserve), Level::Bad, "{reserve}");
            assert_eq!(level(reserve, reserve), Level::Warn, "{reserve}");
            assert_eq!(level(reserve + LOW_SPACE, reserve), Level::Ok, "{reserve}");
        }
    }
}
