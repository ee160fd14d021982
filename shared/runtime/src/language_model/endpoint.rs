//! `POST {url}/chat/completions` in OpenAI's protocol, which Ollama, llama.cpp and vLLM support.

use std::path::Path;
use std::time::Duration;

use kimberly_core::ports::Task;
use serde::Serialize;
use serde_json::Value;
use serde_json::value::RawValue;
use ureq::Agent;
use zeroize::Zeroizing;

use crate::Failure;
use crate::config::LanguageModelConfig;

/// Maximum size of an answer, in bytes.
const LONGEST_ANSWER: u64 = 256 * 1024;
/// Maximum length of an answer requested from the model, in tokens.
const MOST_TOKENS: u32 = 2_048;

/// The endpoint's address, model and key.
pub(super) struct Endpoint {
    agent: Agent,
    url: String,
    model: String,
    key: Option<Zeroizing<String>>,
}

/// The model's answer.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Answer {
    pub content: String,
    /// Token counts as reported by the endpoint; 0 if it reports none.
    pub tokens_in: u64,
    pub tokens_out: u64,
}

impl Endpoint {
    /// Returns the configured endpoint, if any.
    pub(super) fn of(config: &LanguageModelConfig) -> Result<Option<Self>, Failure> {
        let Some(url) = &config.url else { return Ok(None) };
        let key = config.key_file.as_deref().map(read_key).transpose()?;
        let agent = Agent::config_builder()
            // Texts go only to the address that was checked.
            .max_redirects(0)
            .proxy(None)
            .build();
        let url = format!("{}/chat/completions", url.trim_end_matches('/'));
        Ok(Some(Self { agent: agent.into(), url, model: config.model.clone().unwrap_or_default(), key }))
    }

    /// Sends the task and blocks until the answer arrives, at most `within`. Errors contain no user text.
    pub(super) fn ask(&self, task: &Task, within: Duration) -> Result<Answer, String> {
        let request = self.agent.post(&self.url).config().timeout_global(Some(within)).build();
        let mut request = request.content_type("application/json");
        if let Some(key) = &self.key {
            request = request.header("authorization", format!("Bearer {}", key.as_str()));
        }
        let mut response = request.send(self.body(task)?).map_err(|error| error.to_string())?;
        let read = response.body_mut().with_config().limit(LONGEST_ANSWER).read_to_vec();
        let text = read.map_err(|error| error.to_string())?;
        let answer: Value = serde_json::from_slice(&text).map_err(|_| "its answer is not JSON".to_owned())?;
        let content = answer.pointer("/choices/0/message/content").and_then(Value::as_str);
        let content = content.ok_or("its answer has no choices[0].message.content")?.to_owned();
        let tokens = |name: &str| answer.get("usage").and_then(|usage| usage.get(name)?.as_u64()).unwrap_or_default();
        Ok(Answer { content, tokens_in: tokens("prompt_tokens"), tokens_out: tokens("completion_tokens") })
    }

    fn body(&self, task: &Task) -> Result<Vec<u8>, String> {
        // Sent exactly as written: models fill in properties in schema order, and `Value` would sort them.
        let schema = serde_json::from_str(task.schema).map_err(|error| error.to_string())?;
        let json_schema = NamedSchema { name: task.name, strict: true, schema };
        let messages = [("system", task.instructions), ("user", task.data.as_str())];
        let body = Body {
            model: &self.model,
            messages: messages.map(|(role, content)| Message { role, content }),
            response_format: Format { kind: "json_schema", json_schema },
            temperature: 0,
            max_tokens: MOST_TOKENS,
            stream: false,
        };
        serde_json::to_vec(&body).map_err(|error| error.to_string())
    }
}

#[derive(Serialize)]
struct Body<'a> {
    model: &'a str,
    messages: [Message<'a>; 2],
    response_format: Format<'a>,
    max_tokens: u32,
    stream: bool,
    temperature: u8,
}

#[derive(Serialize)]
struct Message<'a> {
    role: &'a str,
    content: &'a str,
}

#[derive(Serialize)]
struct Format<'a> {
    #[serde(rename = "type")]
    kind: &'a str,
    json_schema: NamedSchema<'a>,
}

#[derive(Serialize)]
struct NamedSchema<'a> {
    name: &'a str,
    strict: bool,
    schema: &'a RawValue,
}

fn read_key(path: &Path) -> Result<Zeroizing<String>, Failure> {
    let text = std::fs::read_to_string(path).map(Zeroizing::new);
    let text = text.map_err(|error| {
        Failure::configuration(format!("language_model.key_file {} cannot be read: {error}", path.display()))
    })?;
    Ok(Zeroizing::new(text.trim().to_owned()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_schema_goes_in_the_order_in_which_it_is_written() {
        let config =
            LanguageModelConfig { url: Some("http://127.0.0.1:1/v1".to_owned()), ..LanguageModelConfig::default() };
        let endpoint = Endpoint::of(&config).unwrap().unwrap();
        let schema = r#"{"reasoning": 1, "items": 2}"#;
        let task = Task { name: "extract", instructions: "Read.", data: "{}".to_owned(), schema, is_awaited: false };
        let body = String::from_utf8(endpoint.body(&task).unwrap()).unwrap();
        assert!(body.contains(schema), "{body}");
    }
}
