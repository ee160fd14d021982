//! `[audit]`: how long audit entries are stored, and where checkpoints are written.

use std::path::{Path, PathBuf};

use serde::{Deserialize, Serialize};

use super::{Period, Problems};

/// Audit settings of every vault.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct AuditConfig {
    /// Retention of entries, 1 d to 3,650 d; 0 stores them forever.
    pub keep: Period,
    /// Folder for signed checkpoints of the system audit, outside the data folder. Unset: no checkpoints are written.
    pub checkpoint_dir: Option<PathBuf>,
    /// Interval of checkpoints, skipped if nothing changed; 1 m to 30 d.
    pub checkpoint_every: Period,
}

impl Default for AuditConfig {
    fn default() -> Self {
        Self { keep: Period::seconds(0), checkpoint_dir: None, checkpoint_every: Period::days(1) }
    }
}

impl AuditConfig {
    pub(super) fn check(&self, data_dir: &Path, problems: &mut Problems) {
        problems.range("audit.checkpoint_every", self.checkpoint_every, Period::seconds(60)..=Period::days(30));
        if self.checkpoint_dir.as_ref().is_some_and(|folder| folder.starts_with(data_dir)) {
            problems.add(
                "audit.checkpoint_dir is in the data folder; checkpoints are proof only where processes that can \
                 write the data cannot change them",
            );
        }
        if self.keep != Period::seconds(0) {
            problems.range("audit.keep", self.keep, Period::days(1)..=Period::days(3_650));
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn checkpoints_lie_outside_the_data_folder_and_spans_have_bounds() {
        let problems = |folder: Option<&str>, seconds| {
            let mut problems = Problems::default();
            let checkpoint_dir = folder.map(PathBuf::from);
            let config =
                AuditConfig { checkpoint_dir, checkpoint_every: Period::seconds(seconds), ..AuditConfig::default() };
            config.check(Path::new("/srv/data"), &mut problems);
            problems.0.len()
        };
        assert_eq!((problems(None, 60), problems(Some("/srv/notes"), 86_400), problems(None, 30 * 86_400)), (0, 0, 0));
        assert_eq!((problems(None, 59), problems(None, 30 * 86_400 + 1)), (1, 1));
        assert_eq!((problems(Some("/srv/data"), 60), problems(Some("/srv/data/notes"), 60)), (1, 1));
    }
}
