//! The context of a tool call: the services, the user whose memory it is about, and data of the connection.

use std::convert::Infallible;
use std::hash::{DefaultHasher, Hash as _, Hasher as _};
use std::sync::Arc;

use http::header::HOST;
use http::request::Parts;
use http::{Request, Response};
use kimberly_core::UserId;
use kimberly_proto::v1::conversation_service_client::ConversationServiceClient;
use kimberly_proto::v1::core_memory_service_client::CoreMemoryServiceClient;
use kimberly_proto::v1::link_service_client::LinkServiceClient;
use kimberly_proto::v1::memory_service_client::MemoryServiceClient;
use kimberly_proto::v1::named_record_service_client::NamedRecordServiceClient;
use kimberly_proto::v1::record_service_client::RecordServiceClient;
use kimberly_proto::v1::review_service_client::ReviewServiceClient;
use tokio::sync::{Mutex, MutexGuard};
use tonic::body::Body;
use tonic::metadata::{MetadataMap, MetadataValue};
use tower::util::BoxCloneSyncService;

use super::profiles::{self, Profile};
use super::protocol::ErrorData;
use crate::auth::Session;
use crate::trace_context;

/// The contract's services, with all their layers.
pub(super) type Services = BoxCloneSyncService<Request<Body>, Response<Body>, Infallible>;

/// The URL parameter that names the user.
const USER: &str = "user_id";
/// The URL parameter that names the profile.
const PROFILE: &str = "profile";

/// The context of one tool call.
pub(super) struct Call {
    /// The user whose memory the call is about.
    pub(super) user: String,
    /// The profile with the tools that the client sees.
    pub(super) profile: &'static Profile,
    services: Services,
    turns: Turns,
    parts: Parts,
    secured: bool,
}

/// Locks on which calls that change the same record take turns, by the hash of its name.
pub(super) type Turns = Arc<[Mutex<()>; TURNS]>;

/// Number of these locks.
const TURNS: usize = 256;

/// Creates the locks.
pub(super) fn turns() -> Turns {
    Arc::new(std::array::from_fn(|_| Mutex::default()))
}

impl Call {
    /// Creates the context of a request. Fails if it names no user or an unknown profile.
    pub(super) fn of(parts: Parts, (services, turns): (&Services, &Turns), secured: bool) -> Result<Self, ErrorData> {
        let wrong = |why: String| ErrorData::invalid_params(why);
        let profile = match parameter(&parts, PROFILE) {
            None => &profiles::DEFAULT,
            Some(name) => profiles::named(&name).ok_or_else(|| wrong(profiles::unknown(&name)))?,
        };
        let named = parameter(&parts, USER).map(|named| UserId::parse(&named)).transpose();
        let named = named.map_err(|error| wrong(error.to_string()))?;
        let user = named.or_else(|| parts.extensions.get::<Session>()?.implied_user()).ok_or_else(|| {
            wrong("no user is named; add ?user_id=NAME to the address, or use a key for one user".to_owned())
        })?;
        let (services, turns) = (services.clone(), Arc::clone(turns));
        Ok(Self { user: user.into(), profile, services, turns, parts, secured })
    }

    /// Waits for the turn to change a record of the user.
    pub(super) async fn turn_at(&self, name: &str) -> MutexGuard<'_, ()> {
        let mut hasher = DefaultHasher::new();
        (&self.user, name).hash(&mut hasher);
        let slot = usize::try_from(hasher.finish() % TURNS as u64).unwrap_or_default();
        self.turns[slot].lock().await
    }

    /// Returns a client for memories.
    pub(super) fn memories(&self) -> MemoryServiceClient<Services> {
        MemoryServiceClient::new(self.services.clone()).max_decoding_message_size(usize::MAX)
    }

    /// Returns a client for conversations.
    pub(super) fn conversations(&self) -> ConversationServiceClient<Services> {
        ConversationServiceClient::new(self.services.clone()).max_decoding_message_size(usize::MAX)
    }

    /// Returns a client for reviews.
    pub(super) fn reviews(&self) -> ReviewServiceClient<Services> {
        ReviewServiceClient::new(self.services.clone()).max_decoding_message_size(usize::MAX)
    }

    /// Returns a client for links.
    pub(super) fn links(&self) -> LinkServiceClient<Services> {
        LinkServiceClient::new(self.services.clone()).max_decoding_message_size(usize::MAX)
    }

    /// Returns a client for records.
    pub(super) fn records(&self) -> RecordServiceClient<Services> {
        RecordServiceClient::new(self.services.clone()).max_decoding_message_size(usize::MAX)
    }

    /// Returns a client for core memory.
    pub(super) fn core_memory(&self) -> CoreMemoryServiceClient<Services> {
        CoreMemoryServiceClient::new(self.services.clone()).max_decoding_message_size(usize::MAX)
    }

    /// Returns a client for named records.
    pub(super) fn names(&self) -> NamedRecordServiceClient<Services> {
        NamedRecordServiceClient::new(self.services.clone()).max_decoding_message_size(usize::MAX)
    }

    /// Wraps a message with the context of the call: the caller, the deadline and the trace.
    pub(super) fn request<M>(&self, message: M) -> tonic::Request<M> {
        let mut metadata = MetadataMap::new();
        let trace = self.parts.headers.get(trace_context::HEADER).and_then(|raw| raw.to_str().ok());
        if let Some(trace) = trace.and_then(|raw| MetadataValue::try_from(raw).ok()) {
            metadata.insert(trace_context::HEADER, trace);
        }
        tonic::Request::from_parts(metadata, self.parts.extensions.clone(), message)
    }

    /// Returns the URL of a memory, with the host name under which the client knows this server.
    pub(super) fn url(&self, id: &str) -> String {
        let host = match self.parts.uri.authority() {
            Some(authority) => authority.as_str(),
            None => self.parts.headers.get(HOST).and_then(|host| host.to_str().ok()).unwrap_or_default(),
        };
        let user: String = form_urlencoded::byte_serialize(self.user.as_bytes()).collect();
        // Other machines reach the server only over TLS, which a proxy in front may end.
        let scheme = if self.secured || !is_loopback(host) { "https" } else { "http" };
        format!("{scheme}://{host}/memory/{id}?user_id={user}")
    }
}

/// Returns a URL parameter, or `None` if it is missing or empty.
fn parameter(parts: &Parts, name: &str) -> Option<String> {
    let query = parts.uri.query().unwrap_or_default().as_bytes();
    let found = form_urlencoded::parse(query).find(|(key, value)| key == name && !value.is_empty());
    found.map(|(_, value)| value.into_owned())
}

fn is_loopback(host: &str) -> bool {
    let name = host.parse::<http::uri::Authority>().map(|host| host.host().to_owned()).unwrap_or_default();
    let address = name.trim_matches(['[', ']']).parse::<std::net::IpAddr>();
    name.eq_ignore_ascii_case("localhost") || address.is_ok_and(|ip| ip.is_loopback())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn of(uri: &str) -> Result<Call, ErrorData> {
        let (parts, ()) = Request::builder().uri(uri).header(HOST, "127.0.0.1:7420").body(()).unwrap().into_parts();
        let nothing = tower::service_fn(|_: Request<Body>| async { Ok(Response::new(Body::empty())) });
        Call::of(parts, (&BoxCloneSyncService::new(nothing), &turns()), false)
    }

    #[test]
    fn the_address_says_for_whom_and_with_which_tools() {
        let call = of("/mcp?user_id=Ana+Lima&profile=all").ok().unwrap();
        assert_eq!((call.user.as_str(), call.profile.name), ("Ana Lima", "all"));
        assert_eq!(call.url("mem_1"), "http://127.0.0.1:7420/memory/mem_1?user_id=Ana+Lima");
        let short = of("/mcp?user_id=ana").map(|call| call.profile.name);
        assert_eq!(short.ok(), Some(profiles::DEFAULT.name));
    }

    #[test]
    fn address_without_user_or_profile_is_refused_with_advice() {
        for (uri, said) in [
            ("/mcp", "?user_id=NAME"),
            ("/mcp?user_id=", "?user_id=NAME"),
            ("/mcp?user_id=%20ana", "user"),
            ("/mcp?user_id=ana&profile=more", "default, manage, research, graph, all"),
        ] {
            let refused = of(uri).map(drop).unwrap_err();
            assert!(refused.message.contains(said), "{uri}: {refused:?}");
        }
    }

    #[test]
    fn only_loopback_is_read_without_tls() {
        for here in ["localhost:7420", "127.0.0.1", "[::1]:7420"] {
            assert!(is_loopback(here), "{here}");
        }
        for other in ["memory.example.com", "192.168.1.5:7420", "", "localhost.example.com"] {
            assert!(!is_loopback(other), "{other}");
        }
    }
}
