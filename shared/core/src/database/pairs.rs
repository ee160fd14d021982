//! Parsers for libpq's two address formats: a URL, and pairs of keyword and value. No error quotes the input.

use super::server::Server;

/// Pairs of keyword and value.
type Pairs = Vec<(String, String)>;

/// Parses the part of a URL after its scheme; adds the servers named before the path to `servers`.
pub(super) fn of_url(rest: &str, servers: &mut Vec<Server>) -> Result<Pairs, String> {
    let (before, query) = rest.split_once('?').unwrap_or((rest, ""));
    let (authority, database) = before.split_once('/').unwrap_or((before, ""));
    if database.contains(['/', '@']) {
        return Err("cannot be parsed; write / or @ in a password as %2F or %40".to_owned());
    }
    let mut pairs = Pairs::new();
    let hosts = match authority.rsplit_once('@') {
        Some((who, hosts)) => {
            let (user, password) = who.split_once(':').map_or((who, None), |(user, password)| (user, Some(password)));
            add(&mut pairs, "user", user)?;
            add(&mut pairs, "password", password.unwrap_or_default())?;
            hosts
        }
        None => authority,
    };
    if !hosts.is_empty() {
        *servers = hosts.split(',').map(server).collect::<Result<_, _>>()?;
    }
    add(&mut pairs, "dbname", database)?;
    for pair in query.split('&').filter(|pair| !pair.is_empty()) {
        let (key, value) = pair.split_once('=').ok_or("has a parameter without a value")?;
        pairs.push((decode(key)?, decode(value)?));
    }
    Ok(pairs)
}

fn add(pairs: &mut Pairs, key: &str, value: &str) -> Result<(), String> {
    if !value.is_empty() {
        pairs.push((key.to_owned(), decode(value)?));
    }
    Ok(())
}

/// Parses `host`, `host:port` or `[address]:port`.
fn server(text: &str) -> Result<Server, String> {
    let (host, told) = match text.strip_prefix('[') {
        Some(six) => {
            let (host, behind) = six.split_once(']').ok_or("has a [ without its ]")?;
            (host, behind.strip_prefix(':').unwrap_or(behind))
        }
        None => text.split_once(':').unwrap_or((text, "")),
    };
    Ok(Server { host: decode(host)?, port: port(told)? })
}

/// Parses a port; `None` for an empty text.
pub(super) fn port(text: &str) -> Result<Option<u16>, String> {
    if text.is_empty() {
        return Ok(None);
    }
    let port = text.parse().ok().filter(|port| *port > 0);
    port.map(Some).ok_or_else(|| {
        "has an invalid port; 1 to 65535 is allowed; write : or / in a password as %3A or %2F".to_owned()
    })
}

/// Parses `keyword = value …`. A value may be in single quotes, with a backslash before literal characters.
pub(super) fn of_words(text: &str) -> Result<Pairs, String> {
    let mut pairs = Pairs::new();
    let mut rest = text.trim_start();
    while !rest.is_empty() {
        let (key, behind) = rest.split_once('=').ok_or_else(none)?;
        let key = key.trim_end();
        if key.is_empty() || key.contains(char::is_whitespace) {
            return Err(none());
        }
        let (value, behind) = word(behind.trim_start())?;
        pairs.push((key.to_owned(), value));
        rest = behind.trim_start();
    }
    if pairs.is_empty() { Err(none()) } else { Ok(pairs) }
}

fn none() -> String {
    "is not an address of Postgres; write one such as postgres://kimberly@db.example.com/kimberly".to_owned()
}

/// Parses a value; returns it and the rest.
fn word(text: &str) -> Result<(String, &str), String> {
    let (quoted, body) = text.strip_prefix('\'').map_or((false, text), |body| (true, body));
    let mut value = String::new();
    let mut chars = body.char_indices();
    while let Some((at, c)) = chars.next() {
        match c {
            '\\' => value.extend(chars.next().map(|(_, escaped)| escaped)),
            '\'' if quoted => return Ok((value, &body[at + 1..])),
            c if c.is_whitespace() && !quoted => return Ok((value, &body[at..])),
            c => value.push(c),
        }
    }
    if quoted { Err("has a quote without its end".to_owned()) } else { Ok((value, "")) }
}

/// Decodes percent-encoding.
fn decode(text: &str) -> Result<String, String> {
    let wrong = || "has a % without two hexadecimal digits; write % in a password as %25".to_owned();
    let mut bytes = Vec::with_capacity(text.len());
    let mut rest = text.bytes();
    while let Some(byte) = rest.next() {
        if byte != b'%' {
            bytes.push(byte);
            continue;
        }
        let mut digit =
            || rest.next().and_then(|digit| char::from(digit).to_digit(16)).and_then(|digit| u8::try_from(digit).ok());
        let (high, low) = (digit().ok_or_else(wrong)?, digit().ok_or_else(wrong)?);
        bytes.push(high * 16 + low);
    }
    String::from_utf8(bytes).map_err(|_| "is not UTF-8".to_owned())
}

/// Percent-encodes everything but letters and digits.
pub(super) fn encode(text: &str) -> String {
    let byte =
        |byte: u8| if byte.is_ascii_alphanumeric() { char::from(byte).to_string() } else { format!("%{byte:02X}") };
    text.bytes().map(byte).collect()
}
