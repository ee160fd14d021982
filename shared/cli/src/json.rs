//! JSON for `--json` and exports: messages of the contract as REST returns them (docs/json.md).

use std::sync::LazyLock;

use kimberly_proto::{BARE_DESCRIPTOR_SET, v1};
use kimberly_transcode::{Mapping, mended, text};
use prost::{Message, Name};
use prost_types::Struct;
use serde_json::{Value, json};

use crate::error::{CliError, CliResult};

static MAPPING: LazyLock<Result<Mapping, String>> =
    LazyLock::new(|| Mapping::new(BARE_DESCRIPTOR_SET).map_err(|error| error.to_string()));

fn mapping() -> Result<&'static Mapping, String> {
    MAPPING.as_ref().map_err(Clone::clone)
}

/// A message as REST returns it. A message without a JSON form, such as a time beyond the year 9999, becomes
/// `{"unwritable": reason}`.
pub(crate) fn of<M: Message + Name>(message: &M) -> Value {
    let written = mapping().and_then(|mapping| mapping.json(message));
    written.unwrap_or_else(|problem| json!({ "unwritable": problem }))
}

/// A message as a line of an export, without fields that have their default.
pub(crate) fn line<M: Message + Name>(message: &M) -> CliResult<String> {
    written(message).map(|value| text(&value))
}

/// Like [`line()`], for files with several kinds of lines: an object with one member, which names the kind.
pub(crate) fn line_of<M: Message + Name>(kind: &str, message: &M) -> CliResult<String> {
    written(message).map(|value| text(&json!({ kind: value })))
}

fn written<M: Message + Name>(message: &M) -> CliResult<Value> {
    mapping().and_then(|mapping| mapping.short(message)).map_err(CliError::failed)
}

/// Parses a message; the error says what is wrong.
pub(crate) fn read<M: Message + Name + Default>(value: &Value) -> Result<M, String> {
    mapping()?.message(object(value)?)
}

/// Like [`read`], for foreign input: ignores unknown members.
pub(crate) fn read_known<M: Message + Name + Default>(value: &Value) -> Result<M, String> {
    mapping()?.known(object(value)?)
}

/// Parses free data (attributes) from an object.
pub(crate) fn free(data: &Value) -> Result<Struct, String> {
    let held: v1::MemoryDraft = read(&json!({ "attributes": object(data)? }))?;
    Ok(held.attributes.unwrap_or_default())
}

/// Formats free data as an object.
pub(crate) fn of_free(data: &Struct) -> Value {
    of(&v1::MemoryDraft { attributes: Some(data.clone()), ..v1::MemoryDraft::default() })["attributes"].take()
}

/// The members of a field's message; empty if there is no such field.
pub(crate) fn members<M: Name>(field: &str) -> Vec<String> {
    mapping().map(|mapping| mapping.members::<M>(field)).unwrap_or_default()
}

fn object(value: &Value) -> Result<&Value, String> {
    if value.is_object() { Ok(value) } else { Err("not a JSON object".to_owned()) }
}

/// The fields that are set in a message, as names for a mask.
pub(crate) fn set_paths<M: Message + Name>(message: &M) -> Result<Vec<String>, String> {
    mapping()?.set_paths(message)
}

/// Parses JSON from a file.
pub(crate) fn parse(text: &str) -> Result<Value, String> {
    serde_json::from_slice(&mended(text.as_bytes())).map_err(|error| format!("not JSON ({error})"))
}
