//! Versions of the protocol. Clients of older ones agree on a version by `initialize`, and name it in a header.
//! From 2026-07-28 on, each request names its version and its client's capabilities itself, and repeats in headers what
//! proxies route by.

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use http::{HeaderMap, StatusCode};
use serde::Deserialize;
use serde_json::{Value, json};

use super::protocol::{
    self, ErrorData, HEADER_MISMATCH, INVALID_PARAMS, INVALID_REQUEST, JsonObject, METHOD_NOT_FOUND, Message, Reply,
    UNSUPPORTED_VERSION,
};

/// All versions, oldest first.
pub(super) const ALL: [&str; 5] = ["2024-11-05", "2025-03-26", "2025-06-18", "2025-11-25", MODERN];
/// The first version without `initialize`. Versions are dates, so that later ones are greater.
const MODERN: &str = "2026-07-28";
/// The last version with `initialize`.
const LAST_WITH_INITIALIZE: &str = "2025-11-25";

const VERSION_HEADER: &str = "MCP-Protocol-Version";
const METHOD_HEADER: &str = "Mcp-Method";
const NAME_HEADER: &str = "Mcp-Name";
/// The metadata that requests of version 2026-07-28 must have.
const VERSION_KEY: &str = "io.modelcontextprotocol/protocolVersion";
const CAPABILITIES_KEY: &str = "io.modelcontextprotocol/clientCapabilities";

/// Parameters of `initialize`.
#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
#[expect(dead_code, reason = "only the version matters, but all must be there")]
pub(super) struct Initialize {
    pub(super) protocol_version: String,
    capabilities: JsonObject,
    client_info: Client,
}

#[derive(Deserialize)]
#[expect(dead_code, reason = "must be there")]
struct Client {
    name: String,
    version: String,
}

/// Returns the version to agree on with a client that asks for one.
pub(super) fn agreed(asked: &str) -> &'static str {
    ALL.into_iter().find(|known| *known == asked && *known < MODERN).unwrap_or(LAST_WITH_INITIALIZE)
}

/// The version of a request.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct Terms {
    /// Whether it is 2026-07-28, which dropped `ping`, and requires more of results.
    pub(super) modern: bool,
    /// Whether the request itself names its version. If so, the HTTP status reflects errors.
    named: bool,
    /// Whether the request has the metadata that version 2026-07-28 requires.
    complete: bool,
}

impl Terms {
    /// Checks that the headers of a message agree with its body, and returns its version.
    pub(super) fn of(headers: &HeaderMap, message: &Message) -> Result<Self, Reply> {
        let (id, method, params) = match message {
            Message::Request { id, method, params } => (Some(id), method.as_str(), params),
            Message::Notification { method, params } => (None, method.as_str(), params),
            Message::Response => return known(headers).map(|()| Self::default()),
        };
        let asked = id.filter(|_| method == "initialize");
        let asked = asked.and_then(|_| protocol::read::<Initialize>(method, params).ok());
        let meta = id.and_then(|_| params.get("_meta")).unwrap_or(&Value::Null);
        let named = meta[VERSION_KEY].as_str();
        match &asked {
            Some(asked) => same(headers, &asked.protocol_version)
                .map_err(|problem| Reply::refused(id, INVALID_REQUEST, format!("Invalid Request: {problem}")))?,
            None if named.is_some() => text(headers).map(drop)?,
            None => known(headers)?,
        }
        repeated(headers, method, params, asked.is_some())
            .map_err(|problem| Reply::refused(id, HEADER_MISMATCH, problem))?;
        let keys = [(VERSION_KEY, named.is_some()), (CAPABILITIES_KEY, meta[CAPABILITIES_KEY].is_object())];
        let missing: Vec<_> = keys.iter().filter(|(_, given)| !given).map(|(key, _)| *key).collect();
        let modern = asked.is_none() && named.is_some_and(|version| version >= MODERN);
        let terms = Self { modern, named: named.is_some(), complete: missing.is_empty() };
        if let (Some(id), None) = (id, asked) {
            let header = text(headers)?;
            let required = modern || method == "server/discover" || header.is_some_and(|header| header >= MODERN);
            let missing = if required { missing.join(", ") } else { String::new() };
            metadata(header, named, &missing).map_err(|error| Reply::error(StatusCode::BAD_REQUEST, id, &error))?;
        }
        Ok(terms)
    }

    /// Returns the HTTP status of a request that failed.
    pub(super) fn status(self, code: i32) -> StatusCode {
        match code {
            METHOD_NOT_FOUND if self.named => StatusCode::NOT_FOUND,
            INVALID_PARAMS if self.named && !self.complete => StatusCode::BAD_REQUEST,
            _ => StatusCode::OK,
        }
    }
}

/// Checks the version that a request names, and that none of the metadata that it requires is missing.
fn metadata(header: Option<&str>, named: Option<&str>, missing: &str) -> Result<(), ErrorData> {
    let mismatch = |problem: String| Err(ErrorData::new(HEADER_MISMATCH, problem));
    match (header, named) {
        (None, Some(_)) => mismatch(format!("request _meta protocolVersion requires {VERSION_HEADER} header")),
        (Some(header), Some(named)) if header != named => mismatch(format!(
            "{VERSION_HEADER} header ({header}) does not match request _meta protocolVersion ({named})"
        )),
        (_, Some(named)) if !ALL.contains(&named) => {
            let data = Some(json!({"requested": named, "supported": ALL}));
            Err(ErrorData { data, ..ErrorData::new(UNSUPPORTED_VERSION, "Unsupported protocol version") })
        }
        _ if missing.is_empty() => Ok(()),
        _ => Err(ErrorData::invalid_params(format!(
            "request _meta is missing or has malformed required fields: {missing}"
        ))),
    }
}

/// Returns the version in the header, if there is one.
fn text(headers: &HeaderMap) -> Result<Option<&str>, Reply> {
    let text = headers.get(VERSION_HEADER).map(|value| value.to_str()).transpose();
    text.map_err(|_| bad(format!("Bad Request: Invalid {VERSION_HEADER} header encoding")))
}

/// Checks that the version in the header is known, if there is one.
fn known(headers: &HeaderMap) -> Result<(), Reply> {
    match text(headers)? {
        Some(other) if !ALL.contains(&other) => Err(bad(format!("Bad Request: Unsupported {VERSION_HEADER}: {other}"))),
        _ => Ok(()),
    }
}

fn bad(problem: String) -> Reply {
    Reply::Text(StatusCode::BAD_REQUEST, problem)
}

/// Checks that the version in the header, if there is one, is the one that `initialize` asks for.
fn same(headers: &HeaderMap, asked: &str) -> Result<(), String> {
    match headers.get(VERSION_HEADER).map(|value| value.to_str()) {
        Some(Err(_)) => Err(format!("{VERSION_HEADER} header is not valid UTF-8")),
        Some(Ok(header)) if header != asked => Err(format!(
            "{VERSION_HEADER} header ({header}) does not match initialize params.protocolVersion ({asked})"
        )),
        _ => Ok(()),
    }
}

/// Checks the headers that repeat parts of the body, by which proxies route. `initialize` may omit them.
fn repeated(headers: &HeaderMap, method: &str, params: &JsonObject, initializing: bool) -> Result<(), String> {
    let version = headers.get(VERSION_HEADER).and_then(|value| value.to_str().ok());
    if version.is_none_or(|version| version < MODERN) {
        return Ok(());
    }
    match single(headers, METHOD_HEADER)? {
        None if initializing => {}
        None => return Err(format!("missing required {METHOD_HEADER} header")),
        Some(other) if other != method => {
            return Err(format!("{METHOD_HEADER} header `{other}` does not match body method `{method}`"));
        }
        Some(_) => {}
    }
    let name = match method {
        "tools/call" | "prompts/get" => params.get("name"),
        "resources/read" => params.get("uri"),
        _ => None,
    };
    let Some(name) = name.and_then(Value::as_str) else { return Ok(()) };
    let header = single(headers, NAME_HEADER)?;
    let header = header.ok_or_else(|| format!("missing required {NAME_HEADER} header for `{method}`"))?;
    match decoded(header) {
        None => Err(format!("{NAME_HEADER} header is not valid Base64")),
        Some(other) if other != name => {
            Err(format!("{NAME_HEADER} header `{other}` does not match body value `{name}`"))
        }
        Some(_) => Ok(()),
    }
}

/// Returns the value of a header that must not be there twice.
fn single<'h>(headers: &'h HeaderMap, name: &str) -> Result<Option<&'h str>, String> {
    let mut values = headers.get_all(name).iter();
    let Some(value) = values.next() else { return Ok(None) };
    if values.next().is_some() {
        return Err(format!("duplicate {name} header"));
    }
    value.to_str().map(Some).map_err(|_| format!("{name} header contains invalid characters"))
}

/// Decodes a header, which is in Base64 between these marks if it could not be written otherwise.
fn decoded(header: &str) -> Option<String> {
    match header.strip_prefix("=?base64?").and_then(|rest| rest.strip_suffix("?=")) {
        Some(coded) => String::from_utf8(STANDARD.decode(coded).ok()?).ok(),
        None => Some(header.to_owned()),
    }
}

#[cfg(test)]
mod tests {
    use http::{HeaderName, HeaderValue};

    use super::*;

    /// Checks a request with headers. Returns the HTTP status and the code of its error, or its terms.
    fn checked(headers: &[(&str, &str)], method: &str, params: &Value) -> Result<Terms, (u16, Option<i64>)> {
        let header =
            |(name, value): &(&str, &str)| (name.parse::<HeaderName>().unwrap(), value.parse::<HeaderValue>().unwrap());
        let headers = headers.iter().map(header).collect();
        let message = json!({"jsonrpc": "2.0", "id": 1, "method": method, "params": params});
        Terms::of(&headers, &Message::read(message).unwrap()).map_err(|reply| match reply {
            Reply::Message(status, message) => (status.as_u16(), message["error"]["code"].as_i64()),
            Reply::Text(status, _) => (status.as_u16(), None),
            Reply::Nothing => (202, None),
        })
    }

    #[test]
    fn initialize_agrees_on_the_version_asked_for_or_the_last_that_has_it() {
        for (asked, agreed_on) in
            [("2024-11-05", "2024-11-05"), ("2025-06-18", "2025-06-18"), (MODERN, "2025-11-25"), ("x", "2025-11-25")]
        {
            assert_eq!(agreed(asked), agreed_on, "{asked}");
        }
        let asks = json!({"protocolVersion": MODERN, "capabilities": {}, "clientInfo": {"name": "t", "version": "1"}});
        assert!(checked(&[], "initialize", &asks).is_ok());
        assert!(checked(&[(VERSION_HEADER, MODERN)], "initialize", &asks).is_ok());
        let other = checked(&[(VERSION_HEADER, "2025-06-18")], "initialize", &asks);
        assert_eq!(other, Err((400, Some(-32_600))));
    }

    #[test]
    fn request_of_the_modern_version_names_it_in_body_and_headers() {
        let meta = json!({VERSION_KEY: MODERN, CAPABILITIES_KEY: {}});
        let (version, method) = ((VERSION_HEADER, MODERN), (METHOD_HEADER, "tools/call"));
        let call = json!({"name": "fête", "_meta": meta});
        let terms = checked(&[version, method, (NAME_HEADER, "=?base64?ZsOqdGU=?=")], "tools/call", &call).unwrap();
        assert!(terms.modern);
        assert_eq!(
            (terms.status(METHOD_NOT_FOUND), terms.status(INVALID_PARAMS)),
            (StatusCode::NOT_FOUND, StatusCode::OK)
        );
        let name = (NAME_HEADER, "recall");
        for headers in [
            &[][..],
            &[version],
            &[version, method],
            &[version, method, name],
            &[version, method, method, name],
            &[version, (METHOD_HEADER, "ping"), name],
            &[(VERSION_HEADER, "2025-06-18"), method, name],
        ] {
            assert_eq!(checked(headers, "tools/call", &call), Err((400, Some(-32_020))), "{headers:?}");
        }
    }

    #[test]
    fn metadata_is_required_of_the_modern_version_alone() {
        let (modern, listing) = ((VERSION_HEADER, MODERN), (METHOD_HEADER, "tools/list"));
        for meta in [json!({}), json!({VERSION_KEY: MODERN}), json!({VERSION_KEY: MODERN, CAPABILITIES_KEY: 7})] {
            let refused = checked(&[modern, listing], "tools/list", &json!({"_meta": meta}));
            assert_eq!(refused, Err((400, Some(-32_602))), "{meta}");
        }
        assert_eq!(checked(&[], "server/discover", &json!({})), Err((400, Some(-32_602))));
        for headers in [&[][..], &[(VERSION_HEADER, "2024-11-05")]] {
            assert_eq!(checked(headers, "tools/list", &json!({"_meta": {"other": 1}})), Ok(Terms::default()));
        }
    }

    #[test]
    fn unknown_versions_are_refused() {
        let unknown = (VERSION_HEADER, "1999-01-01");
        assert_eq!(checked(&[unknown], "tools/list", &json!({})), Err((400, None)));
        let named = json!({"_meta": {VERSION_KEY: "1999-01-01", CAPABILITIES_KEY: {}}});
        assert_eq!(checked(&[unknown], "tools/list", &named), Err((400, Some(-32_022))));
    }
}
