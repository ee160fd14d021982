//! Tests of the OpenAPI document: its facts name existing fields, and its patterns match the domain.

use std::collections::{HashMap, HashSet};

use kimberly_core::memory::{DraftLimits, MemoryPatch};
use kimberly_core::{GoalId, MemoryId};
use prost::Message as _;
use prost_types::{DescriptorProto, FileDescriptorSet};
use serde_json::Value;

use super::{DOCUMENT, patterns};

fn described() -> Value {
    let options = kimberly_transcode::Options::new(crate::status::refused);
    let transcoder = kimberly_transcode::Transcoder::new(kimberly_proto::BARE_DESCRIPTOR_SET, options).unwrap();
    super::document(&transcoder, DraftLimits { max_content_bytes: 777 })
}

#[test]
fn bounds_are_those_of_the_domain_and_of_the_configuration() {
    let schemas = &described()["components"]["schemas"];
    let draft = &schemas["MemoryDraft"]["properties"];
    assert_eq!(draft["content"]["maxLength"], 777);
    assert_eq!(draft["metadata"]["anyOf"][0]["$ref"], "#/components/schemas/MetadataInput");
    assert_eq!(schemas["MetadataInput"]["properties"]["tags"]["maxItems"], kimberly_core::bounds::MAX_TAGS);
    assert_eq!(schemas["CreateMemoryRequest"]["required"], serde_json::json!(["memory"]));
    assert_eq!(schemas["MemoryDraftPatch"].get("required"), None);
}

/// Returns the fields of every message of the contract, with the names of its oneofs.
fn contract() -> HashMap<String, HashSet<String>> {
    let set = FileDescriptorSet::decode(kimberly_proto::FILE_DESCRIPTOR_SET).unwrap();
    let ours = set.file.iter().filter(|file| file.package() == "kimberly.v1");
    let fields = |message: &DescriptorProto| {
        let oneofs = message.oneof_decl.iter().map(|oneof| oneof.name().to_owned());
        oneofs.chain(message.field.iter().map(|field| field.name().to_owned())).collect()
    };
    ours.flat_map(|file| &file.message_type).map(|message| (message.name().to_owned(), fields(message))).collect()
}

/// Returns the texts in quotes.
fn quoted(code: &str) -> impl Iterator<Item = &str> {
    code.split('"').skip(1).step_by(2).filter(|text| !text.is_empty())
}

#[test]
fn facts_are_about_messages_and_fields_that_exist() {
    let (contract, mut seen) = (contract(), 0);
    let anywhere = |name: &str| contract.values().any(|fields| fields.contains(name));
    // Facts are to the right of an arrow. To its left are messages and fields: `("Message" | "Another", "field")`.
    for pattern in include_str!("facts.rs").lines().filter_map(|line| Some(line.split_once("=>")?.0)) {
        for part in pattern.split('(') {
            let (messages, fields) = part.rsplit_once(", ").unwrap_or((part, ""));
            let messages: Vec<&str> = quoted(messages).collect();
            for name in &messages {
                assert!(contract.contains_key(*name) || anywhere(name), "{name:?} in {pattern:?} is nothing");
                seen += 1;
            }
            for field in quoted(fields).map(|path| path.split_once('.').map_or(path, |(first, _)| first)) {
                let all = messages.iter().all(|message| contract[*message].contains(field));
                assert!(all && anywhere(field), "{field:?} in {pattern:?} is no field of {messages:?}");
                seen += 1;
            }
        }
    }
    assert!(seen > 80, "{seen} names were looked at");
}

#[test]
fn every_request_says_what_a_user_id_is() {
    let document = described();
    let mut seen = 0;
    for (path, item) in document["paths"].as_object().unwrap() {
        for (method, operation) in item.as_object().unwrap() {
            for parameter in operation["parameters"].as_array().unwrap().iter().filter(|p| p["name"] == "user_id") {
                seen += 1;
                assert_eq!(parameter["schema"]["maxLength"], 128, "{method} {path}");
                assert!(parameter["schema"]["pattern"].is_string(), "{method} {path}");
            }
        }
    }
    assert!(seen > 20, "{seen}");
}

#[test]
fn masks_and_ids_are_written_as_the_domain_reads_them() {
    let mask = patterns::mask(MemoryPatch::known());
    assert!(mask.contains(r"metadata\.userFeedback|") && mask.contains("|sessionId|session_id|"), "{mask}");
    assert!(MemoryId::parse("id", "mem_00000000-0000-0000-0000-000000000000").is_ok());
    assert!(GoalId::parse("id", "goal_ffffffff-ffff-ffff-ffff-ffffffffffff").is_ok());
    assert_eq!(DOCUMENT, "/openapi.json");
}
