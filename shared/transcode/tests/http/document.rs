//! The OpenAPI document.

use kimberly_transcode::openapi::{Facts, Info, document};
use serde_json::{Value, json};

use super::{PROTO, descriptors, transcoder};

fn described() -> Value {
    let facts = |name: &str| match name {
        "things.v1.Thing.name" => {
            let keywords = json!({"minLength": 1}).as_object().unwrap().clone();
            Facts { required: true, keywords, ..Facts::default() }
        }
        "things.v1.Thing.small_number" => {
            let keywords = json!({"minimum": 0, "maximum": 9}).as_object().unwrap().clone();
            Facts { keywords, ..Facts::default() }
        }
        _ => Facts::default(),
    };
    let info = Info {
        title: "T",
        version: "1",
        description: "D",
        license: "MIT",
        commented: &descriptors(PROTO),
        facts: &facts,
        bearer: Some("B"),
    };
    document(&transcoder(|_| {}), &info)
}

#[test]
fn every_binding_is_an_operation_with_the_words_of_the_contract() {
    let document = described();
    let paths = document["paths"].as_object().unwrap();
    let listed: Vec<String> = paths
        .iter()
        .flat_map(|(path, item)| item.as_object().unwrap().keys().map(move |method| format!("{method} {path}")))
        .collect();
    assert_eq!(listed.len(), 9, "{listed:?}");
    assert!(listed.contains(&"put /things/{name}/inner/{inner_name}".to_owned()), "{listed:?}");
    let echo = &document["paths"]["/things"]["post"];
    assert_eq!((&echo["summary"], &echo["operationId"]), (&json!("Echoes what it is sent"), &json!("Things_Echo")));
    assert_eq!(document["tags"], json!([{"name": "Things", "description": "Things. They echo."}]));
    let mut ids: Vec<&str> = paths
        .values()
        .flat_map(|item| item.as_object().unwrap().values())
        .filter_map(|op| op["operationId"].as_str())
        .collect();
    ids.sort_unstable();
    ids.dedup();
    assert_eq!(ids.len(), 9);
    let bearer = json!({"bearer": {"type": "http", "scheme": "bearer", "description": "B"}});
    assert_eq!(document["components"]["securitySchemes"], bearer);
    assert_eq!(document["security"], json!([{"bearer": []}, {}]));
}

#[test]
fn what_comes_in_is_described_apart_from_what_goes_out() {
    let document = described();
    let (input, output) =
        (&document["components"]["schemas"]["ThingInput"], &document["components"]["schemas"]["Thing"]);
    assert_eq!((&input["required"], &input["additionalProperties"]), (&json!(["name"]), &json!(false)));
    assert_eq!(input["properties"]["name"]["minLength"], 1);
    assert_eq!(input["properties"]["smallNumber"]["type"], json!(["integer", "string", "null"]));
    assert_eq!(input["properties"]["smallNumber"]["pattern"], "^([0-9])$");
    assert_eq!(
        input["properties"]["kind"]["enum"],
        json!(["KIND_UNSPECIFIED", "KIND_ROUND", "KIND_VERY_ROUND", 0, 1, 2, null])
    );
    assert_eq!(output["properties"]["largeNumber"]["type"], "string");
    assert_eq!(output["properties"]["smallNumber"]["type"], "integer");
    let always = output["required"].as_array().unwrap();
    assert!(always.contains(&json!("tags")) && !always.contains(&json!("perhaps")) && !always.contains(&json!("at")));
    assert_eq!(output.get("additionalProperties"), None, "answers may grow");
}

#[test]
fn parameters_and_bodies_share_the_fields_between_them() {
    let document = described();
    let names = |operation: &Value, location: &str| -> Vec<String> {
        let parameters = operation["parameters"].as_array().unwrap().iter();
        parameters.filter(|p| p["in"] == location).map(|p| p["name"].as_str().unwrap().to_owned()).collect()
    };
    let find = &document["paths"]["/things/{name}"]["get"];
    assert_eq!(names(find, "path"), ["name"]);
    let query = names(find, "query");
    assert!(query.contains(&"inner.since_then".to_owned()) && query.contains(&"tags".to_owned()), "{query:?}");
    assert!(!query.iter().any(|name| ["name", "free", "counts", "inner"].contains(&name.as_str())), "{query:?}");
    let verb = &document["paths"]["/things/{name}:echo"]["post"];
    let body = &verb["requestBody"]["content"]["application/json"]["schema"];
    assert!(body["properties"].get("name").is_none() && body["properties"].get("heavy").is_some());
    assert_eq!(names(verb, "query"), ["heavy"], "switches may stand in the query");
}

#[test]
fn every_reference_leads_somewhere() {
    fn references<'a>(value: &'a Value, found: &mut Vec<&'a str>) {
        match value {
            Value::Object(fields) => {
                found.extend(fields.get("$ref").and_then(Value::as_str));
                fields.values().for_each(|value| references(value, found));
            }
            Value::Array(values) => values.iter().for_each(|value| references(value, found)),
            _ => {}
        }
    }
    let document = described();
    let mut found = Vec::new();
    references(&document, &mut found);
    assert!(found.len() > 10);
    for reference in found {
        assert!(document.pointer(reference.strip_prefix('#').unwrap()).is_some(), "{reference}");
    }
}
