//! Parses the address of a database as libpq does: a URL or pairs of keyword and value, for one or more servers of
//! which one accepts writes. Errors contain no value that may hold a password.

use super::pairs;
use super::server::Server;

/// Parameters of libpq that are passed on to the connection.
const TAKEN: [&str; 12] = [
    "sslmode",
    "ssl-mode",
    "sslrootcert",
    "ssl-root-cert",
    "ssl-ca",
    "sslcert",
    "ssl-cert",
    "sslkey",
    "ssl-key",
    "application_name",
    "options",
    "statement-cache-capacity",
];
/// Accepted parameters without effect: Kimberly has its own settings for them, or always does what they ask.
const WITHOUT_EFFECT: [&str; 11] = [
    "connect_timeout",
    "keepalives",
    "keepalives_idle",
    "keepalives_interval",
    "keepalives_count",
    "tcp_user_timeout",
    "client_encoding",
    "fallback_application_name",
    "gssencmode",
    "sslcompression",
    "sslsni",
];
/// Parameters of libpq that are accepted only with the value that describes Kimberly's behaviour.
const AS_IT_IS: [(&str, &[&str]); 2] =
    [("channel_binding", &["prefer", "disable"]), ("load_balance_hosts", &["disable"])];
const SSL_MODES: [&str; 6] = ["disable", "allow", "prefer", "require", "verify-ca", "verify-full"];
/// More servers than any real cluster of primary and followers has.
const MOST_SERVERS: usize = 16;

/// The servers of a database and the connection parameters.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Address {
    /// The servers in the order to try; at least one.
    pub servers: Vec<Server>,
    /// Whether to skip servers whose transactions are read-only by default. Followers are always skipped.
    pub read_write: bool,
    /// Role, password, database and all other parameters, the same for every server.
    parameters: Vec<(String, String)>,
}

/// Comma-separated lists, which are combined after everything is parsed.
#[derive(Default)]
struct Lists {
    hosts: Option<String>,
    addresses: Option<String>,
    ports: Option<String>,
}

impl Address {
    /// Parses a text. The error continues a sentence that names the address.
    pub(super) fn parse(text: &str) -> Result<Self, String> {
        let mut address = Self::default();
        let mut lists = Lists::default();
        let parameters = match super::behind_scheme(text) {
            Some(rest) => pairs::of_url(rest, &mut address.servers)?,
            None => pairs::of_words(text)?,
        };
        let may_be_quoted = !parameters.iter().any(|(key, _)| key == "password");
        for (key, value) in parameters {
            address.take(key, value, &mut lists, may_be_quoted)?;
        }
        lists.put_into(&mut address.servers)?;
        if address.servers.is_empty() {
            address.servers.push(Server::default());
        }
        if address.servers.len() > MOST_SERVERS {
            return Err(format!("names {} servers; at most {MOST_SERVERS} are tried", address.servers.len()));
        }
        Ok(address)
    }

    fn take(&mut self, key: String, value: String, lists: &mut Lists, may_be_quoted: bool) -> Result<(), String> {
        match key.as_str() {
            "host" => lists.hosts = Some(value),
            "hostaddr" => lists.addresses = Some(value),
            "port" => lists.ports = Some(value),
            "target_session_attrs" => self.read_write = writes(&value)?,
            "sslmode" | "ssl-mode" if !SSL_MODES.contains(&value.as_str()) => {
                return Err(format!("has an unknown {key}; one of {} is allowed", SSL_MODES.join(", ")));
            }
            "user" | "password" | "dbname" => self.set(key, value),
            _ if TAKEN.contains(&key.as_str()) || key.starts_with("options[") => self.set(key, value),
            _ if WITHOUT_EFFECT.contains(&key.as_str()) => {}
            _ => {
                return match AS_IT_IS.iter().find(|(known, _)| *known == key) {
                    Some((_, allowed)) if allowed.contains(&value.as_str()) => Ok(()),
                    _ => Err(unknown(&key, may_be_quoted)),
                };
            }
        }
        Ok(())
    }

    /// Sets a parameter; the last value wins, except that options accumulate.
    fn set(&mut self, key: String, value: String) {
        if !key.starts_with("options") {
            self.parameters.retain(|(known, _)| *known != key);
        }
        self.parameters.push((key, value));
    }

    /// Returns the value of a connection parameter.
    pub fn parameter(&self, name: &str) -> Option<&str> {
        self.parameters.iter().find(|(key, _)| key == name).map(|(_, value)| value.as_str())
    }

    /// The servers and the database, without role and password.
    pub(super) fn shown(&self) -> String {
        let servers: Vec<String> = self.servers.iter().map(Server::shown).collect();
        format!("postgres://{}/{}", servers.join(","), self.parameter("dbname").unwrap_or_default())
    }

    /// For each server its name without secrets, and a connection address with them.
    pub fn each(&self) -> Vec<(String, String)> {
        let of = |server: &Server| {
            let port = server.port.map(|port| port.to_string());
            let host = Some(server.host.as_str()).filter(|host| !host.is_empty());
            let own = [("host", host), ("port", port.as_deref())];
            let own = own.into_iter().filter_map(|(key, value)| Some((key, value?)));
            let all = own.chain(self.parameters.iter().map(|(key, value)| (key.as_str(), value.as_str())));
            let all: Vec<String> =
                all.map(|(key, value)| format!("{}={}", pairs::encode(key), pairs::encode(value))).collect();
            (server.to_string(), format!("postgres:///?{}", all.join("&")))
        };
        self.servers.iter().map(of).collect()
    }
}

impl Lists {
    fn put_into(self, servers: &mut Vec<Server>) -> Result<(), String> {
        // `hostaddr` takes precedence over `host`.
        if let Some(hosts) = self.addresses.or(self.hosts) {
            let ports: Vec<Option<u16>> = servers.iter().map(|server| server.port).collect();
            *servers = hosts.split(',').map(|host| Server { host: host.trim().to_owned(), port: None }).collect();
            if self.ports.is_none() && ports.len() == servers.len() {
                servers.iter_mut().zip(ports).for_each(|(server, port)| server.port = port);
            }
        }
        let Some(ports) = self.ports else { return Ok(()) };
        if servers.is_empty() {
            servers.push(Server::default());
        }
        let ports: Vec<Option<u16>> =
            ports.split(',').map(|text| pairs::port(text.trim())).collect::<Result<_, _>>()?;
        if ports.len() != 1 && ports.len() != servers.len() {
            return Err(format!(
                "names {} servers and {} ports; give one port for all, or one for each",
                servers.len(),
                ports.len()
            ));
        }
        servers.iter_mut().zip(ports.iter().cycle()).for_each(|(server, port)| server.port = *port);
        Ok(())
    }
}

/// Reports whether servers that are read-only by default must be skipped. Refuses modes that select followers, since
/// Kimberly always writes.
fn writes(wanted: &str) -> Result<bool, String> {
    match wanted {
        "any" | "primary" => Ok(false),
        "read-write" => Ok(true),
        "read-only" | "standby" | "prefer-standby" => Err(format!(
            "requests a read-only server (target_session_attrs={wanted}), but Kimberly writes; read-write, primary or \
             any is allowed"
        )),
        _ => Err("has an unknown target_session_attrs; read-write, primary or any is allowed".to_owned()),
    }
}

fn unknown(key: &str, may_be_quoted: bool) -> String {
    let is_a_name = (1..=32).contains(&key.len()) && key.chars().all(|c| c.is_ascii_lowercase() || c == '_');
    if may_be_quoted && is_a_name {
        format!(
            "has a parameter or value that Kimberly does not support: {key}; docs/postgres.md lists those that it does"
        )
    } else {
        "has a parameter that Kimberly does not support; docs/postgres.md lists the supported ones; write & in a \
         password as %26"
            .to_owned()
    }
}
