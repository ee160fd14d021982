//! `[tls]`: the api's certificate, and client certificates.

use std::path::PathBuf;

use serde::{Deserialize, Serialize};

use super::{Period, Problems};

/// Whether clients must present a certificate.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum ClientAuth {
    /// A presented certificate is verified; without one, clients may use a key or token.
    #[default]
    Optional,
    /// Connections without a certificate are refused.
    Required,
}

/// TLS for callers. Names files and never holds a secret.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct TlsConfig {
    /// The server's certificate chain in PEM; unset serves without TLS.
    pub certificate: Option<PathBuf>,
    /// The private key of the certificate, in PEM.
    pub key: Option<PathBuf>,
    /// Certificates of the authorities that issue client certificates, in PEM; unset requests no client certificate.
    /// Rights of clients are registered with `kimberly keys create --certificate`.
    pub client_ca: Option<PathBuf>,
    /// Whether clients must present a certificate; requires `client_ca`.
    pub client_auth: ClientAuth,
    /// Certificate revocation lists of those authorities, in PEM; requires `client_ca`. A client is then refused if
    /// no list covers its certificate, or if the list has expired.
    pub client_crl: Option<PathBuf>,
    /// Poll interval for changes of the files; 1 s to 1 h.
    pub reload_interval: Period,
}

impl Default for TlsConfig {
    fn default() -> Self {
        Self {
            certificate: None,
            key: None,
            client_ca: None,
            client_auth: ClientAuth::Optional,
            client_crl: None,
            reload_interval: Period::seconds(10),
        }
    }
}

impl TlsConfig {
    /// Reports whether TLS is on.
    pub fn is_on(&self) -> bool {
        self.certificate.is_some()
    }

    /// Whether every connection requires a verified client certificate.
    pub fn requires_clients(&self) -> bool {
        self.is_on() && self.client_ca.is_some() && self.client_auth == ClientAuth::Required
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
        self.check_clients(problems);
        problems.range("tls.reload_interval", self.reload_interval, Period::seconds(1)..=Period::seconds(3_600));
    }

    fn check_clients(&self, problems: &mut Problems) {
        if self.client_ca.is_some() && self.certificate.is_none() {
            problems.add("tls.client_ca is set and tls.certificate is not; clients present certificates only over TLS");
        }
        if self.client_ca.is_none() && self.client_auth == ClientAuth::Required {
            problems
                .add("tls.client_auth is \"required\" and tls.client_ca is not set; name the file of the authorities");
        }
        if self.client_ca.is_none() && self.client_crl.is_some() {
            problems.add("tls.client_crl is set and tls.client_ca is not; name the file of the authorities");
        }
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
            let reload_interval = Period::seconds(seconds);
            TlsConfig { certificate, key, reload_interval, ..TlsConfig::default() }.check(&mut problems);
            problems.0.len()
        };
        assert_eq!((problems(None, None, 1), problems(file(), file(), 3_600)), (0, 0));
        assert_eq!((problems(file(), None, 10), problems(None, file(), 10)), (1, 1));
        assert_eq!((problems(None, None, 0), problems(None, None, 3_601)), (1, 1));
    }

    #[test]
    fn clients_take_an_authority_and_tls() {
        let file = || Some(PathBuf::from("f.pem"));
        let on = || TlsConfig { certificate: file(), key: file(), ..TlsConfig::default() };
        let problems = |config: TlsConfig| {
            let mut problems = Problems::default();
            config.check(&mut problems);
            problems.0.len()
        };
        let required = ClientAuth::Required;
        let whole = TlsConfig { client_ca: file(), client_auth: required, client_crl: file(), ..on() };
        assert!(
            whole.requires_clients()
                && !TlsConfig { client_auth: ClientAuth::Optional, ..whole.clone() }.requires_clients()
        );
        assert_eq!(problems(whole), 0);
        assert_eq!(problems(TlsConfig { client_ca: file(), ..TlsConfig::default() }), 1);
        assert_eq!(problems(TlsConfig { client_auth: required, ..on() }), 1);
        assert_eq!(problems(TlsConfig { client_crl: file(), ..on() }), 1);
    }
}
