//! A model hub: the files of a model at one commit, and ranges of them.

use std::time::Duration;

use serde::Deserialize;
use ureq::http::{Response, StatusCode, Uri};
use ureq::{Agent, Body};

use crate::error::{CliError, CliResult};
use crate::token::is_on_loopback;

/// Timeout for connecting and for the start of a response; `download` limits pauses within a body.
const PATIENCE: Duration = Duration::from_secs(30);
/// Maximum size of a listing, in bytes.
const MAX_LISTING: u64 = 16 << 20;

/// A model on a hub.
pub(super) struct Hub {
    agent: Agent,
    address: String,
    id: String,
    revision: String,
    token: Option<String>,
}

/// A file of a model.
#[derive(Debug)]
pub(super) struct RemoteFile {
    /// Path within the model.
    pub(super) name: String,
    /// Size in bytes.
    pub(super) size: u64,
    /// The expected checksum.
    pub(super) checksum: Checksum,
}

/// A checksum as reported by the hub.
#[derive(Debug)]
pub(super) enum Checksum {
    /// SHA-256 of large files.
    Sha256(String),
    /// The git object id of small files.
    Git(String),
}

/// The files at one commit.
pub(super) struct Listing {
    pub(super) commit: String,
    pub(super) files: Vec<RemoteFile>,
}

#[derive(Deserialize)]
struct RawListing {
    sha: String,
    siblings: Vec<RawFile>,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct RawFile {
    rfilename: String,
    size: Option<u64>,
    blob_id: Option<String>,
    lfs: Option<RawLfs>,
}

#[derive(Deserialize)]
struct RawLfs {
    sha256: String,
    size: u64,
}

impl Hub {
    pub(super) fn new(address: &str, id: &str, revision: &str, token: Option<String>) -> CliResult<Self> {
        let private = is_private(address)?;
        let settings = Agent::config_builder()
            .timeout_connect(Some(PATIENCE))
            .timeout_recv_response(Some(PATIENCE))
            .http_status_as_error(false)
            .user_agent(concat!("kimberly/", env!("CARGO_PKG_VERSION")));
        Ok(Self {
            agent: settings.build().into(),
            address: address.trim_end_matches('/').to_owned(),
            id: id.to_owned(),
            revision: encoded(revision),
            // The token must not be readable by others on the way.
            token: token.filter(|_| private),
        })
    }

    /// Lists the files of the model.
    pub(super) fn list(&self) -> CliResult<Listing> {
        let url = format!("{}/api/models/{}/revision/{}?blobs=true", self.address, self.id, self.revision);
        let mut answer = self.get(&url, 0)?;
        self.refuse_unless(answer.status(), StatusCode::OK, &self.id)?;
        let text = answer.body_mut().with_config().limit(MAX_LISTING).read_to_vec();
        let text = text.map_err(|error| self.lost(&error))?;
        let raw: RawListing = serde_json::from_slice(&text).map_err(|error| {
            CliError::failed(format!("{} did not answer like a Hugging Face hub: {error}", self.address))
        })?;
        let files = raw.siblings.into_iter().filter_map(RawFile::known).collect();
        Ok(Listing { commit: raw.sha, files })
    }

    /// Requests a file's content from byte `from`; returns whether the response starts there.
    pub(super) fn open(&self, commit: &str, name: &str, from: u64) -> CliResult<(bool, Response<Body>)> {
        let url = format!("{}/{}/resolve/{}/{}", self.address, self.id, encoded(commit), encoded(name));
        let answer = self.get(&url, from)?;
        if answer.status() == StatusCode::PARTIAL_CONTENT {
            return Ok((true, answer));
        }
        self.refuse_unless(answer.status(), StatusCode::OK, name)?;
        Ok((false, answer))
    }

    fn get(&self, url: &str, from: u64) -> CliResult<Response<Body>> {
        let mut request = self.agent.get(url);
        if let Some(token) = &self.token {
            request = request.header("authorization", format!("Bearer {token}"));
        }
        if from > 0 {
            request = request.header("range", format!("bytes={from}-"));
        }
        request.call().map_err(|error| self.lost(&error))
    }

    fn lost(&self, error: &ureq::Error) -> CliError {
        let message = format!(
            "{} cannot be reached, or the download broke off: {error}; run the command again to resume, or copy the \
             model's folder from a machine with a network",
            self.address
        );
        CliError::failed(message).that_may_pass()
    }

    fn refuse_unless(&self, found: StatusCode, expected: StatusCode, what: &str) -> CliResult {
        match found {
            found if found == expected => Ok(()),
            StatusCode::NOT_FOUND | StatusCode::UNAUTHORIZED | StatusCode::FORBIDDEN => Err(CliError::failed(format!(
                "{} has no {what} at this revision, or HF_TOKEN does not give access to it ({found})",
                self.address
            ))),
            other => {
                let error = CliError::failed(format!("{} answered {other} for {what}; try again later", self.address));
                let passes = other.is_server_error() || other == StatusCode::TOO_MANY_REQUESTS;
                Err(if passes { error.that_may_pass() } else { error })
            }
        }
    }
}

impl RawFile {
    /// The file, if the hub reports its size and checksum.
    fn known(self) -> Option<RemoteFile> {
        let (size, checksum) = match (self.lfs, self.size, self.blob_id) {
            (Some(lfs), ..) => (lfs.size, Checksum::Sha256(lfs.sha256)),
            (None, Some(size), Some(id)) => (size, Checksum::Git(id)),
            _ => return None,
        };
        Some(RemoteFile { name: self.rfilename, size, checksum })
    }
}

/// Whether requests to a hub's address cannot be read on the way: with TLS, or on this machine. Refuses what is no
/// address, and user names, which would be sent along.
fn is_private(address: &str) -> CliResult<bool> {
    let uri = address.parse::<Uri>().unwrap_or_default();
    let secure = match uri.scheme_str() {
        Some("https") => true,
        Some("http") => false,
        _ => {
            let problem = format!("{address:?} is not a hub's address; it begins with https://");
            return Err(CliError::usage(problem));
        }
    };
    if uri.authority().is_some_and(|authority| authority.as_str().contains('@')) {
        // The address may hold a password, so it is not repeated.
        return Err(CliError::usage("the address of a hub must not contain a user name; omit it, and set HF_TOKEN"));
    }
    Ok(secure || is_on_loopback(address))
}

/// Encodes a part of a path, so that it cannot contain anything else.
fn encoded(part: &str) -> String {
    let plain = |b: u8| b.is_ascii_alphanumeric() || matches!(b, b'.' | b'_' | b'-' | b'/');
    part.bytes().map(|b| if plain(b) { char::from(b).to_string() } else { format!("%{b:02X}") }).collect()
}

#[cfg(test)]
mod tests {
    use super::is_private;

    #[test]
    fn a_token_is_sent_only_where_it_cannot_be_read_on_the_way() {
        let private = ["https://hub.example", "HTTPS://hub.example", "http://127.0.0.1:8080/x", "http://localhost"];
        for private in private.into_iter().chain(["http://[::1]:80"]) {
            assert!(is_private(private).unwrap(), "{private}");
        }
        let open = ["http://hub.example", "http://localhost.example", "http://127.0.0.1.example:80", "http://0.0.0.0"];
        for open in open.into_iter().chain(["http://hub.example/http://localhost", "http://hub.example?@localhost"]) {
            assert!(!is_private(open).unwrap(), "{open}");
        }
    }

    #[test]
    fn an_address_with_a_user_name_or_without_a_host_is_refused() {
        let named =
            ["http://localhost:x@evil.example", "http://localhost@evil.example", "https://me:secret@hub.example"];
        for named in named.into_iter().chain(["http://@localhost", "http://127.0.0.1:80@evil.example:80/x"]) {
            let refused = is_private(named).unwrap_err();
            assert!(refused.message().contains("user name") && !refused.message().contains("secret"), "{named}");
        }
        let wrong = ["hub.example", "ftp://hub.example", "http://", "http:///x", "http:localhost", "//localhost", ""];
        for wrong in wrong.into_iter().chain(["http://localhost\\@evil.example", "http://local host", "http://[::1"]) {
            assert!(is_private(wrong).unwrap_err().message().contains("is not a hub's address"), "{wrong}");
        }
    }
}
