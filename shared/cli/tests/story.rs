//! Tests a first day with the real processes under `kimberly up`, using only the command.
//!
//! The processes are found in `KIMBERLY_BIN_DIR`, else beside `kimberly`, where `cargo build --workspace` puts them.
#![expect(clippy::panic, clippy::unwrap_used, reason = "a helper of tests fails the test that calls it")]

mod common;

use std::fs;

use common::{Sandbox, Up, alive, child_of, eventually, free, kill, said};
use serde_json::Value;

fn up(sandbox: &Sandbox) -> Up {
    let mut up = Up::start(sandbox.command(&["up"]));
    up.until("Kimberly is ready");
    up
}

#[track_caller]
fn id(value: &Value) -> String {
    value["id"].as_str().unwrap_or_else(|| panic!("no id in {value}")).to_owned()
}

/// The part of an id that tables show.
fn short(id: &str) -> &str {
    id.split_at(id.len() - 6).1
}

#[test]
fn a_first_day_works_as_the_help_says() {
    let sandbox = Sandbox::new();
    let mut up = up(&sandbox);
    let told = up.until("Everything is encrypted");
    let keys = sandbox.folder.path().join("keys/master.key").display().to_string();
    assert!(told.contains(&keys) && told.contains("no memory can ever be read again"), "{told}");
    remembering_and_recalling(&sandbox);
    reading_the_best_passage(&sandbox);
    changing_and_judging(&sandbox);
    consenting_and_taking_it_back(&sandbox);
    goals_settings_and_numbers(&sandbox);
    sessions_and_meditation(&sandbox);
    moving_out_and_in(&sandbox);
    accounting(&sandbox);
    purging(&sandbox);
    tables_fit_and_show_what_can_be_typed(&sandbox);
    assert!(sandbox.ok(&["rebuild"]).contains("counters were right"));
    let health = sandbox.run(&["doctor"]);
    let found = String::from_utf8_lossy(&health.stdout).into_owned();
    assert!(health.status.success(), "{found}{}", said(&health));
    assert!(found.contains("master key") && found.contains("sensitive key") && found.contains(&keys), "{found}");
    up.signal("INT");
    assert_eq!(up.ended(), Some(0), "{}", up.seen.join("\n"));
    assert!(sandbox.ports.iter().all(|port| free(*port)));
}

fn tables_fit_and_show_what_can_be_typed(sandbox: &Sandbox) {
    let memory =
        id(&sandbox.json(&["remember", "I keep the spare key under the third pot", "--tag", "keys"])["receipt"]);
    let goal = id(&sandbox.json(&[
        "goals",
        "add",
        "learn to sail around the whole world",
        "--tag",
        "sea, boats and wind",
    ])["goal"]);
    let run = id(&sandbox.json(&["meditations"])["meditations"][0]);
    let consent = id(&sandbox.json(&["consent", "list", "--all"])["consents"][0]);
    let doubt = "We may sail around the world with the whole crew, if the wind holds and the boat is ready by then";
    sandbox.ok(&["remember", doubt, "--confidence", "0.3"]);
    let review = id(&sandbox.json(&["review", "--kind", "uncertain"])["reviews"][0]);
    for (args, id) in [
        (&["list"][..], &memory),
        (&["review"], &review),
        (&["recall", "spare key"], &memory),
        (&["goals", "list"], &goal),
        (&["meditations"], &run),
        (&["consent", "list", "--all"], &consent),
        (&["audit", "list"], &goal),
    ] {
        let output = sandbox.command(args).env("COLUMNS", "80").output().unwrap();
        let table = String::from_utf8(output.stdout).unwrap();
        assert!(table.lines().all(|line| line.chars().count() <= 80), "{args:?}:\n{table}");
        assert!(table.contains(short(id)) && !table.contains(id), "{args:?} does not show {id} short:\n{table}");
        assert!(sandbox.ok(&[args, &["--wide"]].concat()).contains(id), "{args:?} --wide");
    }
    assert_eq!(sandbox.json(&["show", short(&memory)])["memory"]["id"], memory.as_str());
    assert_eq!(sandbox.json(&["meditations", "show", short(&run)])["meditation"]["id"], run.as_str());
    assert!(sandbox.ok(&["audit", "list", "--about", short(&goal)]).contains("goal.create"));
    sandbox.ok(&["goals", "done", short(&goal)]);
    sandbox.ok(&["forget", short(&memory)]);
    assert!(sandbox.ok(&["review", "dismiss", short(&review)]).contains(&review));
    sandbox.ok(&["restore", &format!("mem_…{}", short(&memory))]);
    let unknown = sandbox.run(&["show", "ffffffff"]);
    assert!(said(&unknown).contains("no id of this user ends in ffffffff"), "{}", said(&unknown));
}

fn accounting(sandbox: &Sandbox) {
    let listed = sandbox.json(&["audit", "list", "-n", "1000"]);
    let entries = listed["entries"].as_array().unwrap();
    let number = entries.len().to_string();
    assert!(entries.len() > 10 && entries[0]["number"] == number, "{listed}");
    let about = entries.iter().find(|entry| entry["action"] == "memory.create").unwrap();
    let subject = about["subject"].as_str().unwrap();
    assert!(sandbox.ok(&["audit", "list", "--about", subject]).contains("memory.create"));
    let verdict = sandbox.json(&["audit", "verify"]);
    assert_eq!(verdict["intact"], true);
    let head = format!("{}:{}", verdict["head"]["number"].as_str().unwrap(), verdict["head"]["hash"].as_str().unwrap());
    assert!(sandbox.ok(&["audit", "verify"]).contains(&head));
    assert!(sandbox.ok(&["audit", "verify", "--system"]).contains("the audit is intact"));
    sandbox.ok(&["remember", "one more thing"]);
    assert!(sandbox.ok(&["audit", "verify", "--head", &head]).contains("the audit is intact"));
    let file = sandbox.folder.path().join("audit.jsonl");
    let name = file.to_str().unwrap();
    let part = sandbox.folder.path().join("audit.jsonl.part");
    fs::write(&part, "of another export").unwrap();
    let refused = sandbox.run(&["audit", "export", name]);
    assert_eq!(refused.status.code(), Some(2));
    assert!(said(&refused).contains("audit.jsonl.part exists; remove it"), "{}", said(&refused));
    assert_eq!(fs::read_to_string(&part).unwrap(), "of another export");
    fs::remove_file(&part).unwrap();
    assert!(sandbox.ok(&["audit", "export", name]).contains("entries to"));
    assert!(!part.exists());
    let offline = ["audit", "verify", "--export", name, "--head", &head, "--server", "http://127.0.0.1:1"];
    assert!(sandbox.ok(&offline).contains("the audit is intact"));
    let text = fs::read_to_string(&file).unwrap().replacen("memory.create", "memory.delete", 1);
    fs::write(&file, text).unwrap();
    let found = sandbox.run(&offline);
    assert_eq!(found.status.code(), Some(1));
    assert!(String::from_utf8_lossy(&found.stdout).contains("changed, moved or inserted"), "{}", said(&found));
    assert!(said(&found).contains("the audit is not intact"), "{}", said(&found));
}

fn purging(sandbox: &Sandbox) {
    sandbox.ok(&["remember", "soon gone", "--user", "gus"]);
    let slip = sandbox.run_with(&["purge", "--user", "gus"], "gas\n");
    assert_eq!(slip.status.code(), Some(2));
    assert!(said(&slip).contains("nothing was erased"), "{}", said(&slip));
    let purged = sandbox.run_with(&["--json", "purge", "--user", "gus"], "gus\n");
    assert!(purged.status.success(), "{}", said(&purged));
    let receipt = serde_json::from_slice::<Value>(&purged.stdout).unwrap()["purge"].take();
    let rows = &receipt["erased"]["rows"]["memories"];
    assert_eq!((&receipt["state"], rows), (&Value::from("PURGE_STATE_DONE"), &Value::from("1")));
    let shown = sandbox.ok(&["purge", "receipt", short(&id(&receipt))]);
    assert!(shown.contains("all data of the user was erased") && shown.contains("the key file"), "{shown}");
    assert!(!shown.contains("gus"), "{shown}");
    assert!(sandbox.ok(&["purge", "list"]).contains(short(&id(&receipt))));
    assert!(sandbox.ok(&["list", "--user", "gus"]).contains("has no memories"));
    assert!(sandbox.ok(&["purge", "--yes", "--user", "gus"]).contains("nothing"));
}

fn reading_the_best_passage(sandbox: &Sandbox) {
    let (before, after) = ("Dear Ann, it rains.\n".repeat(40), "Yours, Bob.\n".repeat(40));
    let letter = format!("{before}The violin lies in the attic.\n{after}");
    assert!(sandbox.run_with(&["remember", "-", "--user", "letters"], &letter).status.success());
    let found = sandbox.json(&["recall", "where are the violins?", "--user", "letters"]);
    let passage = &found["results"][0]["highlights"][0];
    let byte = |end: &str| usize::try_from(passage[end].as_u64().unwrap()).unwrap();
    assert_eq!(letter[byte("start")..byte("end")], *"The violin lies in the attic.");
    let shown = sandbox.ok(&["recall", "violin", "--user", "letters"]);
    assert!(shown.contains("… The violin") && !shown.contains("Dear Ann"), "{shown}");
}

fn remembering_and_recalling(sandbox: &Sandbox) {
    let tea = id(&sandbox.json(&[
        "remember",
        "I drink my tea without sugar",
        "--tag",
        "taste",
        "--tag",
        "drinks",
        "--speaker",
        "Ann",
    ])["receipt"]);
    let piped =
        sandbox.run_with(&["remember", "-", "--tier", "permanent", "--at", "2023-05-08"], "My sister lives in Lisbon");
    assert!(piped.status.success(), "{}", said(&piped));
    let found = sandbox.json(&["recall", "how do I like my tea?", "--explain"]);
    assert_eq!(found["results"][0]["memory"]["id"], tea.as_str());
    let why = &found["results"][0]["explanation"];
    assert!(why["lexical"].as_f64().unwrap() > 0.0 && why["parts"]["words"] == why["lexical"]);
    let stages = found["stages"].as_array().unwrap();
    assert!(stages.iter().any(|stage| stage["name"] == "words" && stage["on"] == true), "{stages:?}");
    let table = sandbox.ok(&["recall", "how do I like my tea?", "--explain", "--stage", "typos=off"]);
    assert!(table.contains("typos") && table.contains("off") && table.contains("fuse"), "{table}");
    assert!(table.lines().filter(|line| !line.contains("Ann")).all(|line| line.chars().count() <= 120), "{table}");
    assert!(said(&sandbox.run(&["recall", "tea", "--stage", "magic=off"])).contains("magic"));
    assert!(sandbox.ok(&["recall", "where does my sister live", "-k", "1"]).contains("Lisbon"));
    assert_eq!(sandbox.json(&["list", "--tag", "drinks"])["memories"].as_array().unwrap().len(), 1);
    assert_eq!(
        sandbox.json(&["list", "--tier", "permanent", "--happened-until", "2023-05-09"])["memories"]
            .as_array()
            .unwrap()
            .len(),
        1
    );
    assert!(sandbox.ok(&["recall", "submarine"]).contains("nothing found"));
    let refused = sandbox.run(&["remember", "a diagnosis", "--sensitive"]);
    assert_eq!(refused.status.code(), Some(1));
    assert!(said(&refused).contains("kimberly consent grant"), "{}", said(&refused));
    let long = sandbox.run_with(&["remember", "-"], &"x".repeat(70_000));
    assert_eq!(long.status.code(), Some(1));
    assert!(said(&long).contains("70000 bytes") && said(&long).contains("65536"), "{}", said(&long));
}

fn consenting_and_taking_it_back(sandbox: &Sandbox) {
    let granted =
        sandbox.json(&["consent", "grant", "care", "--tag", "health", "--given-by", "guardian", "--note", "on paper"]);
    let consent = id(&granted["consent"]);
    let secret = ["remember", "The diagnosis is flu", "--sensitive", "--tag", "health", "--namespace", "clinic"];
    let memory = id(&sandbox.json(&secret)["receipt"]);
    assert_eq!(sandbox.json(&["show", &memory])["memory"]["consentId"], consent.as_str());
    assert!(sandbox.ok(&["consent", "list"]).contains("tag health"));
    assert!(sandbox.ok(&["recall", "diagnosis", "--namespace", "clinic"]).contains("flu"));
    assert!(sandbox.ok(&["recall", "diagnosis", "--namespace", "home"]).contains("nothing found"));
    let retracted = sandbox.json(&["consent", "retract", &consent, "--seal"]);
    assert_eq!(
        (&retracted["withheld"], &retracted["consent"]["status"]),
        (&Value::from("1"), &Value::from("CONSENT_STATUS_RETRACTED"))
    );
    assert!(sandbox.ok(&["recall", "diagnosis"]).contains("nothing found"));
    assert_eq!(sandbox.run(&["show", &memory]).status.code(), Some(1));
    let again = sandbox.json(&["consent", "grant", "care", "--release", &consent]);
    assert_eq!(again["released"], "1");
    assert!(sandbox.ok(&["recall", "diagnosis"]).contains("flu"));
    let purged = sandbox.ok(&["consent", "retract", &id(&again["consent"])]);
    assert!(purged.contains("1 memory is erased"), "{purged}");
    assert_eq!(sandbox.json(&["consent", "list"])["consents"].as_array().unwrap().len(), 0);
    assert_eq!(sandbox.json(&["consent", "list", "--all"])["consents"].as_array().unwrap().len(), 2);
}

fn changing_and_judging(sandbox: &Sandbox) {
    let memory = id(&sandbox.json(&["remember", "The car is parked in street four", "--embed", "always"])["receipt"]);
    assert_eq!(sandbox.json(&["show", &memory])["memory"]["embed"], "EMBED_MARK_ALWAYS");
    sandbox.ok(&["edit", &memory, "--embed", "never"]);
    assert!(sandbox.ok(&["show", &memory]).contains("never embedded"));
    sandbox.ok(&["edit", &memory, "--text", "The car is parked in street five", "--protect", "true", "--tag", "car"]);
    sandbox.ok(&["feedback", short(&memory), "up"]);
    assert_eq!(sandbox.json(&["outcome", short(&memory), "helpful"])["recorded"], 1);
    let shown = sandbox.json(&["show", &memory]);
    assert_eq!(shown["memory"]["content"], "The car is parked in street five");
    assert_eq!(shown["memory"]["metadata"]["userFeedback"]["thumbsUp"], true);
    assert!(shown["scoreExplanation"]["weights"]["relevanceToGoals"].as_f64().unwrap() > 0.0);
    assert!(sandbox.ok(&["show", &memory]).contains("why this score"));
    assert_eq!(sandbox.run_with(&["forget", "-"], &format!("{memory}\n")).status.code(), Some(0));
    assert!(sandbox.ok(&["recall", "car parked street"]).contains("nothing found"));
    sandbox.ok(&["restore", &memory, "--protect"]);
    assert!(sandbox.ok(&["recall", "car parked street"]).contains("street five"));
    let unknown = sandbox.run(&["show", "mem_0190f1f0-0000-7000-8000-000000000000"]);
    assert_eq!(unknown.status.code(), Some(1));
    assert!(said(&unknown).contains("kimberly list"), "{}", said(&unknown));
    assert!(sandbox.ok(&["forget", "--now", &memory]).contains("cannot be undone"));
    let refused = sandbox.run(&["restore", &memory]);
    assert!(!refused.status.success(), "what is erased stays erased");
}

fn goals_settings_and_numbers(sandbox: &Sandbox) {
    let goal = id(&sandbox.json(&["goals", "add", "learn to sail", "--tag", "sea", "--importance", "0.5"])["goal"]);
    sandbox.ok(&["goals", "done", &goal]);
    assert_eq!(sandbox.json(&["goals", "list", "--status", "done"])["goals"][0]["title"], "learn to sail");
    sandbox.ok(&["goals", "remove", &goal]);
    let set = sandbox.json(&["settings", "set", "grace=60d", "preset=archival", "long_term_quota=4MiB"]);
    assert_eq!(set["effective"]["grace"], serde_json::json!({"value": "5184000s", "origin": "SETTING_ORIGIN_USER"}));
    assert_eq!(set["effective"]["weights"]["preset"], "WEIGHT_PRESET_ARCHIVAL");
    assert_eq!(sandbox.json(&["settings", "reset", "all"])["effective"]["grace"]["origin"], "SETTING_ORIGIN_DEFAULT");
    assert!(sandbox.ok(&["settings"]).contains("balanced"));
    let metrics = sandbox.json(&["metrics"]);
    assert!(metrics["user"]["tiers"][1]["items"].as_str().unwrap() != "0", "{metrics}");
    assert!(sandbox.ok(&["metrics"]).contains("long_term"));
    assert_eq!(sandbox.json(&["metrics", "--system"])["system"]["users"], "2");
}

fn sessions_and_meditation(sandbox: &Sandbox) {
    sandbox.ok(&["remember", "we are talking about boats", "--tier", "short_term", "--session", "s1"]);
    assert_eq!(sandbox.json(&["session", "end", "s1"])["archived"], 1);
    let plan = sandbox.json(&["meditate", "--dry-run", "--full"]);
    let token = plan["planToken"].as_str().unwrap();
    let shown = sandbox.ok(&["meditate", "--dry-run"]);
    assert!(shown.starts_with("nothing would be archived or erased"), "{shown}");
    assert!(shown.contains("nothing was changed"), "{shown}");
    let watched = sandbox.ok(&["meditate", "--full", "--plan", token, "--watch"]);
    assert!(watched.contains("complete"), "{watched}");
    let runs = sandbox.json(&["meditations"]);
    let last = id(&runs["meditations"][0]);
    assert_eq!(sandbox.json(&["meditations", "show", &last])["meditation"]["status"], "MEDITATION_STATUS_COMPLETE");
}

fn moving_out_and_in(sandbox: &Sandbox) {
    let file = sandbox.folder.path().join("ann.jsonl").display().to_string();
    sandbox.ok(&["export", &file]);
    let exported = fs::read_to_string(&file).unwrap();
    let first = sandbox.json(&["import", &file, "--user", "bob"]);
    let count = first["memories"].as_u64().unwrap();
    assert_eq!((first["users"][0]["stored"].as_u64(), first["users"][0]["refused"].as_u64()), (Some(count), Some(0)));
    assert!(sandbox.ok(&["import", &file, "--user", "bob"]).contains(&format!("{count} were imported before")));
    let bob = sandbox.json(&["list", "-n", "1000", "--user", "bob", "--state", "active,archived,deleted"]);
    assert_eq!(bob["memories"].as_array().unwrap().len() as u64, count, "the second import stored something");
    assert_eq!(exported.matches("{\"record\":").count() as u64, count);
    // Compared with the file and not with a second export: reads are written to the vault later, possibly between the
    // two.
    let without_user = |text: &str, user: &str| text.replace(&format!("\"userId\":\"{user}\""), "");
    let is_memory = |line: &&str| !["goal", "settings"].iter().any(|kind| line.starts_with(&format!("{{\"{kind}\":")));
    let kept: String = exported.split_inclusive('\n').filter(is_memory).collect();
    let bobs = sandbox.ok(&["export", "--memories-only", "--user", "bob"]);
    let (bobs, anns) = (without_user(&bobs, "bob"), without_user(&kept, "ann"));
    assert_eq!(bobs, anns, "an export that was imported exports the same again");
    let line = |content: &str| format!("{{\"content\":\"{content}\"}}\n");
    let mixed = [line("good"), line(&"x".repeat(70_000)), line("good too")].concat();
    let sent = sandbox.run_with(&["import", "-", "--user", "carl"], &mixed);
    assert_eq!(sent.status.code(), Some(1), "what was refused is no success");
    assert!(said(&sent).contains("memory 2") && said(&sent).contains("65536"), "{}", said(&sent));
    assert_eq!(sandbox.json(&["list", "--user", "carl"])["memories"].as_array().unwrap().len(), 2);
    importing_more_than_fits(sandbox);
    let talk = r#"[{"conversation":{"session_1_date_time":"1:56 pm on 8 May, 2023","session_1":[{"speaker":"Ann","dia_id":"D1:1","text":"We should go sailing"}]}}]"#;
    let sent = sandbox.run_with(&["import", "-", "--prefix", "talk"], talk);
    assert!(sent.status.success(), "{}", said(&sent));
    let turn = &sandbox.json(&["recall", "sailing", "--user", "talk-1"])["results"][0]["memory"];
    assert_eq!(
        (turn["attributes"]["dia_id"].as_str(), turn["occurredAt"].as_str()),
        (Some("D1:1"), Some("2023-05-08T13:56:00Z"))
    );
}

/// An import larger than its tier waits for meditations; if none makes room, the command reports what was stored.
fn importing_more_than_fits(sandbox: &Sandbox) {
    let lines = |of: std::ops::Range<u32>, more: &str| {
        let tea = "tea ".repeat(250);
        of.fold(String::new(), |all, n| all + &format!("{{\"content\":\"{n} {tea}\"{more}}}\n"))
    };
    sandbox.ok(&["settings", "set", "long_term_quota=64KiB", "--user", "dora"]);
    let sent = sandbox.run_with(&["import", "-", "--user", "dora", "--json"], &lines(0..200, ""));
    let told: Value = serde_json::from_slice(&sent.stdout).unwrap();
    let dora = &told["users"][0];
    assert!(sent.status.success() && dora["waits"].as_u64().unwrap() > 0, "{}{told}", said(&sent));
    assert_eq!((dora["stored"].as_u64(), dora["complete"].as_bool()), (Some(200), Some(true)));

    sandbox.ok(&["settings", "set", "long_term_quota=64KiB", "--user", "erik"]);
    let lasting = lines(200..300, ",\"sourceType\":\"SOURCE_TYPE_CORRECTION\"");
    let sent = sandbox.run_with(&["import", "-", "--user", "erik"], &lasting);
    let told = String::from_utf8_lossy(&sent.stdout).into_owned();
    assert_eq!(sent.status.code(), Some(1), "{}", said(&sent));
    assert!(told.contains(" of 100 memories") && !told.starts_with("imported 0"), "{told}");
    assert!(said(&sent).contains("raise long_term_quota_bytes to"), "{}", said(&sent));
    let sent = sandbox.run_with(&["import", "-", "--user", "erik", "--fit"], &lines(0..3, ""));
    assert!(sent.status.success(), "{}", said(&sent));
    let archived = sandbox.json(&["list", "--user", "erik", "--state", "archived"]);
    assert_eq!(archived["memories"].as_array().unwrap().len(), 3);
}

#[test]
fn a_killed_process_is_started_again_and_nothing_acknowledged_is_lost() {
    let sandbox = Sandbox::new();
    let mut up = up(&sandbox);
    sandbox.ok(&["remember", "The spare key is under the pot"]);
    for name in ["api", "worker"] {
        kill("KILL", child_of(up.child.id(), name).unwrap());
        up.until("restarting it");
    }
    eventually("recall after the restart", || sandbox.run(&["recall", "spare key"]).status.success());
    assert!(sandbox.ok(&["recall", "spare key"]).contains("under the pot"));
    eventually("health after the restart", || sandbox.run(&["doctor"]).status.success());
}

#[test]
fn a_model_that_cannot_be_used_is_named_and_the_others_go_on_by_words() {
    let sandbox = Sandbox::new();
    let model = sandbox.folder.path().join("model");
    fs::create_dir(&model).unwrap();
    fs::write(model.join("model.safetensors"), b"cut").unwrap();
    let mut command = sandbox.command(&["up"]);
    let mut up = Up::start({
        command.env("KIMBERLY_EMBEDDER__MODEL", &model);
        command
    });
    let reason = up.until("cannot be used");
    assert!(reason.contains("embedder.model") && reason.contains("config.json is missing"), "{reason}");
    up.until("the others keep running without the embedder");
    up.until("Kimberly is ready");
    sandbox.ok(&["remember", "The spare key is under the pot"]);
    assert!(sandbox.ok(&["recall", "spare key"]).contains("under the pot"));
    up.signal("INT");
    assert_eq!(up.ended(), Some(0), "{}", up.seen.join("\n"));
}

#[test]
fn nothing_is_left_running_when_up_itself_is_killed() {
    let sandbox = Sandbox::new();
    let mut up = up(&sandbox);
    let children: Vec<u32> = ["api", "worker", "embedder"].map(|name| child_of(up.child.id(), name).unwrap()).into();
    up.signal("KILL");
    assert_eq!(up.ended(), None, "it was killed");
    eventually("the end of all processes", || children.iter().all(|process| !alive(*process)));
}

#[test]
fn changes_are_printed_as_they_happen_across_a_restart_of_the_api() {
    let sandbox = Sandbox::new();
    let mut up = up(&sandbox);
    sandbox.ok(&["remember", "before"]);
    let mut watched = Up::start(sandbox.command(&["watch", "--from-oldest", "--json"]));
    watched.until("CHANGE_KIND_CREATED");
    let memory = id(&sandbox.json(&["remember", "The boat is red"])["receipt"]);
    let line = watched.until("The boat is red");
    assert_eq!(serde_json::from_str::<Value>(&line).unwrap()["change"]["kind"], "CHANGE_KIND_CREATED");
    kill("KILL", child_of(up.child.id(), "api").unwrap());
    up.until("restarting it");
    eventually("a change after the restart", || {
        sandbox.run(&["edit", &memory, "--text", "The boat is blue"]).status.success()
    });
    watched.until("CHANGE_KIND_UPDATED");
    sandbox.ok(&["forget", &memory]);
    watched.until("CHANGE_KIND_DELETED");
    let told = watched.seen.iter().filter(|line| line.contains(&memory)).count();
    assert_eq!(told, 3, "created, updated and deleted, each once: {}", watched.seen.join("\n"));
}

#[test]
fn a_server_that_asks_for_keys_lets_its_own_account_in_and_others_as_granted() {
    let sandbox = Sandbox::new();
    let mut command = sandbox.command(&["up"]);
    let mut up = Up::start({
        command.env("KIMBERLY_AUTH__MODE", "required");
        command
    });
    up.until("Kimberly is ready");
    // The account that runs the service finds its own key, where the data folder is.
    let admin = fs::read_to_string(sandbox.folder.path().join("keys/admin.token")).unwrap();
    let made = sandbox.json(&[
        "keys",
        "create",
        "reader",
        "--for",
        "ann",
        "--for",
        "shop-*",
        "--can",
        "read",
        "--expires",
        "30d",
    ]);
    let key = made["key"].as_str().unwrap().to_owned();
    assert_eq!(made["credential"]["createdBy"], "local-admin");
    sandbox.ok(&["remember", "I drink tea"]);

    let with = |key: &str, args: &[&str]| sandbox.command(args).env("KIMBERLY_TOKEN", key).output().unwrap();
    assert!(with(&key, &["recall", "tea"]).status.success());
    for (shown, args, part) in [
        (key.as_str(), &["remember", "more"][..], "does not cover"),
        (&key, &["recall", "tea", "--user", "bob"], "does not cover"),
        (&key, &["keys", "list"], "does not cover"),
        ("kmb_wrong", &["recall", "tea"], "--token-file"),
    ] {
        let refused = with(shown, args);
        assert_eq!(refused.status.code(), Some(1), "{args:?}: {}", said(&refused));
        assert!(said(&refused).contains(part), "{args:?}: {}", said(&refused));
        assert!(!said(&refused).contains(&key));
    }
    let nobody =
        sandbox.command(&["list"]).env("KIMBERLY_KEYS__FOLDER", sandbox.folder.path().join("x")).output().unwrap();
    assert!(said(&nobody).contains("send a valid key"), "{}", said(&nobody));

    // A bare name, as in the README, is in the current folder.
    let file = "reader.key".to_owned();
    sandbox.ok(&["keys", "rotate", "reader", "--overlap", "0s", "--out", &file]);
    assert_eq!(with(&key, &["recall", "tea"]).status.code(), Some(1), "the old secret");
    sandbox.ok(&["recall", "tea", "--token-file", &file]);
    assert_eq!(sandbox.run(&["keys", "rotate", "reader", "--out", &file]).status.code(), Some(2), "never over a file");
    let listed = sandbox.json(&["keys", "list"]);
    let names: Vec<_> =
        listed["credentials"].as_array().unwrap().iter().map(|one| one["name"].as_str().unwrap()).collect();
    assert_eq!(names, ["local-admin", "reader"]);
    assert!(!listed.to_string().contains(admin.trim()));
    assert!(sandbox.ok(&["keys", "revoke", "reader"]).contains("reader is revoked"));
    assert_eq!(sandbox.run(&["recall", "tea", "--token-file", &file]).status.code(), Some(1));
    assert_eq!(sandbox.run(&["keys", "revoke", "local-admin"]).status.code(), Some(1));
    assert!(sandbox.ok(&["keys", "rotate", "local-admin"]).contains("written to its file"));
    assert_eq!(with(admin.trim(), &["keys", "list"]).status.code(), Some(1), "the old key of the account");
    sandbox.ok(&["keys", "list"]);
    up.signal("INT");
    assert_eq!(up.ended(), Some(0), "{}", up.seen.join("\n"));
    let shown = up.seen.join("\n");
    assert!(!shown.contains(admin.trim()) && !shown.contains(&key), "{shown}");
}
