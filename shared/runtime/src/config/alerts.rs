//! `[alerts]`: what is reported to operators without Prometheus, and where.

use std::net::{IpAddr, SocketAddr};

use serde::{Deserialize, Serialize};

use super::Problems;

/// Alerts that the worker checks for.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct AlertsConfig {
    /// Share of a quota above which a user's tier is reported; 0.1 to 10.
    pub quota_share: f64,
    /// URL to which alerts are posted as JSON when raised and cleared, such as `http://127.0.0.1:9000/alerts`. Must be
    /// an IP address of this machine or a private network, not a name. Unset: alerts are not posted.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub webhook: Option<String>,
}

impl Default for AlertsConfig {
    fn default() -> Self {
        Self { quota_share: 1.1, webhook: None }
    }
}

impl AlertsConfig {
    pub(super) fn check(&self, problems: &mut Problems) {
        problems.range("alerts.quota_share", self.quota_share, 0.1..=10.0);
        if let (Some(named), None) = (&self.webhook, self.webhook_address()) {
            problems.add(format!(
                "alerts.webhook is {named:?}; write http://ADDRESS:PORT/PATH with a loopback or private address, as nothing is \
                 sent to public ones"
            ));
        }
    }

    /// The webhook's address and path, if it is configured and valid.
    pub fn webhook_address(&self) -> Option<(SocketAddr, String)> {
        let rest = self.webhook.as_deref()?.strip_prefix("http://")?;
        let (host, path) = rest.split_once('/').unwrap_or((rest, ""));
        let address: SocketAddr = host.parse().ok().filter(|address: &SocketAddr| is_private(address.ip()))?;
        let printable = path.len() <= 1_024 && path.bytes().all(|byte| byte.is_ascii_graphic());
        printable.then(|| (address, format!("/{path}")))
    }
}

/// Whether an address belongs to this machine or a private network.
pub(super) fn is_private(address: IpAddr) -> bool {
    match address {
        IpAddr::V4(v4) => v4.is_loopback() || v4.is_private(),
        IpAddr::V6(v6) => v6.is_loopback() || v6.is_unique_local(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn taken(webhook: &str) -> bool {
        AlertsConfig { webhook: Some(webhook.to_owned()), ..AlertsConfig::default() }.webhook_address().is_some()
    }

    #[test]
    fn a_webhook_is_on_this_machine_or_a_private_network() {
        for good in [
            "http://127.0.0.1:9/x",
            "http://10.1.2.3:80",
            "http://192.168.1.1:1/a?b=c",
            "http://[::1]:9/",
            "http://[fd00::1]:9",
        ] {
            assert!(taken(good), "{good}");
        }
        let bad = [
            "http://8.8.8.8:80/",
            "https://127.0.0.1:9/",
            "http://example.org:80/",
            "http://127.0.0.1/",
            "http://[2001:db8::1]:9/",
            "http://127.0.0.1:9/a b",
            "http://0.0.0.0:9/",
            "http://user@127.0.0.1:9/",
        ];
        for bad in bad {
            assert!(!taken(bad), "{bad}");
        }
    }
}
