//! Tests of attributes: they survive the round trip, always give the same text, and are refused if JSON cannot
//! represent them.

use super::*;

fn value(kind: Kind) -> Value {
    Value { kind: Some(kind) }
}

fn object(fields: impl IntoIterator<Item = (&'static str, Kind)>) -> Struct {
    Struct { fields: fields.into_iter().map(|(key, kind)| (key.to_owned(), value(kind))).collect() }
}

fn nested(levels: usize) -> Struct {
    let mut inner = Struct::default();
    for _ in 1..levels {
        inner = object([("k", Kind::StructValue(inner))]);
    }
    inner
}

fn violation(attributes: &Struct) -> FieldViolation {
    match to_json("memory.attributes", attributes) {
        Err(Error::Invalid(mut found)) => found.remove(0),
        other => panic!("{other:?}"),
    }
}

#[test]
fn attributes_are_compact_json_with_sorted_keys() {
    let list = ListValue { values: vec![value(Kind::BoolValue(true)), value(Kind::NullValue(0))] };
    let attributes = object([
        ("z", Kind::NumberValue(1.0)),
        ("a", Kind::StringValue("q\"\n".to_owned())),
        ("m", Kind::ListValue(list)),
        ("f", Kind::NumberValue(0.1)),
        ("n", Kind::NumberValue(-0.0)),
        ("big", Kind::NumberValue(1e300)),
    ]);
    let json = to_json("memory.attributes", &attributes).unwrap();
    assert_eq!(json, r#"{"a":"q\"\n","big":1e+300,"f":0.1,"m":[true,null],"n":-0.0,"z":1}"#);
    assert_eq!(from_json(&json).unwrap(), attributes);
    assert_eq!(from_json(&to_json("x", &Struct::default()).unwrap()).unwrap(), Struct::default());
}

#[test]
fn what_json_cannot_hold_is_refused_with_its_path() {
    for number in [f64::NAN, f64::INFINITY, f64::NEG_INFINITY] {
        let inner = object([("b", Kind::NumberValue(number))]);
        let list = ListValue { values: vec![value(Kind::NullValue(0)), value(Kind::StructValue(inner))] };
        let wrong = violation(&object([("a", Kind::ListValue(list))]));
        assert_eq!(wrong.field, "memory.attributes.a[1].b");
    }
    let empty = Struct { fields: [("a".to_owned(), Value { kind: None })].into() };
    assert_eq!(violation(&empty).field, "memory.attributes.a");
}

#[test]
fn depth_and_size_are_held_to_their_bounds() {
    assert!(to_json("memory.attributes", &nested(MAX_ATTRIBUTES_DEPTH)).is_ok());
    assert!(violation(&nested(MAX_ATTRIBUTES_DEPTH + 1)).problem.contains("32 levels"));
    let around = r#"{"k":""}"#.len();
    let long = |bytes: usize| object([("k", Kind::StringValue("x".repeat(bytes - around)))]);
    assert_eq!(to_json("a", &long(MAX_ATTRIBUTES_BYTES)).map(|json| json.len()).ok(), Some(MAX_ATTRIBUTES_BYTES));
    for bytes in [MAX_ATTRIBUTES_BYTES + 1, 3 * MAX_ATTRIBUTES_BYTES] {
        assert_eq!(violation(&long(bytes)).field, "memory.attributes");
    }
}

#[test]
fn damaged_stored_attributes_are_a_defect_without_their_text() {
    for damaged in ["{\"secret\":", "[1]", ""] {
        let error = from_json(damaged).unwrap_err();
        assert!(matches!(&error, Error::Storage { failure: StorageFailure::Defect, .. }));
        assert!(!error.to_string().contains("secret"));
    }
}
