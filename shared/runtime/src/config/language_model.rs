//! `[language_model]`: a model that helps to read conversations, on this machine or a private network.

use std::net::IpAddr;
use std::path::PathBuf;

use serde::{Deserialize, Serialize};

use super::alerts::is_private;
use super::loopback::is_this_machine;
use super::{Period, Problems};

/// A language model behind an endpoint that speaks OpenAI's protocol, such as Ollama's, llama.cpp's or vLLM's.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct LanguageModelConfig {
    /// Base URL, such as `http://127.0.0.1:11434/v1`, on this machine or a private network, or with a host in
    /// `allowed_hosts`. Unset: no model is used.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub url: Option<String>,
    /// The model's name at the endpoint.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub model: Option<String>,
    /// File with the endpoint's API key, if it requires one.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub key_file: Option<PathBuf>,
    /// Timeout of an answer; 1 s to 10 m.
    pub timeout: Period,
    /// Timeout of an answer during recall, where each query may ask for two; 100 ms to 1 m.
    pub recall_timeout: Period,
    /// Concurrent calls per process; 1 to 64.
    pub concurrency: usize,
    /// Calls per user, day (UTC) and process, counted separately for recall; 1 to 1,000,000.
    pub calls_per_user_and_day: u32,
    /// Hosts that texts may be sent to besides this machine and private addresses.
    pub allowed_hosts: Vec<String>,
}

impl Default for LanguageModelConfig {
    fn default() -> Self {
        Self {
            url: None,
            model: None,
            key_file: None,
            timeout: Period::seconds(30),
            recall_timeout: Period::seconds(3),
            concurrency: 2,
            calls_per_user_and_day: 2_000,
            allowed_hosts: Vec::new(),
        }
    }
}

impl LanguageModelConfig {
    pub(super) fn check(&self, problems: &mut Problems) {
        problems.range("language_model.timeout", self.timeout, Period::seconds(1)..=Period::seconds(600));
        problems.range("language_model.recall_timeout", self.recall_timeout, Period::millis(100)..=Period::seconds(60));
        problems.range("language_model.concurrency", self.concurrency, 1..=64);
        problems.range("language_model.calls_per_user_and_day", self.calls_per_user_and_day, 1..=1_000_000);
        let Some(url) = &self.url else { return };
        if self.model.as_ref().is_none_or(String::is_empty) {
            problems.add("language_model.model is not set; name a model of the endpoint");
        }
        match host(url) {
            None => problems.add(format!(
                "language_model.url is {url:?}; write http://HOST:PORT/v1 or https://HOST/v1, without a user and a query"
            )),
            Some(host) if !self.may_reach(host) => problems.add(format!(
                "language_model.url is {url:?}, neither on this machine nor a private address; to send texts of users there, \
                 add {host:?} to language_model.allowed_hosts"
            )),
            Some(_) => {}
        }
    }

    fn may_reach(&self, host: &str) -> bool {
        let is_near = is_this_machine(host) || host.parse::<IpAddr>().is_ok_and(is_private);
        is_near || self.allowed_hosts.iter().any(|allowed| allowed.eq_ignore_ascii_case(host))
    }
}

/// Returns the host of a URL, without brackets and port; `None` if the URL is unsupported.
fn host(url: &str) -> Option<&str> {
    let rest = url.strip_prefix("http://").or_else(|| url.strip_prefix("https://"))?;
    if !rest.bytes().all(|byte| byte.is_ascii_graphic()) || rest.contains(['@', '?', '#']) {
        return None;
    }
    let authority = rest.split('/').next()?;
    let (host, port) = match authority.strip_prefix('[') {
        Some(v6) => v6.split_once(']').map(|(host, rest)| (host, rest.strip_prefix(':')))?,
        None => authority.rsplit_once(':').map_or((authority, None), |(host, port)| (host, Some(port))),
    };
    let has_port = port.is_none_or(|port| port.parse::<u16>().is_ok());
    (has_port && !host.is_empty()).then_some(host)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn problems(url: &str, allowed: &[&str]) -> bool {
        let mut problems = Problems::default();
        let config = LanguageModelConfig {
            url: Some(url.to_owned()),
            model: Some("m".to_owned()),
            allowed_hosts: allowed.iter().map(|&host| host.to_owned()).collect(),
            ..LanguageModelConfig::default()
        };
        config.check(&mut problems);
        problems.into_result().is_err()
    }

    #[test]
    fn texts_stay_on_this_machine_and_private_networks_unless_a_host_is_named() {
        for good in
            ["http://127.0.0.1:11434/v1", "http://localhost:8080/v1", "http://[::1]:1/v1", "https://10.0.0.7/v1"]
        {
            assert!(!problems(good, &[]), "{good}");
        }
        for bad in [
            "https://api.example.com/v1",
            "http://8.8.8.8/v1",
            "ftp://127.0.0.1/",
            "http://a@127.0.0.1/v1",
            "http://",
            "http://127.0.0.1:x/v1",
        ] {
            assert!(problems(bad, &[]), "{bad}");
        }
        assert!(!problems("https://api.example.com/v1", &["api.example.com"]));
        assert!(problems("https://api.example.com.evil.org/v1", &["api.example.com"]));
    }
}
