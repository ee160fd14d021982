//! The key that calls send: from `--token-file`, else `KIMBERLY_TOKEN`, else the file of the account that runs the
//! service. Never from an argument, which other accounts can read.

use std::fmt;
use std::net::{IpAddr, Ipv4Addr, SocketAddr};
use std::path::{Path, PathBuf};

use kimberly_crypto::{KeySources, read_private};
use kimberly_runtime::Config;
use kimberly_runtime::config::Environment;
use tonic::codegen::http::Uri;

use crate::error::{CliError, CliResult};

const VARIABLE: &str = "KIMBERLY_TOKEN";
/// Name of the account's file, in its folder of keys.
const FILE: &str = "admin.token";

/// A key and its origin.
pub(crate) struct Token {
    pub(crate) text: String,
    pub(crate) from: Origin,
}

/// The origin of a key.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Origin {
    File(PathBuf),
    Variable,
}

impl fmt::Display for Origin {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::File(path) => write!(f, "{}", path.display()),
            Self::Variable => f.write_str(VARIABLE),
        }
    }
}

impl Token {
    /// The key for a server, if any.
    pub(crate) fn find(file: Option<&Path>, server: &str) -> CliResult<Option<Self>> {
        if let Some(path) = file {
            let bytes = read_private(path).map_err(|error| CliError::usage(error.to_string()))?;
            let bytes = bytes.ok_or_else(|| CliError::usage(format!("there is no file {}", path.display())))?;
            return read(&bytes, Origin::File(path.to_owned())).map(Some);
        }
        let env = Environment::of_process();
        if let Some(text) = env.get(VARIABLE) {
            return read(text.as_bytes(), Origin::Variable).map(Some);
        }
        of_account(&env, server)
    }

    /// Refuses to send a key unencrypted over a network.
    pub(crate) fn refuse_other_hosts(&self, server: &str) -> CliResult {
        let uri: Uri = server.parse().unwrap_or_default();
        if uri.scheme_str() == Some("http") && !is_on_loopback(server) {
            return Err(CliError::usage(format!(
                "the key in {} would be sent unencrypted to {server}; use https://, or loopback, such as through SSH",
                self.from
            )));
        }
        Ok(())
    }
}

fn read(bytes: &[u8], from: Origin) -> CliResult<Token> {
    let text = std::str::from_utf8(bytes).unwrap_or_default().trim().to_owned();
    if text.is_empty() {
        return Err(CliError::usage(format!("{from} contains no key; `kimberly keys create` creates one")));
    }
    Ok(Token { text, from })
}

/// The account's key, only for the server of the local configuration: no other server knows it.
fn of_account(env: &Environment, server: &str) -> CliResult<Option<Token>> {
    let Ok(loaded) = Config::load(None, env) else { return Ok(None) };
    let config = loaded.config;
    if !is_served_at(server, config.api.listen) {
        return Ok(None);
    }
    let Some(path) = file_of_account(&config) else { return Ok(None) };
    match read_private(&path).map_err(|error| CliError::failed(error.to_string()))? {
        Some(bytes) => read(&bytes, Origin::File(path)).map(Some),
        None => Ok(None),
    }
}

/// The path of the account's key; the file may be missing. `None` before the first start, if the configuration does not
/// name its folder.
pub(crate) fn file_of_account(config: &Config) -> Option<PathBuf> {
    let sources = KeySources { folder: config.keys.folder.clone(), ..KeySources::default() };
    Some(sources.account_folder(&config.data_dir, false).ok()??.join(FILE))
}

/// Whether a server is on this machine.
pub(crate) fn is_on_loopback(server: &str) -> bool {
    let uri: Uri = server.parse().unwrap_or_default();
    let host = uri.host().unwrap_or_default().trim_matches(['[', ']']);
    host == "localhost" || host.parse::<IpAddr>().is_ok_and(|ip| ip.is_loopback())
}

/// Whether a server's URL reaches what listens on `listen` on this machine.
pub(crate) fn is_served_at(server: &str, listen: SocketAddr) -> bool {
    let Ok(uri) = server.parse::<Uri>() else { return false };
    let host = uri.host().unwrap_or_default().trim_matches(['[', ']']);
    let ip = if host == "localhost" { Some(Ipv4Addr::LOCALHOST.into()) } else { host.parse::<IpAddr>().ok() };
    let everywhere = listen.ip().is_unspecified() || listen.ip().is_loopback();
    uri.port_u16() == Some(listen.port()) && ip.is_some_and(|ip| ip == listen.ip() || everywhere && ip.is_loopback())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_key_of_the_account_goes_to_its_own_server_alone() {
        let at = |server: &str, listen: &str| is_served_at(server, listen.parse().unwrap());
        for server in ["http://127.0.0.1:7420", "http://localhost:7420", "https://[::1]:7420"] {
            assert!(at(server, "127.0.0.1:7420") && at(server, "0.0.0.0:7420"), "{server}");
        }
        assert!(at("https://10.0.0.1:7420", "10.0.0.1:7420"));
        for other in
            ["http://127.0.0.1:7421", "https://10.0.0.2:7420", "https://example.com:7420", "https://localhost", "x"]
        {
            assert!(!at(other, "0.0.0.0:7420") && !at(other, "10.0.0.1:7420"), "{other}");
        }
        assert!(!at("http://127.0.0.1:7420", "10.0.0.1:7420"));
    }

    #[test]
    fn a_key_goes_to_other_machines_only_under_tls() {
        let token = Token { text: "kmb_x".to_owned(), from: Origin::Variable };
        for good in ["http://127.0.0.1:7420", "http://[::1]:7420", "http://localhost:1", "https://memory.example.com"] {
            assert!(token.refuse_other_hosts(good).is_ok(), "{good}");
        }
        for bad in ["http://memory.example.com", "http://192.168.1.5:7420", "http://127.0.0.1.example.com:1"] {
            let refused = token.refuse_other_hosts(bad).unwrap_err();
            assert!(refused.message().contains("unencrypted") && !refused.message().contains("kmb_x"), "{bad}");
        }
    }

    #[test]
    fn an_empty_source_is_refused() {
        assert_eq!(read(b" kmb_x\n", Origin::Variable).unwrap().text, "kmb_x");
        for empty in [&b""[..], b" \n", b"\xff"] {
            assert!(read(empty, Origin::Variable).is_err());
        }
    }
}
