//! Classifies calls by their path.

use std::collections::HashSet;
use std::sync::LazyLock;

use kimberly_proto::BARE_DESCRIPTOR_SET;
use prost::Message as _;
use prost_types::FileDescriptorSet;

use crate::rest;

/// The prefix of the paths of library services.
const LIBRARIES: &str = "/grpc.";
/// Prefixes of paths that are always served, since a saturated server must not seem dead: health, reflection and facts
/// about the server.
const ALWAYS_SERVED: [&str; 2] = [LIBRARIES, "/kimberly.v1.ServerService/"];
/// The same over HTTP: the welcome page, facts about the server and the description of the API.
const ALWAYS_SERVED_AS_JSON: [&str; 3] = [rest::ROOT, "/v1/server", rest::DOCUMENT];

/// Reports whether a call is served in any case, without authentication or limits.
pub(crate) fn always_served(path: &str) -> bool {
    ALWAYS_SERVED.iter().any(|prefix| path.starts_with(prefix)) || ALWAYS_SERVED_AS_JSON.contains(&path)
}

/// Reports whether a library handles a call, such as health and reflection, and not one of our handlers.
pub(crate) fn of_libraries(path: &str) -> bool {
    path.starts_with(LIBRARIES)
}

/// Reports whether a call's request is a stream, of which only the message being read is held in memory.
pub(crate) fn streams_in(path: &str) -> bool {
    static PATHS: LazyLock<HashSet<String>> = LazyLock::new(|| {
        let files = FileDescriptorSet::decode(BARE_DESCRIPTOR_SET).unwrap_or_default().file;
        let services = files.iter().flat_map(|file| file.service.iter().map(move |service| (file.package(), service)));
        let methods = services.flat_map(|(package, service)| service.method.iter().map(move |m| (package, service, m)));
        let streaming = methods.filter(|(_, _, method)| method.client_streaming());
        streaming.map(|(package, service, method)| format!("/{package}.{}/{}", service.name(), method.name())).collect()
    });
    PATHS.contains(path)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_what_tells_about_the_server_is_always_served() {
        assert!(always_served("/grpc.health.v1.Health/Check"));
        assert!(always_served("/grpc.reflection.v1.ServerReflection/ServerReflectionInfo"));
        assert!(always_served("/kimberly.v1.ServerService/GetServerInfo"));
        assert!(always_served("/v1/server") && always_served("/openapi.json") && always_served("/"));
        assert!(!always_served("/v1/server/") && !always_served("/v1/servers") && !always_served("/memory"));
        assert!(!always_served("/kimberly.v1.MemoryService/GetMemory"));
        assert!(!always_served("/x/grpc.health.v1.Health/Check"));
    }

    #[test]
    fn unary_calls_and_streams_of_answers_send_one_message() {
        assert!(!streams_in("/kimberly.v1.MemoryService/CreateMemory"));
        assert!(!streams_in("/kimberly.v1.MeditationService/WatchMeditation"));
    }
}
