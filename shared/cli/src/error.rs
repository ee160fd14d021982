//! Errors as sentences for people and exit codes for programs.

use std::error::Error;
use std::fmt;
use std::io::{self, Write as _};
use std::path::Path;
use std::process::ExitCode;
use std::time::Duration;

use kimberly_archive::ArchiveError;
use tonic::{Code, Status};
use tonic_types::{ErrorDetails, RpcStatusExt as _, StatusExt as _, pb};

/// The result of a command.
pub(crate) type CliResult<T = ()> = Result<T, CliError>;

const REFUSED: u8 = 1;
const USAGE: u8 = 2;
const UNREACHABLE: u8 = 3;

/// A failed command.
#[derive(Debug)]
pub(crate) struct CliError {
    message: String,
    /// `None`: the reader of our output is gone, which is fine.
    code: Option<u8>,
    /// Whether retrying the same call a little later may help.
    pub(crate) retryable: bool,
    /// The means that makes room in a full tier, so that the same call succeeds later.
    pub(crate) room: Option<Room>,
}

/// The means that makes room in a full tier.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Room {
    /// The meditation that makes room, if the server names it.
    pub(crate) meditation: Option<String>,
    /// When to retry.
    pub(crate) after: Duration,
}

impl CliError {
    fn new(message: impl Into<String>, code: u8) -> Self {
        Self { message: message.into(), code: Some(code), retryable: false, room: None }
    }

    /// The server refused the call, or the transport failed.
    pub(crate) fn failed(message: impl Into<String>) -> Self {
        Self::new(message, REFUSED)
    }

    /// Invalid arguments.
    pub(crate) fn usage(message: impl Into<String>) -> Self {
        Self::new(message, USAGE)
    }

    /// A file or folder cannot be written.
    pub(crate) fn unwritable(path: &Path, error: &io::Error) -> Self {
        Self::usage(format!("{} cannot be written: {error}", path.display()))
    }

    /// Marks the error as retryable.
    pub(crate) fn that_may_pass(self) -> Self {
        Self { retryable: true, ..self }
    }

    /// The server is unreachable.
    pub(crate) fn unreachable(server: &str, error: &dyn Error) -> Self {
        let mut cause = error.to_string();
        let mut inner = error.source();
        while let Some(found) = inner {
            cause = found.to_string();
            inner = found.source();
        }
        let advice = if cause.contains("CertificateRequired") {
            "it requires a client certificate: name its files with --tls-cert and --tls-key"
        } else if cause.contains("certificate") {
            "if that is the right server, name its authority's file with --ca"
        } else {
            "start it with `kimberly up`, or name another server with --server"
        };
        let message = format!("Kimberly cannot be reached at {server} ({cause}); {advice}");
        Self { message, code: Some(UNREACHABLE), retryable: true, room: None }
    }

    /// The message.
    pub(crate) fn message(&self) -> &str {
        &self.message
    }

    /// Prefixes the message with the operation.
    pub(crate) fn during(mut self, what: &str) -> Self {
        self.message = format!("{what}: {}", self.message);
        self
    }

    /// Appends another error to the message.
    pub(crate) fn and(mut self, other: &Self) -> Self {
        self.message = format!("{}\n{}", self.message, other.message);
        self
    }

    /// Prints the message and returns the exit code.
    pub(crate) fn report(&self) -> ExitCode {
        let Some(code) = self.code else { return ExitCode::SUCCESS };
        let _ = writeln!(io::stderr(), "kimberly: {}", self.message);
        ExitCode::from(code)
    }
}

impl CliError {
    /// The refusal of one item of many.
    pub(crate) fn of_item(refused: &pb::Status) -> Self {
        Self::failed(sentence(refused.code.into(), &refused.message, &refused.get_error_details()))
    }

    /// Converts the error of a call, with `advice` instead of the usual one if the server refused it for this reason.
    pub(crate) fn advising(refusal: &'static str, advice: &'static str) -> impl FnOnce(Status) -> Self {
        move |status| Self::of_call(&status, |reason| if reason == refusal { Some(advice) } else { hint(reason) })
    }

    /// A failed stream, or a call that may be repeated: an error that does not come from our server means that the
    /// connection broke.
    pub(crate) fn of_stream(status: Status) -> Self {
        let broken = status.get_error_details().error_info().is_none()
            && matches!(status.code(), Code::Unknown | Code::Internal | Code::Cancelled | Code::Unavailable);
        let error = Self::from(status);
        Self { retryable: error.retryable || broken, ..error }
    }

    fn of_call<'a>(status: &Status, hint: impl FnOnce(&str) -> Option<&'a str>) -> Self {
        let details = status.get_error_details();
        let reason = details.error_info().map(|info| info.reason.as_str());
        let lost = reason.is_none() && matches!(status.code(), Code::Unavailable | Code::DeadlineExceeded);
        let message = sentence(status.code(), status.message(), &details);
        let hint = reason.and_then(hint).map_or_else(String::new, |hint| format!("; {hint}"));
        Self {
            message: format!("{message}{hint}"),
            code: Some(if lost { UNREACHABLE } else { REFUSED }),
            retryable: matches!(status.code(), Code::Unavailable),
            room: room(&details),
        }
    }
}

impl fmt::Display for CliError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.message)
    }
}

impl From<io::Error> for CliError {
    fn from(error: io::Error) -> Self {
        let code = (error.kind() != io::ErrorKind::BrokenPipe).then_some(REFUSED);
        Self { message: error.to_string(), code, retryable: false, room: None }
    }
}

impl From<ArchiveError> for CliError {
    fn from(error: ArchiveError) -> Self {
        match error {
            ArchiveError::Io(error) => error.into(),
            other => Self::failed(other.to_string()),
        }
    }
}

impl From<Status> for CliError {
    fn from(status: Status) -> Self {
        Self::of_call(&status, hint)
    }
}

/// The waiting advice in the refusal of a full tier.
fn room(details: &ErrorDetails) -> Option<Room> {
    let info = details.error_info().filter(|info| info.reason == "QUOTA_EXCEEDED")?;
    let after = details.retry_info()?.retry_delay?;
    Some(Room { meditation: info.metadata.get("meditation_id").cloned(), after })
}

/// The details as a sentence; the status' own message if they add nothing.
fn sentence(code: Code, message: &str, details: &ErrorDetails) -> String {
    let fields: Vec<String> = details.bad_request().map_or_else(Vec::new, |bad| {
        bad.field_violations.iter().map(|one| format!("{} {}", one.field, one.description)).collect()
    });
    let quotas: Vec<String> = details.quota_failure().map_or_else(Vec::new, |failure| {
        failure.violations.iter().map(|one| one.description.clone()).filter(|text| !text.is_empty()).collect()
    });
    match (code, fields.is_empty(), quotas.is_empty(), message) {
        (_, false, ..) => fields.join("; "),
        (_, _, false, _) => quotas.join("; "),
        (Code::Unimplemented, ..) => {
            "the server does not know this call; client and server may be of different versions (`kimberly doctor`)"
                .to_owned()
        }
        (code, _, _, "") => format!("the server answered {code:?} without a message"),
        (_, _, _, message) => message.to_owned(),
    }
}

/// The suggested next command, by the error's reason.
fn hint(reason: &str) -> Option<&'static str> {
    Some(match reason {
        "MEMORY_NOT_FOUND" => "`kimberly list` shows ids; --user selects the user",
        "MEDITATION_NOT_FOUND" => "`kimberly meditations` shows ids",
        "ENTITY_NOT_FOUND" => "`kimberly entities` shows ids",
        "GOAL_NOT_FOUND" => "`kimberly goals list` shows ids",
        "UNAUTHENTICATED" => {
            "set KIMBERLY_TOKEN or name a file with --token-file; the account that runs Kimberly finds its own key"
        }
        "CREDENTIAL_NOT_FOUND" => "`kimberly keys list` shows all",
        "ATTACHMENT_NOT_FOUND" => "`kimberly attachments list` shows ids",
        "CONSENT_NOT_FOUND" => "`kimberly consent list --all` shows ids",
        "CONSENT_REQUIRED" => "once the person has agreed: `kimberly consent grant`",
        "PLAN_CHANGED" => "`kimberly meditate --dry-run` makes a new plan",
        "QUOTA_EXCEEDED" => "`kimberly metrics` shows usage, `kimberly settings set` raises a quota",
        "EMBEDDINGS_OFF" => "`kimberly embed status` says more",
        "STORAGE_FULL" | "STORAGE_IO_ERROR" | "STORAGE_CORRUPT" | "VAULT_QUARANTINED" => "`kimberly doctor` says more",
        _ => return None,
    })
}

#[cfg(test)]
mod tests {
    use std::collections::HashMap;

    use super::*;

    #[test]
    fn field_violations_read_as_sentences() {
        let mut details = ErrorDetails::new();
        details.add_bad_request_violation("memory.content", "has 70000 bytes; at most 65536 are allowed");
        details.set_error_info("INVALID_FIELD", "kimberly.v1", HashMap::new());
        let status = Status::with_error_details(Code::InvalidArgument, "invalid request", details);
        let error = CliError::from(status);
        assert_eq!(error.message(), "memory.content has 70000 bytes; at most 65536 are allowed");
        assert_eq!(error.code, Some(REFUSED));
    }

    #[test]
    fn reasons_come_with_what_to_type_next() {
        let mut details = ErrorDetails::new();
        details.set_error_info("PLAN_CHANGED", "kimberly.v1", HashMap::new());
        let error = CliError::from(Status::with_error_details(Code::FailedPrecondition, "changed", details));
        assert_eq!(error.message(), "changed; `kimberly meditate --dry-run` makes a new plan");
    }

    #[test]
    fn a_lost_connection_has_its_own_code_and_may_be_tried_again() {
        let error = CliError::from(Status::unavailable("transport error"));
        assert_eq!((error.code, error.retryable), (Some(UNREACHABLE), true));
        assert_eq!(CliError::from(Status::internal("")).message(), "the server answered Internal without a message");
    }

    #[test]
    fn a_reader_that_went_away_is_no_error() {
        assert_eq!(CliError::from(io::Error::from(io::ErrorKind::BrokenPipe)).code, None);
    }
}
