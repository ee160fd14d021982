//! Uploads and downloads.

use kimberly_proto::v1 as pb;
use kimberly_tests::System;
use kimberly_tests::attachments::{download, list, noise, start, upload};
use serde_json::Value;
use sha2::{Digest as _, Sha256};

use super::files;

fn hex(bytes: &[u8]) -> String {
    format!("{:x}", Sha256::digest(bytes))
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn twenty_megabytes_go_in_and_come_out_the_same() {
    let system = System::start().await;
    let clients = system.clients();
    let memory = system.user("ada").remember("the film of the holidays").await;
    let bytes = noise(1, 20_000_000);
    let said = pb::AttachmentStart {
        sha256: hex(&bytes),
        size_bytes: Some(20_000_000),
        memory_id: memory.id.clone(),
        ..start("ada", "holidays.mp4")
    };
    let attachment = upload(&clients, said, &bytes).await.expect("it is taken");
    assert_eq!((attachment.sha256.clone(), attachment.size_bytes), (hex(&bytes), 20_000_000));
    assert_eq!((attachment.memory_ids.as_slice(), attachment.uploaded_by.as_str()), (&[memory.id.clone()][..], "open"));
    assert_eq!(list(&clients, "ada", &memory.id).await, std::slice::from_ref(&attachment));
    assert!(download(&clients, "ada", &attachment.id, 0).await.expect("it is given out") == bytes);
    for offset in [1, 65_535, 65_536, 19_999_999, 20_000_000] {
        let rest = download(&clients, "ada", &attachment.id, offset).await.expect("it is given out");
        assert!(rest == bytes[offset..], "from {offset}");
    }
    let said = "a sentence that stands in no file of the service ".repeat(2_000);
    let text = upload(&clients, start("ada", "text"), said.as_bytes()).await.expect("it is taken");
    assert_eq!(download(&clients, "ada", &text.id, 0).await.expect("it is given out"), said.as_bytes());
    for file in files(&system) {
        let stored = std::fs::read(file).expect("a file is read");
        assert!(!stored.windows(10).any(|window| window == b"a sentence" || window == &bytes[..10]));
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn what_json_streams_is_what_was_uploaded() {
    use base64::Engine as _;
    let system = System::start().await;
    let clients = system.clients();
    let bytes = noise(2, 20_000_000);
    let attachment = upload(&clients, start("ada", "a film"), &bytes).await.expect("it is taken");
    let path = format!("/v1/users/ada/attachments/{}", attachment.id);
    let whole = system.get(&path).await;
    assert_eq!(whole["attachment"]["name"], "a film");
    assert_eq!(system.get("/v1/users/ada/attachments").await["attachments"][0]["id"], attachment.id.as_str());
    let lines = system.get_text(&format!("{path}:download?offset=19000000")).await;
    let mut read = Vec::new();
    for (n, line) in lines.lines().enumerate() {
        let line: Value = serde_json::from_str(line).expect("a line is JSON");
        assert_eq!(line.get("attachment").is_some(), n == 0, "{line}");
        let piece = line["piece"].as_str().expect("a piece");
        read.extend(base64::engine::general_purpose::STANDARD.decode(piece).expect("base64"));
    }
    assert!(read == bytes[19_000_000..]);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn equal_contents_of_a_user_are_one_file_and_count_once() {
    let system = System::start_with(&[("KIMBERLY_ATTACHMENTS__ALLOWANCE", "250KiB")]).await;
    let clients = system.clients();
    let bytes = noise(3, 100_000);
    let one = upload(&clients, start("ada", "one"), &bytes).await.expect("it is taken");
    let two = upload(&clients, start("ada", "two"), &bytes).await.expect("it is taken");
    assert_ne!(one.id, two.id);
    assert_eq!(files(&system).len(), 1, "one file for both");
    upload(&clients, start("bob", "three"), &bytes).await.expect("it is taken");
    assert_eq!(files(&system).len(), 2, "another user's is another file");
    let mut ada = system.user("ada");
    assert_eq!(ada.metrics().await.attachments.map(|of| (of.items, of.bytes)), Some((2, 100_000)));
    upload(&clients, start("ada", "more"), &noise(4, 100_000)).await.expect("there is room");
    assert_eq!(ada.metrics().await.attachments.map(|of| (of.bytes, of.allowance_bytes)), Some((200_000, 250 << 10)));
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn an_empty_file_is_one_too() {
    let system = System::start().await;
    let clients = system.clients();
    let empty = upload(&clients, start("ada", ""), &[]).await.expect("it is taken");
    assert_eq!((empty.size_bytes, empty.sha256), (0, hex(&[])));
    assert_eq!(download(&clients, "ada", &empty.id, 0).await.expect("it is given out"), [0_u8; 0]);
}
