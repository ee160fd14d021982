//! Records with names: read, listed, edited and renamed; core memory; the memory tool of assistants.

use kimberly_proto::v1::edit_record_request::Edit;
use kimberly_proto::v1::{self as pb, Kind};
use kimberly_tests::drafts::draft;
use kimberly_tests::{System, User, reason};
use serde_json::json;
use tonic::{Code, Status};

fn named(name: &str, content: &str) -> pb::MemoryDraft {
    pb::MemoryDraft { name: name.to_owned(), ..draft(content) }
}

async fn read(ana: &mut User, name: &str) -> Result<pb::Memory, Status> {
    let request = pb::GetNamedRecordRequest { user_id: ana.id(), name: name.to_owned(), ..Default::default() };
    let answer = ana.clients.named.get_named_record(request).await?;
    Ok(answer.into_inner().memory.expect("a memory"))
}

async fn edit(ana: &mut User, name: &str, edit: Edit) -> Result<pb::EditRecordResponse, Status> {
    let edit = Some(edit);
    let request = pb::EditRecordRequest { user_id: ana.id(), name: name.to_owned(), edit, ..Default::default() };
    ana.clients.named.edit_record(request).await.map(tonic::Response::into_inner)
}

fn replace(old: &str, new: &str) -> Edit {
    Edit::Replace(pb::ReplaceEdit { old: old.to_owned(), new: new.to_owned() })
}

async fn names(ana: &mut User, prefix: &str) -> Vec<String> {
    let request = pb::ListNamesRequest { user_id: ana.id(), prefix: prefix.to_owned(), ..Default::default() };
    let answer = ana.clients.named.list_names(request).await.expect("names").into_inner();
    answer.names.into_iter().map(|one| one.name).collect()
}

#[tokio::test]
async fn a_note_is_written_edited_in_place_and_renamed_also_after_a_kill() {
    let mut system = System::start().await;
    let mut ana = system.user("ana");
    let written = ana.remember_draft(named("notes/travel.md", "The ferry leaves at nine.\n")).await;
    ana.remember_draft(named("notes/empty.md", "")).await;
    let again = ana.clients.memories.create_memory(pb::CreateMemoryRequest {
        user_id: ana.id(),
        memory: Some(named("notes/travel.md", "another")),
        ..Default::default()
    });
    let taken = again.await.expect_err("the name is taken");
    assert_eq!((taken.code(), reason(&taken).as_str()), (Code::AlreadyExists, "NAME_TAKEN"));
    edit(&mut ana, "notes/travel.md", replace("nine", "ten")).await.expect("edited");
    let inserted = Edit::Insert(pb::InsertEdit { line: 0, text: "# Travel".to_owned() });
    edit(&mut ana, "notes/travel.md", inserted).await.expect("edited");
    let appended = edit(&mut ana, "notes/travel.md", Edit::Append("Back on Sunday.".to_owned())).await.expect("edited");
    assert_eq!(appended.line, 3);
    system.restart_api().await;
    let mut ana = system.user("ana");
    let note = read(&mut ana, "notes/travel.md").await.expect("a note");
    assert_eq!((note.id.as_str(), note.etag.as_str()), (written.id.as_str(), "4"));
    assert_eq!(note.content, "# Travel\nThe ferry leaves at ten.\nBack on Sunday.");
    assert_eq!(
        ana.recalled("when does the ferry leave?").await,
        std::slice::from_ref(&note.content),
        "it is recalled as any other"
    );
    for (old, problem) in [("e", "occurs 6 times"), ("eleven", "was not found"), ("", "is empty")] {
        let refused = edit(&mut ana, "notes/travel.md", replace(old, "x")).await.expect_err(old);
        assert!(refused.message().contains(problem), "{refused}");
    }
    let rename = pb::RenameRecordRequest {
        user_id: ana.id(),
        name: "notes/travel.md".to_owned(),
        new_name: "notes/trips.md".to_owned(),
        ..Default::default()
    };
    let to_taken = pb::RenameRecordRequest { new_name: "notes/empty.md".to_owned(), ..rename.clone() };
    let taken = ana.clients.named.rename_record(to_taken).await.expect_err("the name is taken");
    assert_eq!(reason(&taken), "NAME_TAKEN");
    ana.clients.named.rename_record(rename).await.expect("renamed");
    assert_eq!(names(&mut ana, "notes/").await, ["notes/empty.md", "notes/trips.md"]);
    let gone = read(&mut ana, "notes/travel.md").await.expect_err("it has another name");
    assert_eq!((gone.code(), reason(&gone).as_str()), (Code::NotFound, "MEMORY_NOT_FOUND"));
    let filter = pb::MemoryFilter { name_prefix: "notes/t".to_owned(), ..Default::default() };
    assert_eq!(ana.list(filter).await.len(), 1);
}

#[tokio::test]
async fn sixteen_writers_edit_one_note_and_no_acknowledged_edit_is_lost() {
    let system = System::start().await;
    let mut ana = system.user("ana");
    ana.remember_draft(named("log", "")).await;
    let writers = (0..16).map(|writer| {
        let mut ana = system.user("ana");
        tokio::spawn(async move {
            let mut done = Vec::new();
            for n in 0..4 {
                let line = format!("writer {writer} line {n}");
                if edit(&mut ana, "log", Edit::Append(line.clone())).await.is_ok() {
                    done.push(line);
                }
                // Concurrent edits of the same version: one succeeds, the others get an error.
                let log = read(&mut ana, "log").await.expect("the log");
                let request = pb::EditRecordRequest {
                    user_id: ana.id(),
                    name: "log".to_owned(),
                    edit: Some(Edit::Whole(format!("{}\nwhole {writer} {n}", log.content))),
                    etag: log.etag,
                    ..Default::default()
                };
                match ana.clients.named.edit_record(request).await {
                    Ok(_) => done.push(format!("whole {writer} {n}")),
                    Err(refused) => assert_eq!(reason(&refused), "ETAG_MISMATCH"),
                }
            }
            done
        })
    });
    let mut acknowledged = Vec::new();
    for writer in writers.collect::<Vec<_>>() {
        acknowledged.extend(writer.await.expect("a writer"));
    }
    let log = read(&mut ana, "log").await.expect("the log");
    let mut lines: Vec<&str> = log.content.lines().collect();
    lines.sort_unstable();
    acknowledged.sort_unstable();
    assert_eq!(lines, acknowledged);
    assert!(acknowledged.len() > 64, "{}", acknowledged.len());
    assert_eq!(log.etag, (acknowledged.len() + 1).to_string());
}

#[tokio::test]
async fn edits_are_made_under_a_hash_and_once_per_request() {
    let system = System::start().await;
    let mut ana = system.user("ana");
    ana.remember_draft(named("abc", "abc")).await;
    let sha = "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad";
    let request = pb::EditRecordRequest {
        user_id: ana.id(),
        name: "abc".to_owned(),
        edit: Some(Edit::Append("d".to_owned())),
        content_sha256: sha.to_owned(),
        request_id: "once".to_owned(),
        ..Default::default()
    };
    let first = ana.clients.named.edit_record(request.clone()).await.expect("edited").into_inner();
    let again = ana.clients.named.edit_record(request.clone()).await.expect("the same answer").into_inner();
    assert_eq!(first, again);
    let stale = pb::EditRecordRequest { request_id: String::new(), ..request.clone() };
    let refused = ana.clients.named.edit_record(stale).await.expect_err("another content");
    assert_eq!(reason(&refused), "ETAG_MISMATCH");
    let wrong = pb::EditRecordRequest { content_sha256: "ABC".to_owned(), ..request };
    let refused = ana.clients.named.edit_record(wrong).await.expect_err("no hash");
    assert_eq!(refused.code(), Code::InvalidArgument);
    assert_eq!(read(&mut ana, "abc").await.expect("a note").content, "abc\nd");
}

async fn versions(ana: &mut User, name: &str) -> Vec<pb::RecordVersion> {
    let request = pb::ListVersionsRequest { user_id: ana.id(), name: name.to_owned(), ..Default::default() };
    ana.clients.named.list_versions(request).await.expect("versions").into_inner().versions
}

async fn undo(ana: &mut User, name: &str, to_version: i64) -> Result<i64, Status> {
    let request = pb::UndoEditRequest { user_id: ana.id(), name: name.to_owned(), to_version, ..Default::default() };
    ana.clients.named.undo_edit(request).await.map(|answer| answer.into_inner().version)
}

#[tokio::test]
async fn every_edit_leaves_a_version_that_is_shown_compared_and_gone_back_to() {
    let mut system = System::start().await;
    let mut ana = system.user("ana");
    let written = ana.remember_draft(named("note", "one\ntwo\n")).await;
    assert_eq!(versions(&mut ana, "note").await, []);
    assert_eq!(reason(&undo(&mut ana, "note", 0).await.expect_err("nothing to undo")), "WRONG_STATE");
    let request = pb::EditRecordRequest {
        user_id: ana.id(),
        name: "note".to_owned(),
        edit: Some(replace("two", "2")),
        reason: "shorter".to_owned(),
        ..Default::default()
    };
    ana.clients.named.edit_record(request).await.expect("edited");
    ana.write_over(&written.id, "three\n").await;
    system.restart_api().await;
    let mut ana = system.user("ana");
    let kept = versions(&mut ana, "note").await;
    let said: Vec<_> = kept.iter().map(|one| (one.version, one.action.as_str(), one.reason.as_str())).collect();
    assert_eq!(said, [(2, "memory.update", ""), (1, "memory.edit", "shorter")]);
    let diff = |from_version, to_version| pb::DiffVersionsRequest {
        user_id: ana.id(),
        name: "note".to_owned(),
        from_version,
        to_version,
        ..Default::default()
    };
    let (between, now) = (diff(1, 2), diff(2, 0));
    let shown = ana.clients.named.diff_versions(between).await.expect("a diff").into_inner().diff;
    assert_eq!(shown, "--- 1\n+++ 2\n@@ -1,2 +1,2 @@\n one\n-two\n+2\n");
    let shown = ana.clients.named.diff_versions(now).await.expect("a diff").into_inner().diff;
    assert!(shown.contains("+three"), "{shown}");
    assert_eq!(undo(&mut ana, "note", 1).await.expect("gone back"), 1);
    assert_eq!(read(&mut ana, "note").await.expect("a note").content, "one\ntwo\n");
    assert_eq!(undo(&mut ana, "note", 0).await.expect("that is undone"), 3);
    assert_eq!(read(&mut ana, "note").await.expect("a note").content, "three\n");
    assert_eq!(undo(&mut ana, "note", 99).await.expect_err("no such version").code(), Code::FailedPrecondition);
    let secret = pb::EditRecordRequest {
        user_id: ana.id(),
        name: "note".to_owned(),
        edit: Some(Edit::Whole("clean".to_owned())),
        discard_previous: true,
        ..Default::default()
    };
    ana.clients.named.edit_record(secret).await.expect("edited");
    assert_eq!(versions(&mut ana, "note").await, []);
    for n in 0..25 {
        edit(&mut ana, "note", Edit::Append(n.to_string())).await.expect("edited");
    }
    let kept = versions(&mut ana, "note").await;
    assert_eq!((kept.len(), kept[0].version, kept[19].version), (20, 30, 11));
}

#[tokio::test]
async fn a_redaction_takes_along_what_an_undo_left_of_the_text_and_not_what_the_record_says() {
    let system = System::start().await;
    let mut ana = system.user("ana");
    ana.remember_draft(named("note", "the code is 1234")).await;
    edit(&mut ana, "note", Edit::Whole("gone".to_owned())).await.expect("edited");
    undo(&mut ana, "note", 1).await.expect("gone back");
    let redact = |version| pb::RedactVersionRequest {
        user_id: ana.id(),
        name: "note".to_owned(),
        version,
        ..Default::default()
    };
    let (early, late) = (redact(1), redact(1));
    let refused = ana.clients.named.redact_version(early).await.expect_err("the note says it now");
    assert_eq!(reason(&refused), "WRONG_STATE");
    edit(&mut ana, "note", Edit::Whole("clean".to_owned())).await.expect("edited");
    ana.clients.named.redact_version(late).await.expect("a redaction");
    let kept = versions(&mut ana, "note").await;
    let redacted: Vec<_> = kept.iter().map(|one| (one.version, one.redacted_at.is_some())).collect();
    assert_eq!(redacted, [(3, true), (2, false), (1, true)]);
}

fn block(ana: &User, label: &str, content: &str) -> pb::AddBlockRequest {
    pb::AddBlockRequest {
        user_id: ana.id(),
        label: label.to_owned(),
        content: content.to_owned(),
        ..Default::default()
    }
}

async fn rendered(ana: &mut User) -> String {
    let request = pb::RenderCoreMemoryRequest { user_id: ana.id(), ..Default::default() };
    ana.clients.core.render_core_memory(request).await.expect("core memory").into_inner().text
}

#[tokio::test]
async fn core_memory_is_written_in_one_order_with_the_active_goals_and_not_recalled() {
    let mut system = System::start().await;
    let mut ana = system.user("ana");
    for (label, content) in [("zoo", "the heron"), ("human", "Ana likes <tea> & toast."), ("persona", "")] {
        let request = block(&ana, label, content);
        ana.clients.core.add_block(request).await.expect("a block");
    }
    let goal = pb::Goal { title: "move to Lisbon".to_owned(), importance: 0.5, ..Default::default() };
    let request = pb::CreateGoalRequest { user_id: ana.id(), goal: Some(goal), ..Default::default() };
    ana.clients.goals.create_goal(request).await.expect("a goal");
    let expected = "<core_memory>\n<block label=\"persona\">\n</block>\n\
         <block label=\"human\">\nAna likes &lt;tea&gt; &amp; toast.\n</block>\n\
         <block label=\"goals\">\n<goal>move to Lisbon</goal>\n</block>\n\
         <block label=\"zoo\">\nthe heron\n</block>\n</core_memory>";
    assert_eq!(rendered(&mut ana).await, expected);
    system.restart_api().await;
    let mut ana = system.user("ana");
    assert_eq!(rendered(&mut ana).await, expected, "byte for byte");
    ana.remember("a heron in the river").await;
    assert_eq!(ana.recalled("heron").await, ["a heron in the river"], "core memory is not recalled");
    let filter = pb::MemoryFilter { kinds: vec![Kind::Block.into()], ..Default::default() };
    let listed = ana.list(filter).await;
    assert!(listed.len() == 3 && listed.iter().all(|one| one.protected && one.tier() == pb::Tier::Permanent));
}

#[tokio::test]
async fn blocks_fit_into_a_prompt_and_read_only_ones_stay() {
    let system = System::start().await;
    let mut ana = system.user("ana");
    let full = "x".repeat(8 * 1024);
    for label in ["a", "b", "c"] {
        let request = block(&ana, label, &full);
        ana.clients.core.add_block(request).await.expect("a block");
    }
    let large = block(&ana, "d", &format!("{full}x"));
    let refused = ana.clients.core.add_block(large).await.expect_err("too large");
    assert_eq!(refused.code(), Code::InvalidArgument);
    let request = pb::AddBlockRequest { read_only: true, ..block(&ana, "persona", &full[1..]) };
    ana.clients.core.add_block(request).await.expect("one byte is left");
    let more = block(&ana, "e", "xx");
    let refused = ana.clients.core.add_block(more).await.expect_err("no room");
    assert!(refused.message().contains("this block may have 1") && reason(&refused) == "WRONG_STATE", "{refused}");
    let request = block(&ana, "e", "x");
    ana.clients.core.add_block(request).await.expect("the last byte");
    let grown = edit(&mut ana, "core/e", Edit::Append("x".to_owned())).await.expect_err("no room");
    assert_eq!(reason(&grown), "WRONG_STATE", "for every kind of write");
    let set = |content: Option<&str>, read_only| pb::UpdateBlockRequest {
        user_id: ana.id(),
        label: "persona".to_owned(),
        content: content.map(str::to_owned),
        read_only,
        ..Default::default()
    };
    let (refused, lifted) = (set(Some("calm"), None), set(Some("calm"), Some(false)));
    let remove = pb::RemoveBlockRequest { user_id: ana.id(), label: "persona".to_owned(), ..Default::default() };
    let refused = ana.clients.core.update_block(refused).await.expect_err("it is read-only");
    assert!(refused.message().contains("read-only"), "{refused}");
    let stays = ana.clients.core.remove_block(remove.clone()).await.expect_err("it is read-only");
    assert_eq!(reason(&stays), "WRONG_STATE");
    let stays = edit(&mut ana, "core/persona", Edit::Whole("rude".to_owned())).await.expect_err("it is read-only");
    assert_eq!(reason(&stays), "WRONG_STATE");
    ana.clients.core.update_block(lifted).await.expect("lifted and changed");
    ana.clients.core.remove_block(remove).await.expect("removed");
    assert!(!rendered(&mut ana).await.contains("persona"));
    let odd = pb::CreateMemoryRequest {
        user_id: ana.id(),
        memory: Some(named("core/odd", "no block")),
        ..Default::default()
    };
    assert_eq!(ana.clients.memories.create_memory(odd).await.expect_err("no block").code(), Code::InvalidArgument);
}

async fn tool(ana: &mut User, command: &serde_json::Value, request_id: &str) -> (String, bool) {
    let request = pb::RunMemoryToolRequest {
        user_id: ana.id(),
        command: command.to_string(),
        request_id: request_id.to_owned(),
        ..Default::default()
    };
    let answer = ana.clients.tool.run_memory_tool(request).await.expect("an answer").into_inner();
    (answer.output, answer.is_error)
}

#[tokio::test]
async fn the_memory_tool_answers_once_per_request_and_refuses_what_leads_elsewhere() {
    let system = System::start().await;
    let mut ana = system.user("ana");
    let create = json!({"command": "create", "path": "/memories/a/b.md", "file_text": "one\ntwo\n"});
    let answer = tool(&mut ana, &create, "c").await;
    assert_eq!(answer, ("File created successfully at: /memories/a/b.md".to_owned(), false));
    assert_eq!(tool(&mut ana, &create, "c").await, answer, "the same request once more");
    assert_eq!(tool(&mut ana, &create, "").await, ("File /memories/a/b.md already exists".to_owned(), true));
    let change = json!({"command": "str_replace", "path": "/memories/a/b.md", "old_str": "two", "new_str": "2"});
    let answer = tool(&mut ana, &change, "r").await;
    assert!(answer.0.ends_with("     1\tone\n     2\t2\n     3\t") && !answer.1, "{answer:?}");
    assert_eq!(tool(&mut ana, &change, "r").await, answer, "no text is kept, and the answer is the same");
    let below = json!({"command": "create", "path": "/memories/a/b.md/c", "file_text": "x"});
    assert_eq!(tool(&mut ana, &below, "").await, ("The path /memories/a/b.md is not a directory.".to_owned(), true));
    let directory = json!({"command": "rename", "old_path": "/memories/a", "new_path": "/memories/c/d"});
    assert!(!tool(&mut ana, &directory, "").await.1);
    assert_eq!(names(&mut ana, "").await, ["memories/c/d/b.md"]);
    for path in
        ["/memories/../x", "/memories/%2e%2e/x", "/etc/passwd", "/memories/c\\..\\x", "/memories/\u{ff0e}\u{ff0e}/x"]
    {
        let (words, refused) = tool(&mut ana, &json!({"command": "view", "path": path}), "").await;
        assert!(refused && (words.contains("would escape") || words.contains("must start with")), "{path}: {words}");
    }
    assert!(!tool(&mut ana, &json!({"command": "delete", "path": "/memories/c"}), "").await.1);
    assert_eq!(names(&mut ana, "").await, [""; 0]);
}
