//! `[auth.jwt]`: signed tokens of one issuer.

use std::path::PathBuf;

use serde::{Deserialize, Serialize};

use super::{Period, Problems};

/// Accepted signed tokens. They are verified locally with keys from a file, without network access.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct JwtConfig {
    /// The required issuer (`iss`); unset accepts no tokens.
    pub issuer: Option<String>,
    /// The required audience (`aud`).
    pub audience: Option<String>,
    /// The issuer's public keys, a JWK set; reread when the file changes.
    pub jwks_file: Option<PathBuf>,
    /// Tolerated clock skew of the issuer; 0 to 5 m.
    pub leeway: Period,
    /// Maximum lifetime of a token; 1 m to 30 d.
    pub max_lifetime: Period,
}

impl Default for JwtConfig {
    fn default() -> Self {
        Self {
            issuer: None,
            audience: None,
            jwks_file: None,
            leeway: Period::seconds(30),
            max_lifetime: Period::seconds(86_400),
        }
    }
}

impl JwtConfig {
    pub(super) fn check(&self, problems: &mut Problems) {
        let said = |text: &Option<String>| text.as_ref().is_some_and(|text| !text.is_empty());
        let set = [said(&self.issuer), said(&self.audience), self.jwks_file.is_some()];
        if set.contains(&true) && set.contains(&false) {
            problems
                .add("auth.jwt.issuer, auth.jwt.audience and auth.jwt.jwks_file go together; set all of them, or none");
        }
        problems.range("auth.jwt.leeway", self.leeway, Period::seconds(0)..=Period::seconds(300));
        problems.range("auth.jwt.max_lifetime", self.max_lifetime, Period::seconds(60)..=Period::days(30));
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn problems(change: impl FnOnce(&mut JwtConfig)) -> usize {
        let mut config = JwtConfig {
            issuer: Some("i".to_owned()),
            audience: Some("a".to_owned()),
            jwks_file: Some("f".into()),
            ..JwtConfig::default()
        };
        change(&mut config);
        let mut problems = Problems::default();
        config.check(&mut problems);
        problems.0.len()
    }

    #[test]
    fn issuer_audience_and_keys_go_together_and_spans_have_bounds() {
        assert_eq!((problems(|_| {}), problems(|config| *config = JwtConfig::default())), (0, 0));
        assert_eq!(problems(|config| config.issuer = None), 1);
        assert_eq!(problems(|config| config.audience = Some(String::new())), 1);
        assert_eq!(problems(|config| config.jwks_file = None), 1);
        assert_eq!(problems(|config| config.leeway = Period::seconds(301)), 1);
        assert_eq!(problems(|config| config.max_lifetime = Period::seconds(59)), 1);
        assert_eq!(problems(|config| config.max_lifetime = Period::days(30)), 0);
    }
}
