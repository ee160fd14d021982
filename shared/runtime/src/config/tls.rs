//! `[tls]`: what the api shows its callers, and what it asks them to show.

use std::path::PathBuf;

use serde::{Deserialize, Serialize};

use super::{Period, Problems};

/// How connections of callers are secured. Names files and never holds a secret.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct TlsConfig {
    /// The server's certificate and those between it and its authority, in PEM; unset serves without TLS.
    pub certificate: Option<PathBuf>,
    /// The private key of the certificate, in PEM.
    pub key: Option<PathBuf>,
    /// How often it is looked whether the files have changed; 1 s to 1 h.
    pub reload_interval: Period,
}

impl Default for TlsConfig {
    fn default() -> Self {
        Self { certificate: None, key: None, reload_interval: Period::seconds(10) }
    }
}

impl TlsConfig {
    /// Whether connections are secured.
    pub fn is_on(&self) -> bool {
        self.certificate.is_some()
    }

    pub(super) fn check(&self, problems: &mut Problems) {
        match (&self.certificate, &self.key) {
            (Some(_), None) => {
                problems.add("tls.certificate is set and tls.key is not; name the file of its private key");
            }
            (None, Some(_)) => {
                problems.add("tls.key is set and tls.certificate is not; name the file of the certificate");
            }
            _ => {}
        }
        problems.range("tls.reload_interval", self.reload_interval, Period::seconds(1)..=Period::seconds(3_600));
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn certificate_and_key_go_together_and_reloading_has_bounds() {
        let file = || Some(PathBuf::from("f.pem"));
        let problems = |certificate: Option<PathBuf>, key: Option<PathBuf>, seconds| {
            let mut problems = Problems::default();
            TlsConfig { certificate, key, reload_interval: Period::seconds(seconds) }.check(&mut problems);
            problems.0.len()
        };
        assert_eq!((problems(None, None, 1), problems(file(), file(), 3_600)), (0, 0));
        assert_eq!((problems(file(), None, 10), problems(None, file(), 10)), (1, 1));
        assert_eq!((problems(None, None, 0), problems(None, None, 3_601)), (1, 1));
    }
}
