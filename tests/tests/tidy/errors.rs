//! The table of errors lists every reason of the contract once, with its code and HTTP status.

use super::{assert_none, root};

/// A reason and its codes, such as `("NO_SUCH_METHOD", "NOT_FOUND or UNIMPLEMENTED")`.
type Reason = (String, String);

fn read(path: &str) -> String {
    std::fs::read_to_string(root().join(path)).unwrap_or_else(|error| panic!("{path}: {error}"))
}

/// The contract's reasons: the comment above each value starts with its codes.
fn of_the_contract() -> Vec<Reason> {
    let mut comment = String::new();
    let mut reasons = Vec::new();
    for line in read("proto/kimberly/v1/errors.proto").lines().map(str::trim) {
        if let Some(text) = line.strip_prefix("//") {
            comment.push_str(text);
        } else if let Some(rest) = line.strip_prefix("ERROR_REASON_") {
            let name = rest.split_whitespace().next().expect("a value has a name").to_owned();
            let codes = comment.split_once(':').map_or("", |(codes, _)| codes).trim().to_owned();
            reasons.push((name, codes));
            comment.clear();
        } else {
            comment.clear();
        }
    }
    reasons.retain(|(name, _)| name != "UNSPECIFIED");
    reasons
}

/// The rows of the table: reason, codes and HTTP statuses.
fn documented() -> Vec<(Reason, String)> {
    let cell = |row: &str, index: usize| row.split('|').nth(index).unwrap_or_default().trim().to_owned();
    read("docs/errors.md")
        .lines()
        .filter(|line| line.starts_with("| `"))
        .map(|row| ((cell(row, 1).trim_matches('`').to_owned(), cell(row, 2)), cell(row, 3)))
        .collect()
}

/// The HTTP status of a reason's code: a more specific one of HTTP, or else google.rpc.Code's mapping.
fn http(reason: &str, code: &str) -> &'static str {
    match (reason, code) {
        ("NO_SUCH_METHOD", "UNIMPLEMENTED") => "405",
        ("REQUEST_TOO_LARGE", "OUT_OF_RANGE") => "413",
        (_, code) => of_code(code),
    }
}

fn of_code(code: &str) -> &'static str {
    match code {
        "INVALID_ARGUMENT" | "FAILED_PRECONDITION" | "OUT_OF_RANGE" => "400",
        "UNAUTHENTICATED" => "401",
        "PERMISSION_DENIED" => "403",
        "NOT_FOUND" => "404",
        "ALREADY_EXISTS" | "ABORTED" => "409",
        "RESOURCE_EXHAUSTED" => "429",
        "INTERNAL" | "DATA_LOSS" => "500",
        "UNIMPLEMENTED" => "501",
        "UNAVAILABLE" => "503",
        "DEADLINE_EXCEEDED" => "504",
        other => panic!("{other} is no code that Kimberly sends"),
    }
}

#[test]
fn the_table_of_errors_is_the_contract_s() {
    let rows: Vec<Reason> = documented().into_iter().map(|(reason, _)| reason).collect();
    assert!(rows.len() > 20, "only {} reasons found", rows.len());
    assert_eq!(rows, of_the_contract(), "docs/errors.md differs from errors.proto");
}

#[test]
fn every_documented_code_has_its_http_status() {
    let problems: Vec<String> = documented()
        .iter()
        .filter(|((reason, codes), statuses)| {
            let expected: Vec<_> = codes.split(" or ").map(|code| http(reason, code)).collect();
            expected.join(" or ") != *statuses
        })
        .map(|((reason, codes), statuses)| format!("{reason}: {codes} is not {statuses}"))
        .collect();
    assert_none("HTTP statuses that do not follow from their codes", &problems);
}
