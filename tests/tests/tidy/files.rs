//! Rules for every file: a purpose at the top, a maximum length, no trace of one machine.

use super::{Text, assert_none, sources, texts};

/// The longest shipped file, with the unit tests in it.
const MAX_SHIPPED_LINES: usize = 300;
/// The longest file of tests.
const MAX_TEST_LINES: usize = 500;

#[test]
fn every_source_opens_with_its_purpose() {
    let problems: Vec<String> = sources()
        .iter()
        .filter(|file| !file.text.lines().take(5).any(|line| line.starts_with("//!")))
        .map(|file| format!("{} does not open with //!", file.path))
        .collect();
    assert_none("files without a purpose", &problems);
}

#[test]
fn no_source_is_too_long() {
    let mut problems = Vec::new();
    for file in sources() {
        let lines = file.text.lines().count();
        let most = if is_of_tests(&file.path) { MAX_TEST_LINES } else { MAX_SHIPPED_LINES };
        if lines > most {
            problems.push(format!("{} has {lines} lines, at most {most} are allowed; split it", file.path));
        }
    }
    assert_none("files that are too long", &problems);
}

/// Whether a file only serves tests, or is a suite of tests.
fn is_of_tests(path: &str) -> bool {
    let folders = ["tests/", "shared/store/src/conformance/"];
    folders.iter().any(|folder| path.starts_with(folder)) || path.contains("/tests/") || path.ends_with("tests.rs")
}

#[test]
fn no_lint_is_silenced_without_a_reason() {
    let mut problems = Vec::new();
    for file in sources() {
        for needle in
            [concat!("#[", "allow("), concat!("#![", "allow("), concat!("#[", "expect("), concat!("#![", "expect(")]
        {
            for (start, _) in file.text.match_indices(needle) {
                let attribute = file.text[start..].split_inclusive(']').next().unwrap_or_default();
                if !attribute.contains("reason") {
                    problems.push(format!("{} line {}", file.path, line_of(&file, start)));
                }
            }
        }
    }
    assert_none("lints silenced without a reason", &problems);
}

#[test]
fn no_test_is_left_out_without_a_reason() {
    let mut problems = Vec::new();
    for file in sources() {
        for (start, _) in file.text.match_indices(concat!("#[", "ignore]")) {
            problems.push(format!("{} line {}", file.path, line_of(&file, start)));
        }
    }
    assert_none("tests that are ignored", &problems);
}

#[test]
fn every_module_of_tests_is_in_its_program() {
    let sources = sources();
    let mut problems = Vec::new();
    for folder in ["tests/tests/", "shared/store/tests/"] {
        let program = sources.iter().find(|file| file.path == format!("{folder}main.rs")).expect("a program");
        for file in sources.iter().filter(|file| file.path != program.path) {
            let Some(path) = file.path.strip_prefix(folder) else { continue };
            let module = path.split('/').next().unwrap_or(path).trim_end_matches(".rs");
            if !program.text.contains(&format!("\nmod {module};\n")) {
                problems.push(format!("{} is in no program: add `mod {module};` to {}", file.path, program.path));
            }
        }
    }
    assert_none("tests that never run", &problems);
}

#[test]
fn status_codes_are_made_in_one_file() {
    let constructors = ["new", "with_details", "with_error_details", "with_error_details_vec", "from_error"]
        .into_iter()
        .chain(CODES.iter().copied())
        .map(|name| format!("{}::{name}(", "Status"))
        .collect::<Vec<_>>();
    let mut problems = Vec::new();
    for file in sources() {
        if is_of_tests(&file.path)
            || ["api/src/status.rs", "embedder/src/service/status.rs"].contains(&file.path.as_str())
        {
            continue;
        }
        let shipped = file.text.lines().take_while(|line| line.trim() != "#[cfg(test)]");
        for (number, line) in shipped.enumerate() {
            let code = line.trim_start();
            if !code.starts_with("//") && constructors.iter().any(|name| names_status(code, name)) {
                problems.push(format!("{} line {}: {code}", file.path, number + 1));
            }
        }
    }
    assert_none("gRPC statuses made outside the one file of each process that answers", &problems);
}

const CODES: [&str; 16] = [
    "aborted",
    "already_exists",
    "cancelled",
    "data_loss",
    "deadline_exceeded",
    "failed_precondition",
    "internal",
    "invalid_argument",
    "not_found",
    "ok",
    "out_of_range",
    "permission_denied",
    "resource_exhausted",
    "unauthenticated",
    "unavailable",
    "unimplemented",
];

/// Whether `code` calls a constructor of `Status` itself, not of a type whose name ends with it.
fn names_status(code: &str, constructor: &str) -> bool {
    code.match_indices(constructor)
        .any(|(at, _)| !code[..at].ends_with(|before: char| before.is_alphanumeric() || before == '_'))
}

#[test]
fn no_file_names_a_registry_host_or_a_machine_path() {
    let hosts = [
        concat!("index.", "crates.io"),
        concat!("static.", "crates.io"),
        concat!("pypi", ".org"),
        concat!("python", "hosted.org"),
        concat!("registry.", "npmjs.org"),
        concat!("registry.", "yarnpkg.com"),
        concat!("deb.", "debian.org"),
        concat!("/wo", "rk/"),
        concat!("/ro", "ot/"),
    ];
    let mut problems = Vec::new();
    for file in texts() {
        for (number, line) in file.text.lines().enumerate() {
            if let Some(host) = hosts.iter().find(|host| line.contains(**host)) {
                problems.push(format!("{} line {} holds {host}", file.path, number + 1));
            }
        }
    }
    assert_none("registry hosts or machine paths", &problems);
}

fn line_of(file: &Text, at: usize) -> usize {
    file.text[..at].lines().count().max(1)
}
