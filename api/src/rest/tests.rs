//! Claims about the description: what it says of fields is about fields that exist, and its patterns are those of the domain.

use kimberly_core::memory::{DraftLimits, MemoryField};
use kimberly_core::{GoalId, MemoryId};
use serde_json::Value;

use super::{DOCUMENT, facts, patterns};

fn described() -> Value {
    let options = kimberly_transcode::Options::new(crate::status::refused);
    let transcoder = kimberly_transcode::Transcoder::new(kimberly_proto::FILE_DESCRIPTOR_SET, options).unwrap();
    let info = kimberly_transcode::openapi::Info {
        title: "",
        version: "",
        description: "",
        license: "",
        facts: &|name| facts::of(name, DraftLimits { max_content_bytes: 777 }),
    };
    kimberly_transcode::openapi::document(&transcoder, &info)
}

#[test]
fn bounds_are_those_of_the_domain_and_of_the_configuration() {
    let schemas = &described()["components"]["schemas"];
    let draft = &schemas["MemoryDraft"]["properties"];
    assert_eq!(draft["content"]["maxLength"], 777);
    assert_eq!(draft["metadata"]["anyOf"][0]["$ref"], "#/components/schemas/MetadataInput");
    assert_eq!(schemas["MetadataInput"]["properties"]["tags"]["maxItems"], kimberly_core::bounds::MAX_TAGS);
    assert_eq!(schemas["CreateMemoryRequest"]["required"], serde_json::json!(["userId", "memory"]));
    assert_eq!(schemas["MemoryDraftPatch"].get("required"), None);
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
    let mask = patterns::mask(MemoryField::ALL.iter().map(|field| field.name()));
    assert!(mask.contains(r"metadata\.userFeedback|") && mask.contains("|sessionId|"), "{mask}");
    assert!(MemoryId::parse("id", "mem_00000000-0000-0000-0000-000000000000").is_ok());
    assert!(GoalId::parse("id", "goal_ffffffff-ffff-ffff-ffff-ffffffffffff").is_ok());
    assert_eq!(DOCUMENT, "/openapi.json");
}
