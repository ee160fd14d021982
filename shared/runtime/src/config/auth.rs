//! `[auth]`: whether callers must show a credential.

use serde::{Deserialize, Serialize};

use super::{JwtConfig, Period, Problems};

/// Whether calls need a credential.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum AuthMode {
    /// Calls without one may do everything; one that is sent is checked.
    #[default]
    Open,
    /// Calls without one are refused.
    Required,
}

/// How callers are told apart.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct AuthConfig {
    /// `open`: whoever reaches the port may do everything. `required`: only who shows a key.
    pub mode: AuthMode,
    /// How long what is known of a key is used before it is read again; 0 to 1 m. A key that another process revoked is
    /// good for that long; one that this process revoked is refused at once.
    pub recheck: Period,
    /// Which signed tokens are taken beside keys.
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
