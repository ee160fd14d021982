//! Tests what the command does with what a newcomer types: names with commas, names that do not exist, profiles of tools.
#![expect(clippy::panic, clippy::unwrap_used, reason = "a helper of tests fails the test that calls it")]

mod common;

use common::{Sandbox, Up, said};

#[test]
fn what_a_newcomer_types_works_or_is_refused_with_what_works() {
    let sandbox = Sandbox::new();
    let mut up = Up::start(sandbox.command(&["up"]));
    up.until("Kimberly is ready");
    naming_things_with_commas(&sandbox);
    names_that_do_not_exist_yet(&sandbox);
    profiles_of_tools(&sandbox);
    up.signal("INT");
    assert_eq!(up.ended(), Some(0), "{}", up.seen.join("\n"));
}

/// A name is one value with its commas; several names are several options.
fn naming_things_with_commas(sandbox: &Sandbox) {
    let user = ["--user", "cn=kim,ou=people"];
    let count = |args: &[&str]| {
        let found = sandbox.json(&[&["list"], args, &user].concat());
        found["memories"].as_array().unwrap().len()
    };
    sandbox.ok(&[&["remember", "one", "--tag", "a,b", "--speaker", "Silva, Ana"], &user[..]].concat());
    sandbox.ok(&[&["remember", "two", "--tag", "a", "--tag", "c", "--namespace", "x,y"], &user[..]].concat());
    sandbox.ok(&[&["remember", "three", "--tag", "b", "--subject", "tea, green"], &user[..]].concat());
    assert_eq!((count(&["--tag", "a,b"]), count(&["--tag", "a", "--tag", "b"])), (1, 2));
    assert_eq!((count(&["--all-tags", "a,b"]), count(&["--all-tags", "a", "--all-tags", "c"])), (1, 1));
    assert_eq!((count(&["--speaker", "Silva, Ana"]), count(&["--namespace", "x,y"])), (1, 1));
    assert_eq!((count(&["--about", "tea, green"]), count(&["--tier", "permanent,long_term"])), (1, 3));
    let none = sandbox.ok(&[&["list", "--tag", "a,c"], &user[..]].concat());
    assert!(none.contains("--tag \"a\" --tag \"c\""), "{none}");
}

fn names_that_do_not_exist_yet(sandbox: &Sandbox) {
    for (args, advice) in [
        (&["file", "write", "notes/new.md", "tea"][..], "`kimberly remember TEXT --name NAME` stores a new memory"),
        (&["file", "append", "notes/new.md", "tea"], "`kimberly remember TEXT --name NAME`"),
        (&["file", "show", "notes/new.md"], "`kimberly file list` shows names"),
        (&["file", "versions", "notes/new.md"], "`kimberly file list` shows names"),
        (&["file", "rename", "notes/new.md", "notes/x.md"], "`kimberly file list` shows names"),
        (&["core", "set", "pets", "Two cats."], "`kimberly core add LABEL TEXT` adds a block"),
        (&["core", "remove", "pets"], "`kimberly core list` shows labels"),
    ] {
        let refused = sandbox.run(args);
        assert_eq!(refused.status.code(), Some(1), "{args:?}: {}", said(&refused));
        assert!(said(&refused).contains(advice), "{args:?}: {}", said(&refused));
    }
    sandbox.ok(&["remember", "coffee", "--name", "notes/new.md"]);
    sandbox.ok(&["file", "write", "notes/new.md", "tea"]);
    sandbox.ok(&["core", "add", "pets", "A cat."]);
    sandbox.ok(&["core", "set", "pets", "Two cats."]);
}

/// Each profile that the command accepts is one of the server's.
fn profiles_of_tools(sandbox: &Sandbox) {
    let list = r#"{"jsonrpc":"2.0","id":1,"method":"initialize","params":{"protocolVersion":"2025-06-18","capabilities":{},"clientInfo":{"name":"t","version":"1"}}}"#;
    for profile in ["default", "manage", "research", "graph", "all"] {
        let answer = sandbox.run_with(&["mcp", "--profile", profile], &format!("{list}\n"));
        let told = String::from_utf8_lossy(&answer.stdout).into_owned();
        assert!(answer.status.success() && told.contains("\"result\""), "{profile}: {told}{}", said(&answer));
    }
}
