//! The address of a database, taken apart as libpq does: a URL or pairs of keyword and value, of one server or several, of which
//! one can write. Errors name no value that may hold a password.

use super::pairs;

/// Parameters of libpq that lead to and into a server, as the connection takes them.
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
/// Those that change nothing here: Kimberly has settings of its own, or does what they ask anyway.
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
/// Parameters of libpq of which one value is what is done here.
const AS_IT_IS: [(&str, &[&str]); 2] =
    [("channel_binding", &["prefer", "disable"]), ("load_balance_hosts", &["disable"])];
const SSL_MODES: [&str; 6] = ["disable", "allow", "prefer", "require", "verify-ca", "verify-full"];
/// More servers than anybody has followers.
const MOST_SERVERS: usize = 16;

/// Where a database is, and how one gets in.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Address {
    /// The servers, in the order in which they are tried; at least one.
    pub servers: Vec<Server>,
    /// Whether a server whose transactions only read by default is passed over, beside those that follow another one.
    pub read_write: bool,
    /// Role, password, database and all else, for each server alike.
    parameters: Vec<(String, String)>,
}

/// Where a server listens.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Server {
    /// Its name or address, or the folder of its socket; empty for the default of libpq.
    pub host: String,
    /// Its port, if given.
    pub port: Option<u16>,
}

/// Lists separated by commas, and are put together once all is read.
#[derive(Default)]
struct Lists {
    hosts: Option<String>,
    addresses: Option<String>,
    ports: Option<String>,
}

impl Address {
    /// Of a text. What is wrong goes on the sentence that names it.
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

    /// The last one counts, but options add up.
    fn set(&mut self, key: String, value: String) {
        if !key.starts_with("options") {
            self.parameters.retain(|(known, _)| *known != key);
        }
        self.parameters.push((key, value));
    }

    /// The value of a parameter that says how a server is reached.
    pub fn parameter(&self, name: &str) -> Option<&str> {
        self.parameters.iter().find(|(key, _)| key == name).map(|(_, value)| value.as_str())
    }

    /// The servers and the database, without who asks it.
    pub(super) fn shown(&self) -> String {
        let servers: Vec<String> = self.servers.iter().map(Server::shown).collect();
        format!("postgres://{}/{}", servers.join(","), self.parameter("dbname").unwrap_or_default())
    }

    /// For each server its name without secrets, and its own address with them.
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

impl Server {
    /// Whether it is reached by a socket of this machine.
    pub fn is_socket(&self) -> bool {
        self.host.is_empty() || self.host.starts_with(['/', '@'])
    }

    /// As an address shows it; a socket is left out.
    fn shown(&self) -> String {
        if self.is_socket() { String::new() } else { self.to_string() }
    }
}

impl std::fmt::Display for Server {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self.host.as_str() {
            "" => f.write_str("a socket of this machine")?,
            six if six.contains(':') => write!(f, "[{six}]")?,
            host => f.write_str(host)?,
        }
        self.port.map_or(Ok(()), |port| write!(f, ":{port}"))
    }
}

impl Lists {
    fn put_into(self, servers: &mut Vec<Server>) -> Result<(), String> {
        // An address in the place of a name is where one connects.
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

/// Whether a server that only reads by default is passed over. One that follows another is of no use: everything writes.
fn writes(wanted: &str) -> Result<bool, String> {
    match wanted {
        "any" | "primary" => Ok(false),
        "read-write" => Ok(true),
        "read-only" | "standby" | "prefer-standby" => Err(format!(
            "asks for a server that does not write (target_session_attrs={wanted}), and Kimberly writes; read-write, primary or \
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
        "has a parameter that Kimberly does not support; docs/postgres.md lists those that it does, and & in a password is \
         written %26"
            .to_owned()
    }
}
