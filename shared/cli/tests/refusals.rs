//! Tests that each failure is one message with advice, and has the right exit code.
#![expect(clippy::panic, clippy::unwrap_used, reason = "a helper of tests fails the test that calls it")]

mod common;

use std::fs;
use std::net::TcpListener;
use std::process::Stdio;
use std::time::{Duration, Instant};

use common::{Sandbox, Up, alive, said};

#[test]
fn a_server_that_does_not_listen_ends_with_3_and_advice_to_start_it() {
    let sandbox = Sandbox::new();
    for args in [
        &["recall", "tea"][..],
        &["remember", "tea"],
        &["list"],
        &["metrics", "--system"],
        &["goals", "list"],
        &["mcp"],
    ] {
        let output = sandbox.run(args);
        assert_eq!(output.status.code(), Some(3), "{args:?}: {}", said(&output));
        assert!(said(&output).contains("kimberly up"), "{}", said(&output));
    }
}

#[test]
fn arguments_without_sense_end_with_2_and_name_what_is_allowed() {
    let sandbox = Sandbox::new();
    for (args, part) in [
        (&["remember", "tea", "--at", "yesterday"][..], "2023-05-08"),
        (&["remember", "tea", "--tier", "forever"], "long_term"),
        (&["remember", "tea", "--attributes", "[1]"], "JSON object"),
        (&["remember", "tea", "--kind", "thought"], "decision"),
        (&["remember", "tea", "--kind", "decision", "--detail-json", "{\"choise\": \"x\"}"], "choice, alternatives"),
        (&["remember", "tea", "--detail-json", "{}"], "--kind"),
        (&["remember", "tea", "--valid-to", "soon"], "2023-05-08"),
        (&["settings", "set", "grace=soon"], "30d"),
        (&["settings", "reset", "sise"], "short_term_quota"),
        (&["edit", "mem_x"], "--text"),
        (&["feedback", "9", "mem_x"], "1 to 5"),
        (&["recall"], "write kimberly recall \""),
        (&["recall"], "`kimberly list` shows all memories"),
        (&["core", "set"], "write kimberly core set persona"),
        (&["goals", "add"], "write kimberly goals add \"move to Lisbon\""),
        (&["mcp", "--profile", "foo"], "default, manage, research, graph, all"),
        (&["import", "/nonexistent.json"], "/nonexistent.json"),
        (&["list", "--server", "not a url"], "http://127.0.0.1:7420"),
        (&["dance"], "dance"),
    ] {
        let output = sandbox.run(args);
        assert_eq!(output.status.code(), Some(2), "{args:?}: {}", said(&output));
        assert!(said(&output).contains(part), "{args:?}: {}", said(&output));
    }
}

#[test]
fn a_file_can_be_checked_without_a_server() {
    let sandbox = Sandbox::new();
    let line = "{\"content\":\"tea\"}\n";
    let output = sandbox.run_with(&["import", "-", "--check"], &line.repeat(3));
    assert!(output.status.success(), "{}", said(&output));
    assert!(String::from_utf8_lossy(&output.stdout).starts_with("would import 3 memories for user ann"));
    let messages = r#"[{"role":"system","content":"Be kind."},{"role":"user","content":"I like tea."}]"#;
    let output = sandbox.run_with(&["import", "-", "--dry-run"], messages);
    let told = String::from_utf8_lossy(&output.stdout).into_owned();
    assert!(told.starts_with("would import 1 ") && told.contains("omitted 1 "), "{told}");
    let talk = r#"[{"conversation":{"session_1_date_time":"1:56 pm on 8 May, 2023","session_1":[]}}]"#;
    let output = sandbox.run_with(&["import", "-", "--check", "--user", "bob", "--prefix", "talk"], talk);
    assert_eq!(output.status.code(), Some(2), "a user that is not used");
    assert!(said(&output).contains("talk-1") && said(&output).contains("leave out --user bob"), "{}", said(&output));
    let output = sandbox.run_with(&["import", "-"], "dear diary");
    assert_eq!(output.status.code(), Some(2));
    assert!(said(&output).contains("conversations.json") && said(&output).contains("--format"), "{}", said(&output));
    let output = sandbox.run_with(&["import", "-", "--check"], "{\"content\":\"\"}");
    assert_eq!(output.status.code(), Some(2));
    assert!(said(&output).contains("line 1"), "{}", said(&output));
}

#[test]
fn what_lies_in_postgres_is_no_business_of_backups_of_the_data_folder() {
    let sandbox = Sandbox::new();
    for args in [&["backup", "create", "copy"][..], &["backup", "restore", "copy"]] {
        let url = "postgres://ada:secret@db.example.com/kimberly?sslmode=verify-full";
        let output = sandbox.command(args).env("KIMBERLY_POSTGRES__URL", url).output().unwrap();
        assert_eq!(output.status.code(), Some(1), "{args:?}: {}", said(&output));
        assert!(said(&output).contains("pg_basebackup") && !said(&output).contains("secret"), "{}", said(&output));
    }
}

#[test]
fn completion_is_printed_for_every_shell_and_a_closed_pipe_is_no_error() {
    let sandbox = Sandbox::new();
    for shell in ["bash", "zsh", "fish", "elvish", "powershell"] {
        assert!(sandbox.ok(&["completion", shell]).contains("meditate"), "{shell}");
    }
    let mut child =
        sandbox.command(&["completion", "bash"]).stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap();
    drop(child.stdout.take());
    let output = child.wait_with_output().unwrap();
    assert!(output.status.success() && said(&output).is_empty(), "{}: {}", output.status, said(&output));
}

#[test]
fn doctor_finds_what_is_missing_and_fails() {
    let sandbox = Sandbox::new();
    let output = sandbox.run(&["doctor", "--json"]);
    assert_eq!(output.status.code(), Some(1));
    let findings: serde_json::Value = serde_json::from_slice(&output.stdout).unwrap();
    let bad = |about: &str| {
        findings["findings"].as_array().unwrap().iter().any(|f| f["about"] == about && f["level"] == "bad")
    };
    assert!(bad("api") && bad("worker") && bad("embedder"), "{findings}");
    assert!(!bad("configuration"), "{findings}");
}

#[test]
fn up_refuses_a_configuration_that_makes_no_sense() {
    let sandbox = Sandbox::new();
    fs::write(sandbox.folder.path().join("kimberly.toml"), "[vaults]\nmax_opn = 3\n").unwrap();
    let output = sandbox.run(&["up"]);
    assert_eq!(output.status.code(), Some(2));
    assert!(said(&output).contains("max_opn") && said(&output).contains("max_open"), "{}", said(&output));
}

#[test]
fn up_names_a_port_that_is_taken_and_how_to_choose_another() {
    let sandbox = Sandbox::new();
    let bin_dir = sandbox.fakes("exit 1");
    let _taken = TcpListener::bind(("127.0.0.1", sandbox.ports[1])).unwrap();
    let output = sandbox.command(&["up"]).env("KIMBERLY_BIN_DIR", bin_dir).output().unwrap();
    assert_eq!(output.status.code(), Some(1));
    assert!(said(&output).contains("KIMBERLY_WORKER__LISTEN"), "{}", said(&output));
    assert!(output.stdout.is_empty(), "something was started");
}

#[test]
fn up_gives_up_when_a_process_ends_before_it_is_ready_and_shows_its_words() {
    let sandbox = Sandbox::new();
    let bin_dir = sandbox.fakes("echo the disk is made of cheese >&2; exit 1");
    let output = sandbox.command(&["up"]).env("KIMBERLY_BIN_DIR", bin_dir).output().unwrap();
    assert_eq!(output.status.code(), Some(1));
    assert!(said(&output).contains("before it was ready"), "{}", said(&output));
    let lines = String::from_utf8_lossy(&output.stdout).into_owned();
    assert!(lines.contains("| the disk is made of cheese"), "{lines}");
}

#[test]
fn up_takes_the_platforms_data_folder_and_says_when_memories_lie_in_the_current_one() {
    let sandbox = Sandbox::new();
    let bin_dir = sandbox.fakes("echo works in $KIMBERLY_DATA_DIR; exit 1");
    let share = sandbox.folder.path().join("share");
    let run = || {
        let mut command = sandbox.command(&["up"]);
        command.env_remove("KIMBERLY_DATA_DIR").env("XDG_DATA_HOME", &share).env("KIMBERLY_BIN_DIR", &bin_dir);
        String::from_utf8_lossy(&command.output().unwrap().stdout).into_owned()
    };
    let (own, here) = (share.join("kimberly"), sandbox.folder.path().canonicalize().unwrap().join("data"));
    let works_in = |folder: &std::path::Path| format!("works in {}\n", folder.display());
    fs::create_dir_all(here.join("vaults")).unwrap();
    let lines = run();
    assert!(lines.contains(&works_in(&here)) && lines.contains("using ./data"), "{lines}");
    assert!(!own.exists(), "another memory was made");
    fs::create_dir_all(own.join("vaults")).unwrap();
    let lines = run();
    assert!(lines.contains(&works_in(&own)) && lines.contains("both ./data and"), "{lines}");
    fs::remove_dir_all(here).unwrap();
    let lines = run();
    assert!(lines.contains(&works_in(&own)) && !lines.contains("./data"), "{lines}");
}

#[test]
fn kimberly_alone_names_five_commands() {
    let told = Sandbox::new().ok(&[]);
    let commands: Vec<&str> =
        told.lines().filter_map(|line| line.strip_prefix("  kimberly ")?.split(' ').next()).collect();
    assert_eq!(commands, ["up", "remember", "recall", "list", "forget"]);
}

#[test]
fn up_kills_what_does_not_stop_and_a_second_up_waits_for_no_one() {
    let sandbox = Sandbox::new();
    fs::write(sandbox.folder.path().join("kimberly.toml"), "[limits]\nshutdown_soft = 0\nshutdown_hard = \"100ms\"\n")
        .unwrap();
    let bin_dir = sandbox.fakes("trap '' TERM INT; echo started as $$; while :; do sleep 0.1; done");
    let mut command = sandbox.command(&["up"]);
    command.env("KIMBERLY_BIN_DIR", &bin_dir);
    let mut up = Up::start(command);
    let stubborn: Vec<u32> =
        (0..3).map(|_| up.until("started as").rsplit_once(' ').unwrap().1.parse().unwrap()).collect();

    let second = sandbox.command(&["up"]).env("KIMBERLY_BIN_DIR", &bin_dir).output().unwrap();
    assert_eq!(second.status.code(), Some(1));
    let holder = up.child.id().to_string();
    assert!(said(&second).contains("another `kimberly up`") && said(&second).contains(&holder), "{}", said(&second));

    let asked = Instant::now();
    up.signal("TERM");
    assert_eq!(up.ended(), Some(0));
    assert!(asked.elapsed() < Duration::from_secs(20));
    assert!(stubborn.into_iter().all(|process| !alive(process)), "a process was left behind");
}
