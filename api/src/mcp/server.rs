//! The protocol's methods.

use http::StatusCode;
use http::request::Parts;
use kimberly_core::memory::DraftLimits;
use serde::Deserialize;
use serde_json::{Value, json};

use super::call::{self, Call, Services, Turns};
use super::protocol::{ErrorData, INVALID_REQUEST, JsonObject, METHOD_NOT_FOUND, Message, Reply};
use super::versions::{self, Initialize, Terms};
use super::{body, id, prompt, protocol, resources, tools};

/// Methods whose results say how long they may be cached, in version 2026-07-28.
const CACHEABLE: [&str; 6] =
    ["server/discover", "tools/list", "prompts/list", "resources/list", "resources/templates/list", "resources/read"];

/// Serves one client. Cheap to clone.
#[derive(Clone)]
pub(super) struct Server {
    services: Services,
    turns: Turns,
    secured: bool,
    limits: DraftLimits,
}

/// Parameters of methods that name a tool or a prompt.
#[derive(Deserialize)]
struct Named {
    name: String,
    arguments: Option<JsonObject>,
}

/// Parameters of `resources/read`.
#[derive(Deserialize)]
struct Read {
    uri: String,
}

impl Server {
    /// Creates a server in front of these services.
    pub(super) fn new(services: Services, secured: bool, limits: DraftLimits) -> Self {
        Self { services, turns: call::turns(), secured, limits }
    }

    /// Replies to a message.
    pub(super) async fn reply(&self, parts: Parts, message: Value) -> Reply {
        if !body::accepts_json(&parts.headers) {
            let problem = "Not Acceptable: Client must accept application/json";
            return Reply::Text(StatusCode::NOT_ACCEPTABLE, problem.to_owned());
        }
        let id = id::in_message(&message);
        let Some(message) = Message::read(message) else {
            let problem = "the body is not a message of MCP; send one JSON-RPC request or notification";
            return Reply::refused(Some(&id), INVALID_REQUEST, problem);
        };
        let terms = match Terms::of(&parts.headers, &message) {
            Ok(terms) => terms,
            Err(refused) => return refused,
        };
        match message {
            Message::Request { id, method, params } => match self.result(parts, terms, &method, &params).await {
                Ok(result) => Reply::result(&id, result),
                Err(error) => Reply::error(terms.status(error.code), &id, &error),
            },
            Message::Notification { .. } => Reply::Nothing,
            Message::Response => {
                Reply::refused(None, INVALID_REQUEST, "stateless server does not accept JSON-RPC responses")
            }
        }
    }

    async fn result(&self, parts: Parts, terms: Terms, method: &str, params: &JsonObject) -> Result<Value, ErrorData> {
        let call = || Call::of(parts, (&self.services, &self.turns), self.secured);
        let mut result = match method {
            // Refuses clients whose calls could only fail, such as those that name no user.
            "initialize" => {
                let Initialize { protocol_version, .. } = protocol::read(method, params)?;
                call().map(|_| initialized(&protocol_version))?
            }
            "server/discover" => call().map(|_| discovered())?,
            "ping" if !terms.modern => json!({}),
            "tools/list" => self.list_tools(&call()?),
            "tools/call" => {
                let request = protocol::read(method, params)?;
                call_tool(call()?, request).await?
            }
            "prompts/list" => json!({"prompts": [prompt::listed()]}),
            "prompts/get" => {
                let Named { name, .. } = protocol::read(method, params)?;
                prompt::check(&name)?;
                prompt::instructions(call()?.profile)
            }
            "resources/list" => json!({"resources": resources::listed()}),
            "resources/templates/list" => json!({"resourceTemplates": []}),
            "resources/read" => {
                let Read { uri } = protocol::read(method, params)?;
                resources::read(&call()?, &uri, terms).await?
            }
            _ => return Err(ErrorData::new(METHOD_NOT_FOUND, format!("there is no method {method:?}"))),
        };
        if terms.modern || method == "server/discover" {
            result["resultType"] = json!("complete");
            if CACHEABLE.contains(&method) {
                (result["ttlMs"], result["cacheScope"]) = (json!(0), json!("private"));
            }
        }
        Ok(result)
    }

    fn list_tools(&self, call: &Call) -> Value {
        let listed = call.profile.tools().filter_map(|name| Some(tools::named(name)?.listed(self.limits)));
        json!({"tools": listed.collect::<Vec<_>>()})
    }
}

async fn call_tool(call: Call, request: Named) -> Result<Value, ErrorData> {
    let known = call.profile.tools().find(|name| *name == request.name);
    let tool = known.and_then(tools::named).ok_or_else(|| {
        let tools = call.profile.tools().collect::<Vec<_>>().join(", ");
        ErrorData::invalid_params(format!("there is no such tool; tools/list lists all: {tools}"))
    })?;
    Ok(tool.call(call, request.arguments.unwrap_or_default()).await)
}

fn initialized(asked: &str) -> Value {
    json!({
        "protocolVersion": versions::agreed(asked),
        "capabilities": capabilities(),
        "serverInfo": server_info(),
        "instructions": prompt::SHORT,
    })
}

fn discovered() -> Value {
    json!({
        "supportedVersions": versions::ALL,
        "capabilities": capabilities(),
        "instructions": prompt::SHORT,
        "_meta": {"io.modelcontextprotocol/serverInfo": server_info()},
    })
}

fn capabilities() -> Value {
    json!({"tools": {}, "prompts": {}, "resources": {}})
}

fn server_info() -> Value {
    json!({"name": "kimberly", "title": "Kimberly", "version": kimberly_runtime::VERSION})
}
