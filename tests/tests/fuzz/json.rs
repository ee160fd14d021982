//! Fuzzes JSON over HTTP: valid requests with an invalid or unusual body, path or query.

use std::time::Duration;

use http::{Method, Request, Response, StatusCode};
use http_body_util::{BodyExt as _, Full};
use kimberly_tests::System;
use rand::Rng as _;
use serde_json::{Value, json};
use tonic::body::Body;
use tonic::transport::Channel;
use tower::ServiceExt as _;

use crate::fuzz::leaks::Leaks;
use crate::fuzz::mutate::{LENGTHS, Mutator, TEXTS};
use crate::fuzz::seeds::USER;
use crate::fuzz::{PATIENCE, Tally};

/// A valid request.
#[derive(Clone, Debug)]
pub(crate) struct Seed {
    method: Method,
    path: String,
    body: Option<Value>,
}

/// Valid requests of every kind, about existing objects.
pub(crate) async fn seeds(system: &System) -> Vec<Seed> {
    let mut user = system.user(USER);
    let memory = user.remember("to be fuzzed").await.id;
    let goal = user.pursue("Learn to dive", &["diving"]).await.id;
    let consent = user.consent().await.id;
    let run = user.meditate().await.id;
    let at = "2026-01-02T03:04:05.678Z";
    let draft = json!({
        "tier": "TIER_LONG_TERM", "content": "Ana said so.", "sessionId": "session", "speaker": "Ana", "consent": true, "namespace": "travels",
        "metadata": {
            "tags": ["travel", "train"], "source": "SOURCE_AGENT", "channels": ["mobile"], "sensitive": false,
            "scope": "SCOPE_SHARED", "userFeedback": {"rating": 4}, "version": "v1",
        },
        "attributes": {"n": 1.5, "l": [1, null, {"a": "b"}]}, "protected": false, "occurredAt": at,
        "createdBy": "CREATOR_AGENT", "embed": "EMBED_MARK_ALWAYS",
    });
    let filter = json!({
        "tiers": [1, "TIER_PERMANENT"], "tagsAny": ["travel"], "createdAfter": at, "sensitivity": 1, "speakers": ["ana"],
        "sources": ["SOURCE_CHAT"], "scopes": [1], "sessionId": "session", "states": ["MEMORY_STATE_ACTIVE"],
    });
    let pursued = json!({"title": "Dive", "kind": "GOAL_KIND_PROJECT", "tags": ["sea"], "importance": 0.5});
    let of = |method: Method, path: String, body: Option<&Value>| Seed { method, path, body: body.cloned() };
    let users = format!("/v1/users/{USER}");
    [
        of(Method::POST, "/memory".to_owned(), Some(&json!({"userId": USER, "memory": draft}))),
        of(Method::POST, format!("{users}/memories?request_id="), Some(&draft)),
        of(Method::POST, format!("{users}/memories:batchCreate"), Some(&json!({"memories": [draft, draft]}))),
        of(Method::GET, format!("/memory/{memory}?user_id={USER}&explain=true"), None),
        of(
            Method::GET,
            format!("/memory?user_id={USER}&filter.tags_any=a&filter.created_after={at}&page_size=9"),
            None,
        ),
        of(
            Method::PATCH,
            format!("/memory/{memory}"),
            Some(&json!({"userId": USER, "memory": draft, "updateMask": "content,metadata.tags"})),
        ),
        of(Method::PATCH, format!("{users}/memories/{memory}?update_mask=speaker,attributes"), Some(&draft)),
        of(Method::DELETE, format!("/memory/{memory}?user_id={USER}"), None),
        of(Method::POST, format!("{users}/memories/{memory}:restore?protect=false"), Some(&json!({}))),
        of(
            Method::POST,
            "/memory/query".to_owned(),
            Some(&json!({"userId": USER, "query": "who said \"so\"?", "topK": 5, "filter": filter, "explain": true})),
        ),
        of(
            Method::POST,
            format!("{users}/memories:recordOutcome"),
            Some(&json!({"memoryIds": [memory], "outcome": 1})),
        ),
        of(Method::POST, format!("{users}/sessions/session:end"), None),
        of(Method::POST, format!("/memory/meditate?user_id={USER}&dry_run=true"), None),
        of(Method::GET, format!("{users}/meditations/{run}?page_size=3"), None),
        of(Method::GET, format!("{users}/meditations/{run}:watch"), None),
        of(Method::POST, format!("{users}/goals"), Some(&pursued)),
        of(Method::PATCH, format!("{users}/goals/{goal}?update_mask=title,tags"), Some(&pursued)),
        of(Method::PATCH, format!("{users}/settings?update_mask=grace,lowScore,scoring"), Some(&settings())),
        of(Method::GET, format!("/memory/metrics?user_id={USER}"), None),
        of(Method::GET, "/openapi.json".to_owned(), None),
    ]
    .into_iter()
    .chain(source())
    .chain(keys())
    .chain(consents(&consent))
    .collect()
}

fn settings() -> Value {
    json!({
        "shortTermQuotaBytes": "1048576", "grace": "86400s", "lowScore": 0.25, "dailyPruneCapBytes": 1_048_576,
        "weights": {"relevanceToGoals": 0.5, "emotionalWeight": "0.5", "predictiveValue": 0, "recencyFreq": 0},
    })
}

fn consents(consent: &str) -> [Seed; 3] {
    let agreed = json!({
        "purpose": "care", "givenBy": "CONSENT_GIVER_GUARDIAN", "note": "on paper",
        "scope": {"tiers": ["TIER_PERMANENT", 2], "namespaces": ["", "clinic"], "tags": ["health"], "sessionIds": ["s"]},
    });
    let of = |method: Method, path: &str, body: Option<Value>| Seed {
        method,
        path: format!("/v1/users/{USER}/consents{path}"),
        body,
    };
    [
        of(Method::POST, "", Some(json!({"consent": agreed, "releaseWithheld": []}))),
        of(Method::GET, "?include_retracted=true&page_size=2", None),
        of(Method::POST, &format!("/{consent}:retract"), Some(json!({"retraction": "RETRACTION_SEAL"}))),
    ]
}

/// Requests with the field names of the document that defines these paths.
fn source() -> [Seed; 2] {
    let create = json!({"type": "long-term", "content": "c", "metadata": {"user_feedback": "rating:4"}});
    let filters = json!({"tags": ["a"], "states": []});
    let query = json!({"user_id": USER, "query": "x", "type": "permanent", "filters": filters});
    let of = |path: String, body: Value| Seed { method: Method::POST, path, body: Some(body) };
    [of(format!("/memory?user_id={USER}"), create), of("/memory/query".to_owned(), query)]
}

fn keys() -> [Seed; 4] {
    let grant = json!({
        "users": [USER, "a*"], "operations": ["OPERATION_READ", 2], "namespaces": ["", "work"], "tiers": ["TIER_LONG_TERM"],
        "excludeSensitive": true,
    });
    let create = json!({"name": "json", "grant": grant, "lifetime": "9s"});
    let of = |method: Method, path: &str, body: Option<Value>| Seed { method, path: path.to_owned(), body };
    [
        of(Method::POST, "/v1/keys", Some(create)),
        of(Method::GET, "/v1/keys?page_size=2", None),
        of(Method::POST, "/v1/keys/json:rotate", Some(json!({"overlap": "60s"}))),
        of(Method::POST, "/v1/keys/json:revoke", Some(json!({}))),
    ]
}

/// Sends a request as it is.
pub(crate) async fn succeeds_or_is_refused(channel: Channel, seed: &Seed) {
    let request = Request::builder().method(seed.method.clone()).uri(format!("http://localhost{}", seed.path));
    let body = seed.body.as_ref().map(Value::to_string).unwrap_or_default();
    let request = request.header("content-type", "application/json").body(Body::new(Full::from(body)));
    let (status, text) = answer(channel, request.expect("a request")).await;
    assert!(!status.is_server_error(), "{} {} was answered with {status} {text}", seed.method, seed.path);
}

/// Sends mutated requests and checks the responses.
pub(crate) async fn call(
    channel: Channel,
    seeds: Vec<Seed>,
    leaks: Leaks,
    mut mutator: Mutator,
    count: usize,
) -> Tally {
    let mut tally = Tally::default();
    for _ in 0..count {
        let seed = mutator.choose(&seeds).clone();
        let (path, body) = (mutator.path(&seed.path), mutator.body(seed.body.as_ref()));
        let kind = if mutator.dice.random_bool(0.98) { "application/json" } else { "text/plain" };
        let method = if mutator.dice.random_bool(0.98) { seed.method.clone() } else { Method::PUT };
        let shown = || format!("{method} {path} {}", String::from_utf8_lossy(&body[..body.len().min(2_000)]));
        let request = Request::builder().method(method.clone()).uri(format!("http://localhost{path}"));
        // An HTTP client cannot send this request.
        let Ok(request) = request.header("content-type", kind).body(Body::new(Full::from(body.clone()))) else {
            tally.undecodable += 1;
            continue;
        };
        let answered = tokio::time::timeout(PATIENCE, answer(channel.clone(), request)).await;
        let (status, text) = answered.unwrap_or_else(|_| panic!("no answer to {}", shown()));
        assert!(!status.is_server_error(), "{} was answered with {status} {text}", shown());
        if status.is_success() {
            tally.taken += 1;
            continue;
        }
        let told: Value = serde_json::from_str(&text).unwrap_or_else(|error| panic!("{}: {error} in {text}", shown()));
        // The details may start with a retry delay.
        let reasoned = told["details"].as_array().is_some_and(|all| all.iter().any(|one| one["reason"].is_string()));
        assert!(told["code"].is_i64() && reasoned, "{}: {told}", shown());
        if let Some(leak) = leaks.find_in(&text) {
            panic!("{} was answered with {leak:?} in {text}", shown());
        }
        tally.refused += 1;
    }
    tally
}

async fn answer(channel: Channel, request: Request<Body>) -> (StatusCode, String) {
    let answer: Response<Body> = channel.oneshot(request).await.expect("the connection holds");
    let (parts, body) = answer.into_parts();
    let body = tokio::time::timeout(Duration::from_mins(1), body.collect()).await.expect("the answer ends");
    let text = String::from_utf8(body.expect("the answer is whole").to_bytes().to_vec()).expect("answers are UTF-8");
    (parts.status, text)
}

impl Mutator {
    /// Mostly the same JSON with one value changed; sometimes bytes that are hardly JSON.
    fn body(&mut self, body: Option<&Value>) -> Vec<u8> {
        let Some(body) = body else {
            return if self.dice.random_bool(0.05) { b"{}".to_vec() } else { Vec::new() };
        };
        let mut value = body.clone();
        for _ in 0..self.dice.random_range(0..=2) {
            self.json(&mut value);
        }
        let text = value.to_string().into_bytes();
        if self.dice.random_bool(0.1) { self.mutate_bytes(text) } else { text }
    }

    fn json(&mut self, value: &mut Value) {
        match value {
            Value::Object(fields) if !fields.is_empty() && self.dice.random_bool(0.9) => {
                let at = self.dice.random_range(0..fields.len());
                let name = fields.keys().nth(at).cloned().unwrap_or_default();
                match self.dice.random_range(0..12) {
                    0 => drop(fields.remove(&name)),
                    1 => drop(fields.insert((*self.choose(TEXTS)).to_owned(), json!(1))),
                    2 => drop(fields.insert(name, Value::Null)),
                    _ => self.json(fields.entry(name).or_insert(Value::Null)),
                }
            }
            Value::Array(values) if !values.is_empty() && self.dice.random_bool(0.8) => {
                let at = self.dice.random_range(0..values.len());
                match self.dice.random_range(0..6) {
                    0 => drop(values.remove(at)),
                    1 => values.extend(vec![values[at].clone(); *self.choose(&[15, 64, 100, 1_000])]),
                    _ => self.json(&mut values[at]),
                }
            }
            leaf => *leaf = self.leaf(),
        }
    }

    fn leaf(&mut self) -> Value {
        match self.dice.random_range(0..12) {
            0 => Value::Null,
            1 => json!(self.dice.random_bool(0.5)),
            2 => json!(self.dice.random::<i64>()),
            3 => json!(self.dice.random::<f64>() * 1e300),
            4 => json!(*self.choose(&["NaN", "-Infinity", "1e3", "0x10", "00", "-0", "1.5s", "0001-01-01T00:00:00Z"])),
            5 => json!("x".repeat(*self.choose(LENGTHS))),
            6 => json!({}),
            7 => json!([]),
            8 => {
                let deep = |value, _| json!({"a": [value]});
                (0..*self.choose(&[3, 16, 33, 64, 120])).fold(Value::Null, deep)
            }
            9 => json!(*self.choose(&[0, 1, 2, 3, 4, 9, -1, 1_000, 1_001, i64::from(i32::MAX) + 1])),
            _ => json!(*self.choose(TEXTS)),
        }
    }

    /// The path with an invalid or unusual segment or parameter.
    fn path(&mut self, path: &str) -> String {
        let nasty = escaped(self.choose::<&str>(TEXTS));
        let (mut parts, query) =
            (path.split('?').next().unwrap_or_default().to_owned(), path.split_once('?').map(|p| p.1));
        let mut query = query.map(str::to_owned);
        match self.dice.random_range(0..10) {
            0 => {
                let mut segments: Vec<&str> = parts.split('/').collect();
                let at = self.dice.random_range(1..segments.len());
                segments[at] = &nasty;
                parts = segments.join("/");
            }
            1 => parts.push_str(self.choose::<&str>(&["/", ":", ":restore", "%2F", "%FF", "%", ".."])),
            2 => query = Some(format!("{}&{nasty}={nasty}", query.unwrap_or_default())),
            3 => {
                let name = *self.choose(&[
                    "page_size",
                    "filter.tiers",
                    "explain",
                    "update_mask",
                    "filter.createdAfter",
                    "order",
                ]);
                query = Some(format!("{}&{name}={nasty}", query.unwrap_or_default()));
            }
            4 => {
                let odd = *self.choose::<&str>(&["=%00", "==", "=+", "=%C3", ""]);
                query = query.map(|query| query.replace('=', odd));
            }
            _ => {}
        }
        query.map_or(parts.clone(), |query| format!("{parts}?{query}"))
    }
}

fn escaped(text: &str) -> String {
    text.bytes()
        .map(|byte| if byte.is_ascii_alphanumeric() { char::from(byte).to_string() } else { format!("%{byte:02X}") })
        .collect()
}
