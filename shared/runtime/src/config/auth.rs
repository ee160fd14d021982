//! `[auth]`: whether callers must present a credential.

use serde::{Deserialize, Serialize};

use super::{JwtConfig, Period, Problems};

/// Whether calls need a credential.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum AuthMode {
    /// Calls without a credential may do everything; a presented one is checked.
    #[default]
    Open,
    /// Calls without a credential are refused.
    Required,
}

/// Authentication of callers.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct AuthConfig {
    /// `open`: anyone who reaches the port may do everything. `required`: only callers with a credential.
    pub mode: AuthMode,
    /// How long a verified key is cached; 0 to 1 m. A key revoked by another process stays valid for that long; one
    /// revoked by this process is refused at once.
    pub recheck: Period,
    /// Signed tokens, accepted besides keys.
    pub jwt: JwtConfig,
}

impl Default for AuthConfig {
    fn default() -> Self {
        Self { mode: AuthMode::Open, recheck: Period::seconds(1), jwt: JwtConfig::default() }
    }
}

impl AuthConfig {
    pub(super) fn check(&self, problems: &mut Problems) {
        problems.range("auth.recheck", self.recheck, Period::seconds(0)..=Period::seconds(60));
        self.jwt.check(problems);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn recheck_has_bounds() {
        let problems = |seconds| {
            let mut problems = Problems::default();
            AuthConfig { recheck: Period::seconds(seconds), ..AuthConfig::default() }.check(&mut problems);
            problems.0.len()
        };
        assert_eq!((problems(0), problems(60), problems(61)), (0, 0, 1));
    }
}
