//! Responses of tools: text for models, the same content as data for programs, and errors with Kimberly's messages.

use serde::Serialize;
use serde_json::{Value, json};
use tonic::Status;
use tonic_types::StatusExt as _;

/// A tool's response.
pub(super) struct Answer<T> {
    /// The text for models.
    text: Option<String>,
    /// The data for programs. A tool's output schema describes it.
    data: T,
}

impl<T: Serialize> Answer<T> {
    /// Creates a response with a text.
    pub(super) const fn new(text: String, data: T) -> Self {
        Self { text: Some(text), data }
    }

    /// Creates a response whose text is its data as JSON.
    pub(super) const fn of_data(data: T) -> Self {
        Self { text: None, data }
    }

    /// Converts the response to the protocol.
    pub(super) fn result(self) -> Value {
        match serde_json::to_value(self.data) {
            Ok(data) => {
                let mut result = content(&self.text.unwrap_or_else(|| data.to_string()), false);
                result["structuredContent"] = data;
                result
            }
            Err(error) => {
                tracing::error!(%error, "a tool's answer cannot be encoded");
                failed(&crate::status::internal())
            }
        }
    }
}

fn content(text: &str, failed: bool) -> Value {
    json!({"content": [{"type": "text", "text": text}], "isError": failed})
}

/// Converts an error to a result that a model can read and act on.
pub(super) fn failed(status: &Status) -> Value {
    let details = status.get_error_details();
    let text = match details.error_info() {
        Some(info) => format!("{} ({})", status.message(), info.reason),
        None => status.message().to_owned(),
    };
    content(&text, true)
}
