//! `[auth]`: whether callers must present a credential.

use kimberly_core::UserId;
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
    /// The user of calls that need one and name none, in mode `open`: a user's id. Empty: such calls are refused.
    pub default_user: String,
    /// How long a verified key is cached; 0 to 1 m. A key revoked by another process stays valid for that long; one
    /// revoked by this process is refused at once.
    pub recheck: Period,
    /// Signed tokens, accepted besides keys.
    pub jwt: JwtConfig,
}

impl Default for AuthConfig {
    fn default() -> Self {
        Self {
            mode: AuthMode::Open,
            default_user: "me".to_owned(),
            recheck: Period::seconds(1),
            jwt: JwtConfig::default(),
        }
    }
}

impl AuthConfig {
    /// Returns the user of calls that need one and name none, if there is one.
    pub fn implied_user(&self) -> Option<UserId> {
        match self.mode {
            AuthMode::Open => UserId::parse(&self.default_user).ok(),
            AuthMode::Required => None,
        }
    }

    pub(super) fn check(&self, problems: &mut Problems) {
        if !self.default_user.is_empty()
            && let Err(error) = UserId::parse(&self.default_user)
        {
            problems.add(format!("auth.default_user is no user's id: {error}"));
        }
        problems.range("auth.recheck", self.recheck, Period::seconds(0)..=Period::seconds(60));
        self.jwt.check(problems);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn default_user_is_an_id_and_counts_only_in_open_mode() {
        let of = |mode, user: &str| AuthConfig { mode, default_user: user.to_owned(), ..AuthConfig::default() };
        let problems = |user| {
            let mut problems = Problems::default();
            of(AuthMode::Open, user).check(&mut problems);
            problems.0
        };
        assert!(problems("me").is_empty() && problems("").is_empty());
        assert!(problems(" me")[0].contains("auth.default_user"));
        let implied = |mode, user| of(mode, user).implied_user().map(|user| user.as_str().to_owned());
        assert_eq!(implied(AuthMode::Open, "ana").as_deref(), Some("ana"));
        assert_eq!((implied(AuthMode::Open, ""), implied(AuthMode::Required, "ana")), (None, None));
    }

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
