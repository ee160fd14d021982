//! Free JSON data (`google.protobuf.Struct`) to and from JSON.

use prost_types::value::Kind;
use prost_types::{ListValue, Struct};
use serde_json::{Map, Number, Value};

/// A struct as a JSON object. Whole numbers are written without a point.
pub(crate) fn from_struct(data: &Struct) -> Value {
    Value::Object(data.fields.iter().map(|(key, value)| (key.clone(), from_value(value))).collect())
}

/// A JSON object as a struct; `None` if it is not an object.
pub(crate) fn to_struct(value: &Value) -> Option<Struct> {
    Some(Struct { fields: value.as_object()?.iter().map(|(key, value)| (key.clone(), to_value(value))).collect() })
}

/// Why free data cannot be stored as it is: its numbers are doubles, which hold whole ones up to 2^53.
pub(crate) fn problem(value: &Value) -> Option<String> {
    const MOST: u64 = 1 << 53;
    match value {
        Value::Number(number) => {
            let whole = number.as_u64().or_else(|| number.as_i64().map(i64::unsigned_abs));
            whole.filter(|whole| *whole > MOST).map(|_| {
                format!("holds {number}, which would change: whole numbers may go to {MOST}; write it as a text")
            })
        }
        Value::Array(values) => values.iter().find_map(problem),
        Value::Object(members) => members.values().find_map(problem),
        _ => None,
    }
}

fn from_value(value: &prost_types::Value) -> Value {
    match &value.kind {
        None | Some(Kind::NullValue(_)) => Value::Null,
        Some(Kind::BoolValue(flag)) => Value::Bool(*flag),
        Some(Kind::NumberValue(number)) => from_number(*number),
        Some(Kind::StringValue(text)) => Value::String(text.clone()),
        Some(Kind::ListValue(list)) => Value::Array(list.values.iter().map(from_value).collect()),
        Some(Kind::StructValue(inner)) => from_struct(inner),
    }
}

#[expect(clippy::cast_possible_truncation, reason = "only whole numbers up to 2^53 are cast")]
fn from_number(number: f64) -> Value {
    const EXACT: f64 = 9_007_199_254_740_992.0;
    let negative_zero = number == 0.0 && number.is_sign_negative();
    if number.fract() == 0.0 && number.abs() <= EXACT && !negative_zero {
        Value::Number(Number::from(number as i64))
    } else {
        Number::from_f64(number).map_or(Value::Null, Value::Number)
    }
}

fn to_value(value: &Value) -> prost_types::Value {
    let kind = match value {
        Value::Null => Kind::NullValue(0),
        Value::Bool(flag) => Kind::BoolValue(*flag),
        Value::Number(number) => Kind::NumberValue(number.as_f64().unwrap_or_default()),
        Value::String(text) => Kind::StringValue(text.clone()),
        Value::Array(values) => Kind::ListValue(ListValue { values: values.iter().map(to_value).collect() }),
        Value::Object(members) => Kind::StructValue(object(members)),
    };
    prost_types::Value { kind: Some(kind) }
}

fn object(members: &Map<String, Value>) -> Struct {
    Struct { fields: members.iter().map(|(key, value)| (key.clone(), to_value(value))).collect() }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn free_data_survives_the_way_there_and_back() {
        let data =
            serde_json::json!({"a": [1, 2.5, "x", null, true, {"b": {}}], "dia_id": "D1:3", "n": -7, "big": 1e300});
        assert_eq!(from_struct(&to_struct(&data).unwrap()), data);
        assert_eq!(to_struct(&serde_json::json!([1])), None);
        assert_eq!(problem(&data), None);
    }

    #[test]
    fn whole_numbers_that_would_change_are_named() {
        let most = 1_i64 << 53;
        assert_eq!(problem(&serde_json::json!({"a": [most, -most]})), None);
        for n in [most + 1, -most - 1, i64::MIN] {
            let told = problem(&serde_json::json!({"a": [n]})).unwrap();
            assert!(told.contains(&n.to_string()), "{told}");
        }
    }
}
