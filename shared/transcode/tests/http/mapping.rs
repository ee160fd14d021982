//! proto3's JSON mapping, both ways.

use kimberly_transcode::Mapping;
use serde_json::{Value, json};

use super::{call, refused, request, send};

async fn echoed(body: &Value) -> Value {
    let (status, answer) = call("POST", "/things", &body.to_string()).await;
    assert_eq!(status, 200, "{body} {answer}");
    answer
}

#[tokio::test]
async fn fields_without_presence_are_written_even_when_they_hold_their_default() {
    let expected = json!({
        "name": "", "smallNumber": 0, "largeNumber": "0", "hugeNumber": "0", "weight": 0, "heavy": false,
        "kind": "KIND_UNSPECIFIED", "data": "", "tags": [], "counts": {}, "kinds": [],
    });
    assert_eq!(echoed(&json!({})).await, expected);
    assert_eq!(call("POST", "/things", "").await, (200, expected), "no body is an empty message");
}

#[tokio::test]
async fn every_kind_of_value_comes_back_as_it_went_in() {
    let thing = json!({
        "name": "n", "smallNumber": -5, "largeNumber": "9223372036854775807", "hugeNumber": "18446744073709551615",
        "weight": 0.1, "heavy": true, "kind": "KIND_ROUND", "data": "AAH/", "tags": ["a", "b"],
        "inner": {"name": "i", "numbers": [1, 2], "sinceThen": "0001-01-01T00:00:00Z"},
        "at": "9999-12-31T23:59:59.999999999Z", "lasts": "-1.500s", "mask": "name,inner.sinceThen",
        "free": {"a": [1.5, null, true, {"b": "c"}]}, "perhaps": 0, "number": 0,
        "counts": {"x": 1.5}, "kinds": ["KIND_ROUND"],
    });
    assert_eq!(echoed(&thing).await, thing);
}

#[tokio::test]
async fn lenient_forms_are_read() {
    let answer = echoed(&json!({
        "small_number": "7", "largeNumber": 8, "weight": "0.5", "kind": 1, "at": "2026-01-02T03:04:05+01:00",
        "tags": null, "inner": null, "name": null, "data": "_-8",
    }))
    .await;
    assert_eq!(answer["smallNumber"], 7);
    assert_eq!(answer["largeNumber"], "8");
    assert_eq!(answer["weight"], 0.5);
    assert_eq!(answer["kind"], "KIND_ROUND");
    assert_eq!(answer["at"], "2026-01-02T02:04:05Z");
    assert_eq!((&answer["tags"], answer.get("inner")), (&json!([]), None));
    assert_eq!(answer["data"], "/+8=");
}

#[tokio::test]
async fn short_names_of_enums_and_both_spellings_of_masks_are_read() {
    let answer = echoed(&json!({
        "kind": "very_round", "kinds": ["round", "very-round", "KIND_ROUND", 1], "mask": "small_number,inner.sinceThen",
    }))
    .await;
    assert_eq!(answer["kind"], "KIND_VERY_ROUND");
    assert_eq!(answer["kinds"], json!(["KIND_ROUND", "KIND_VERY_ROUND", "KIND_ROUND", "KIND_ROUND"]));
    assert_eq!(answer["mask"], "smallNumber,inner.sinceThen");
    let (_, asked) = call("GET", "/things?kind=very-round&kinds=round", "").await;
    assert_eq!((&asked["kind"], &asked["kinds"]), (&json!("KIND_VERY_ROUND"), &json!(["KIND_ROUND"])));
}

#[tokio::test]
async fn numbers_of_free_data_come_back_as_they_went_in_or_are_refused() {
    for free in ["3", "-0.5", "9007199254740992", "[3,{\"a\":-1}]", "1e-7", "0.30000000000000004", "-0.0"] {
        let body = format!("{{\"free\":{{\"n\":{free}}}}}");
        let (_, _, answer) = send(request("POST", "/things", &body)).await;
        let answer = String::from_utf8(answer.to_vec()).unwrap();
        assert!(answer.contains(&format!("\"free\":{{\"n\":{free}}}")), "{free}: {answer}");
    }
    for free in ["9007199254740993", "12345678901234567890", "-100000000000000000000", "3.14159265358979323846"] {
        let (_, problem) = refused("POST", "/things", &format!("{{\"free\": {{\"n\": [{free}]}}}}")).await;
        assert!(problem.contains("cannot be kept exactly") && problem.contains("line 1 column"), "{free}: {problem}");
    }
    let large = json!({"largeNumber": 9_007_199_254_740_993_i64, "name": "12345678901234567890"});
    assert_eq!(echoed(&large).await["largeNumber"], "9007199254740993", "fields of the contract hold more");
}

#[tokio::test]
async fn invalid_input_is_refused_with_name_and_position() {
    for (body, words) in [
        (r#"{"name": "x", "nmae": 1}"#, "nmae"),
        (r#"{"inner": {"x": 1}}"#, "x"),
        (r#"{"name": 5}"#, "column 10"),
        (r#"{"smallNumber": 2147483648}"#, "column"),
        (r#"{"smallNumber": 1.5}"#, "integer"),
        (r#"{"kind": "KIND_SQUARE"}"#, "KIND_SQUARE"),
        (r#"{"weight": NaN}"#, "column"),
        (r#"{"weight": 1e999}"#, "out of range"),
        (r#"{"text": "a", "number": 1}"#, "either"),
        (r#"{"at": "yesterday"}"#, "column"),
        (r#"{"lasts": "1h"}"#, "column"),
        (r#"{"tags": [null]}"#, "null"),
        (r#"{"tags": "a"}"#, "list"),
        ("{", "EOF"),
        ("{} {}", "trailing"),
        ("[]", "column"),
        ("null", "null"),
        ("\u{feff}{}", "column"),
    ] {
        let (status, problem) = refused("POST", "/things", body).await;
        assert_eq!(status, 400, "{body}");
        assert!(problem.contains("InvalidJson") && problem.contains(words), "{body}: {problem}");
    }
}

#[tokio::test]
async fn query_parameters_are_read_in_both_spellings() {
    let (status, thing) = call(
        "GET",
        "/things?name=a+b%20c&small_number=5&largeNumber=6&tags=x&tags=y&inner.numbers=1&inner.numbers=2\
         &inner.since_then=2026-01-02T03:04:05Z&kind=KIND_ROUND&kinds=1&kinds=KIND_ROUND&lasts=1.5s\
         &mask=inner.since_then,small_number&heavy=true&weight=0.25&&text=%3D",
        "",
    )
    .await;
    assert_eq!(status, 200, "{thing}");
    assert_eq!(
        (&thing["name"], &thing["smallNumber"], &thing["largeNumber"]),
        (&json!("a b c"), &json!(5), &json!("6"))
    );
    assert_eq!((&thing["tags"], &thing["kinds"]), (&json!(["x", "y"]), &json!(["KIND_ROUND", "KIND_ROUND"])));
    assert_eq!(thing["inner"], json!({"name": "", "numbers": [1, 2], "sinceThen": "2026-01-02T03:04:05Z"}));
    assert_eq!((&thing["lasts"], &thing["mask"]), (&json!("1.500s"), &json!("inner.sinceThen,smallNumber")));
    assert_eq!((&thing["heavy"], &thing["weight"], &thing["text"]), (&json!(true), &json!(0.25), &json!("=")));
}

#[tokio::test]
async fn wrong_parameters_are_refused_by_name() {
    for (query, field, words) in [
        ("nope=1", "nope", "not a field"),
        ("inner=1", "inner", "more than one value"),
        ("inner.nope=1", "inner.nope", "not a field"),
        ("tags.x=1", "tags.x", "not a field"),
        ("counts=1", "counts", "more than one"),
        ("free=1", "free", "more than one"),
        ("data=AA", "data", "body"),
        ("small_number=", "small_number", "32 bits"),
        ("small_number=1.0", "small_number", "32 bits"),
        ("heavy=yes", "heavy", "true or false"),
        ("kind=ROUND", "kind", "KIND_UNSPECIFIED, KIND_ROUND, KIND_VERY_ROUND"),
        ("name=a&name=b", "name", "more than once"),
        ("name=%FF", "name", "UTF-8"),
        ("at=now", "at", "is wrong"),
    ] {
        let (status, problem) = refused("GET", &format!("/things?{query}"), "").await;
        assert_eq!(status, 400, "{query}");
        assert!(problem.contains(&format!("{field:?}")) && problem.contains(words), "{query}: {problem}");
    }
}

#[tokio::test]
async fn path_query_and_body_may_say_the_same_and_not_contradict_each_other() {
    let (_, thing) = call("POST", "/things?name=n&tags=q", r#"{"name": "n", "heavy": true}"#).await;
    assert_eq!((&thing["name"], &thing["tags"], &thing["heavy"]), (&json!("n"), &json!(["q"]), &json!(true)));
    for body in [r#"{"name": "body"}"#, r#"{"tags": ["b"]}"#, r#"{"inner": {"name": "body"}}"#] {
        let (status, problem) = refused("POST", "/things?name=query&tags=q&inner.name=query", body).await;
        assert!(status == 400 && problem.contains("has different values in the body and in the query"), "{problem}");
    }
    assert_eq!(call("POST", "/things/path:echo", r#"{"name": "path"}"#).await.1["name"], "path");
    let (_, problem) = refused("POST", "/things/path:echo", r#"{"name": "body"}"#).await;
    assert!(problem.contains("has different values in the body and in the path"), "{problem}");
    let (_, problem) = refused("POST", "/things/path:echo?name=query", "").await;
    assert!(problem.contains("stands in the path"), "{problem}");
}

/// The tests' message as prost would generate it, with some of its fields.
#[derive(Clone, PartialEq, prost_reflect::prost::Message)]
#[prost(prost_path = "prost_reflect::prost")]
struct Thing {
    #[prost(string, tag = "1")]
    name: String,
    #[prost(int64, tag = "3")]
    large_number: i64,
    #[prost(double, tag = "4")]
    weight: f64,
    #[prost(int32, tag = "6")]
    kind: i32,
    #[prost(int32, optional, tag = "14")]
    perhaps: Option<i32>,
    #[prost(string, optional, tag = "15")]
    text: Option<String>,
}

impl prost_reflect::prost::Name for Thing {
    const NAME: &'static str = "Thing";
    const PACKAGE: &'static str = "things.v1";
}

#[tokio::test]
async fn messages_are_written_and_read_without_http_as_the_layer_does() {
    let mapping = Mapping::new(&super::descriptors(super::PROTO)).unwrap();
    let thing = Thing { name: "n".to_owned(), large_number: 7, weight: 3.0, kind: 2, perhaps: Some(0), text: None };
    let json = mapping.json(&thing).unwrap();
    assert_eq!(kimberly_transcode::text(&json), echoed(&json).await.to_string());
    let short = mapping.short(&thing).unwrap();
    let expected = r#"{"kind":"KIND_VERY_ROUND","largeNumber":"7","name":"n","perhaps":0,"weight":3}"#;
    assert_eq!(kimberly_transcode::text(&short), expected);
    for json in [json, short] {
        assert_eq!(mapping.message::<Thing>(&json), Ok(thing.clone()));
    }
    let chosen = Thing { text: Some(String::new()), ..thing };
    let paths = mapping.set_paths(&chosen).unwrap();
    assert_eq!(paths, ["name", "large_number", "weight", "kind", "perhaps", "either"]);
}

#[test]
fn what_a_message_does_not_have_is_refused_or_passed_over_as_asked() {
    let mapping = Mapping::new(&super::descriptors(super::PROTO)).unwrap();
    let read = |json: &Value| mapping.message::<Thing>(json);
    let unknown = json!({"name": "n", "colour": "red"});
    assert_eq!(read(&unknown), Err("colour: unrecognized field name 'colour'".to_owned()));
    assert_eq!(mapping.known::<Thing>(&unknown).unwrap().name, "n");
    for wrong in
        [json!({"kind": "square"}), json!({"kinds": ["square"]}), json!({"free": {"a": 9_007_199_254_740_993_u64}})]
    {
        let member = wrong.as_object().unwrap().keys().next().unwrap().clone();
        for result in [read(&wrong), mapping.known(&wrong)] {
            assert!(result.as_ref().is_err_and(|error| error.starts_with(&member)), "{wrong}: {result:?}");
        }
    }
}
