//! Where the api may listen: other machines may reach it only with authentication and encryption.

use std::net::{IpAddr, SocketAddr};

use super::alerts::is_private;
use super::{AuthMode, Config};

impl Config {
    /// Returns why this configuration must not serve on an address and what to do, or `None` if it may. Only this
    /// machine reaches loopback addresses; all others require credentials and TLS. Mandatory client certificates count
    /// as credentials: unregistered ones are refused in every mode.
    pub fn reach_problem(&self, address: SocketAddr) -> Option<String> {
        let missing: Vec<&str> = [
            (self.auth.mode != AuthMode::Required && !self.tls.requires_clients()).then_some(
                "auth.mode = \"required\" (`kimberly keys create NAME --for USER --can read,write` creates keys for \
                 callers)",
            ),
            (!self.tls.is_on() && !self.stays_in_container(address))
                .then_some("tls.certificate and tls.key (files in PEM; callers then connect to https://)"),
        ]
        .into_iter()
        .flatten()
        .collect();
        if address.ip().is_loopback() || missing.is_empty() {
            return None;
        }
        Some(format!(
            "api.listen is {address}, which other machines can reach, so set {} too, or use a loopback address such as \
             127.0.0.1:{}",
            missing.join(" and "),
            address.port()
        ))
    }

    /// Whether an address is that of a container for which the operator names no public host.
    fn stays_in_container(&self, address: SocketAddr) -> bool {
        self.api.container
            && address.ip().is_unspecified()
            && !self.api.allowed_hosts.iter().any(|host| is_public(host))
    }
}

/// Whether a host is neither this machine, nor in a private network, nor a name without a domain, such as a service of
/// a composition.
fn is_public(host: &str) -> bool {
    host.trim_matches(['[', ']']).parse::<IpAddr>().map_or_else(|_| host.contains('.'), |ip| !is_private(ip))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::config::{ApiConfig, AuthConfig, ClientAuth, TlsConfig};

    #[test]
    fn other_machines_are_served_only_with_credentials_and_tls_and_the_refusal_says_what_is_missing() {
        let config = |mode, certificate: Option<&str>| Config {
            auth: AuthConfig { mode, ..AuthConfig::default() },
            tls: TlsConfig { certificate: certificate.map(Into::into), ..TlsConfig::default() },
            ..Config::default()
        };
        let (open, required) = (AuthMode::Open, AuthMode::Required);
        for address in ["0.0.0.0:7420", "192.168.1.5:7420", "[::]:7420", "[2001:db8::1]:7420"] {
            let problem = |mode, certificate| config(mode, certificate).reach_problem(address.parse().unwrap());
            for (mode, certificate, auth, tls) in
                [(open, None, true, true), (open, Some("c"), true, false), (required, None, false, true)]
            {
                let said = problem(mode, certificate).unwrap();
                assert!(said.contains(address) && said.contains("127.0.0.1:7420"), "{said}");
                assert_eq!((said.contains("auth.mode"), said.contains("tls.certificate")), (auth, tls), "{said}");
                assert_eq!(said.contains("kimberly keys create"), auth, "{said}");
            }
            assert_eq!(problem(required, Some("c")), None);
        }
        let mut certified = config(open, Some("c"));
        certified.tls.client_ca = Some("ca".into());
        let at = "0.0.0.0:7420".parse().unwrap();
        assert!(certified.reach_problem(at).is_some(), "optional certificates are not enough");
        certified.tls.client_auth = ClientAuth::Required;
        assert_eq!(certified.reach_problem(at), None);
        for loopback in ["127.0.0.1:1", "127.8.0.1:1", "[::1]:1"] {
            assert_eq!(config(open, None).reach_problem(loopback.parse().unwrap()), None);
        }
    }

    #[test]
    fn a_container_needs_keys_and_tls_only_where_a_public_host_is_named() {
        let problem = |mode, listen: &str, hosts: &[&str]| {
            let allowed_hosts = hosts.iter().map(|&host| host.to_owned()).collect();
            let config = Config {
                auth: AuthConfig { mode, ..AuthConfig::default() },
                api: ApiConfig { container: true, allowed_hosts, ..ApiConfig::default() },
                ..Config::default()
            };
            config.reach_problem(listen.parse().unwrap()).unwrap_or_default()
        };
        let (open, required) = (AuthMode::Open, AuthMode::Required);
        for inside in [&[][..], &["kimberly"], &["10.0.0.7", "[fd00::7]", "192.168.1.5"]] {
            for all in ["0.0.0.0:7420", "[::]:7420"] {
                assert_eq!(problem(required, all, inside), "", "{inside:?}");
                let said = problem(open, all, inside);
                assert!(said.contains("auth.mode") && !said.contains("tls.certificate"), "{said}");
            }
        }
        for public in ["memory.example.com", "203.0.113.7", "[2001:db8::1]"] {
            assert!(problem(required, "0.0.0.0:7420", &["kimberly", public]).contains("tls.certificate"), "{public}");
        }
        assert!(problem(required, "203.0.113.7:7420", &[]).contains("tls.certificate"), "an address of its own");
    }
}
