//! The tools: one file each, and a line in [`ALL`]. To add a tool, write both, and list it in the profiles that should
//! have it.

mod arguments;
mod bounds;
mod core_memory;
mod correct;
mod fetch;
mod forget;
mod get_context;
mod graph;
mod item;
mod list_memories;
mod named;
mod observe;
mod recall;
mod remember;
mod review_memories;
mod search;
mod update_memory;

use std::future::Future;
use std::sync::LazyLock;

use futures::future::BoxFuture;
use kimberly_core::Error;
use kimberly_core::bounds::ABSOLUTE_MAX_CONTENT_BYTES;
use kimberly_core::memory::DraftLimits;
use prost_types::Timestamp;
use serde::Serialize;
use serde::de::DeserializeOwned;
use serde_json::{Value, json};
use tonic::Status;
use tonic_types::StatusExt as _;

use super::answer::{self, Answer};
use super::call::Call;
use super::protocol::JsonObject;
use super::schema::{self, Schema};
use crate::status;

/// All tools.
pub(super) static ALL: [Declared; 21] = [
    Declared::of::<remember::Remember>(),
    Declared::of::<recall::Recall>(),
    Declared::of::<correct::Correct>(),
    Declared::of::<forget::Forget>(),
    Declared::of::<get_context::GetContext>(),
    Declared::of::<observe::Observe>(),
    Declared::of::<update_memory::UpdateMemory>(),
    Declared::of::<list_memories::ListMemories>(),
    Declared::of::<review_memories::ReviewMemories>(),
    Declared::of::<core_memory::CoreMemory>(),
    Declared::of::<search::Search>(),
    Declared::of::<fetch::Fetch>(),
    Declared::of::<graph::CreateEntities>(),
    Declared::of::<graph::CreateRelations>(),
    Declared::of::<graph::AddObservations>(),
    Declared::of::<graph::DeleteEntities>(),
    Declared::of::<graph::DeleteObservations>(),
    Declared::of::<graph::DeleteRelations>(),
    Declared::of::<graph::ReadGraph>(),
    Declared::of::<graph::SearchNodes>(),
    Declared::of::<graph::OpenNodes>(),
];

/// Longest time as text, in bytes.
const MAX_TIME_BYTES: usize = 64;

/// The effect of a tool on memories. No tool affects anything else.
#[derive(Clone, Copy)]
enum Does {
    /// The tool only reads.
    Reads,
    /// The tool adds something new with each call.
    Adds,
    /// The tool adds what is not there yet. Repeating a call changes nothing more.
    AddsOnce,
    /// The tool changes or removes existing data. Repeating a call changes nothing more.
    Changes,
}

/// A tool.
trait Tool: 'static {
    /// The name for models.
    const NAME: &'static str;
    /// The title for people.
    const TITLE: &'static str;
    /// When to use the tool, and what it does.
    const DESCRIPTION: &'static str;
    /// Its effect on memories.
    const DOES: Does;
    /// The argument whose invalid items are left out instead of refusing the call, if there is one.
    const LEAVES_OUT: &'static str = "";
    /// Its arguments. Their doc comments become the schema's descriptions.
    type Input: DeserializeOwned + Schema + Send + 'static;
    /// Its response, as data.
    type Output: Serialize + Schema + Send + 'static;

    /// Executes a call.
    fn run(call: &Call, input: Self::Input) -> impl Future<Output = Result<Answer<Self::Output>, Status>> + Send;
}

/// An entry of the list of tools.
pub(super) struct Declared {
    /// The name for models.
    pub(super) name: &'static str,
    /// When to use the tool, and what it does.
    pub(super) description: &'static str,
    title: &'static str,
    does: Does,
    input: LazyLock<JsonObject>,
    output: LazyLock<JsonObject>,
    run: fn(Call, Value, Option<Status>) -> BoxFuture<'static, Value>,
    leaves_out: &'static str,
}

impl Declared {
    const fn of<T: Tool>() -> Self {
        Self {
            name: T::NAME,
            description: T::DESCRIPTION,
            title: T::TITLE,
            does: T::DOES,
            input: LazyLock::new(schema::of_input::<T::Input>),
            output: LazyLock::new(schema::of_output::<T::Output>),
            run: run::<T>,
            leaves_out: T::LEAVES_OUT,
        }
    }

    /// Returns the tool as clients see it, with the operator's limit on contents.
    pub(super) fn listed(&self, limits: DraftLimits) -> Value {
        let (read_only, destructive, idempotent) = match self.does {
            Does::Reads => (true, false, true),
            Does::Adds => (false, false, false),
            Does::AddsOnce => (false, false, true),
            Does::Changes => (false, true, true),
        };
        let mut input = self.input.clone();
        for (_, property) in input.get_mut("properties").and_then(Value::as_object_mut).into_iter().flatten() {
            if property["maxLength"] == ABSOLUTE_MAX_CONTENT_BYTES {
                property["maxLength"] = limits.max_content_bytes.into();
            }
        }
        json!({
            "name": self.name,
            "title": self.title,
            "description": self.description,
            "inputSchema": input,
            "outputSchema": *self.output,
            "annotations": {
                "title": self.title,
                "readOnlyHint": read_only,
                "destructiveHint": destructive,
                "idempotentHint": idempotent,
                "openWorldHint": false,
            },
        })
    }

    /// Executes a call with any arguments.
    pub(super) async fn call(&self, call: Call, arguments: JsonObject) -> Value {
        let arguments = arguments::fitted(&self.input, arguments);
        let beyond = bounds::beyond(&self.input, &arguments, self.leaves_out);
        let beyond = beyond.map(|(field, problem)| invalid(&field, problem));
        (self.run)(call, Value::Object(arguments), beyond).await
    }
}

/// Finds a tool by its name.
pub(super) fn named(name: &str) -> Option<&'static Declared> {
    ALL.iter().find(|tool| tool.name == name)
}

/// Runs a tool, unless an argument is `beyond` its bounds.
fn run<T: Tool>(call: Call, arguments: Value, beyond: Option<Status>) -> BoxFuture<'static, Value> {
    Box::pin(async move {
        let answered = match (serde_json::from_value(arguments), beyond) {
            (Ok(input), None) => T::run(&call, input).await,
            (Ok(_), Some(beyond)) => Err(beyond),
            (Err(error), _) => Err(invalid("arguments", format!("do not fit {}: {error}", T::NAME))),
        };
        answered.map_or_else(|status| answer::failed(&status), Answer::result)
    })
}

/// Returns the error for an invalid argument.
fn invalid(field: &str, problem: impl Into<String>) -> Status {
    status::status(Error::invalid(field, problem))
}

/// Reports whether an error has this reason.
fn has_reason(status: &Status, reason: &str) -> bool {
    status.get_error_details().error_info().is_some_and(|info| info.reason == reason)
}

/// Parses an argument that is a time. Returns `None` if it is empty.
fn time(field: &str, text: &str) -> Result<Option<Timestamp>, Status> {
    if text.is_empty() {
        return Ok(None);
    }
    let wrong = |_| invalid(field, "is no time; write one such as 2026-05-04 or 2026-05-04T18:30:00Z");
    text.parse().map(Some).map_err(wrong)
}

/// Formats the day of a time.
fn day(at: Option<Timestamp>) -> String {
    at.map(|at| at.to_string()).unwrap_or_default().chars().take(10).collect()
}

/// Formats a time in full. Empty if there is none.
fn told(at: Option<Timestamp>) -> String {
    at.map(|at| at.to_string()).unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_tool_describes_itself_its_arguments_and_its_answer() {
        for tool in &ALL {
            let listed = tool.listed(DraftLimits { max_content_bytes: 777 });
            assert!(tool.description.len() <= 400, "{}: {} bytes", tool.name, tool.description.len());
            for hint in ["readOnlyHint", "destructiveHint", "idempotentHint", "openWorldHint"] {
                assert!(listed["annotations"][hint].is_boolean(), "{}: {hint}", tool.name);
            }
            for schema in ["inputSchema", "outputSchema"] {
                assert_eq!(listed[schema]["type"], "object", "{} {schema}", tool.name);
                // The schema of a tool without arguments has no properties.
                for (name, property) in listed[schema]["properties"].as_object().into_iter().flatten() {
                    assert!(property["description"].is_string(), "{} {schema}.{name} is not described", tool.name);
                }
            }
            assert_eq!(listed["inputSchema"]["additionalProperties"], false, "{}", tool.name);
        }
    }

    #[test]
    fn hints_say_whether_a_call_may_be_repeated() {
        let of = |name| named(name).unwrap().listed(DraftLimits::default());
        let hints = |name| {
            let hint = |hint: &str| of(name)["annotations"][hint].as_bool().unwrap();
            (hint("destructiveHint"), hint("idempotentHint"))
        };
        assert_eq!(hints("observe"), (false, true), "nothing is stored twice");
        assert_eq!(hints("add_observations"), (false, true));
        assert_eq!(hints("forget"), (true, true));
        assert_eq!(hints("remember"), (false, false));
        let content = |name| of(name)["inputSchema"]["properties"]["content"]["maxLength"].clone();
        assert_eq!((content("remember"), content("update_memory")), (65_536.into(), 65_536.into()));
    }

    #[test]
    fn times_are_read_as_days_or_in_full() {
        assert_eq!(told(time("since", "2026-05-04").unwrap()), "2026-05-04T00:00:00Z");
        assert_eq!(told(time("since", "2026-05-04T18:30:00+02:00").unwrap()), "2026-05-04T16:30:00Z");
        assert_eq!(day(time("since", "2026-05-04T18:30:00Z").unwrap()), "2026-05-04");
        assert_eq!(time("since", "").unwrap(), None);
        let refused = time("since", "yesterday").unwrap_err();
        assert!(refused.message().contains("2026-05-04"), "{refused:?}");
    }
}
