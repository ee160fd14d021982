//! Protobuf's wire format as a list of fields, so that mutations keep a message's shape.

/// One field of a message.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Field {
    pub(crate) number: u64,
    pub(crate) value: Value,
}

/// A field's value.
#[derive(Clone, Debug, PartialEq)]
pub(crate) enum Value {
    Varint(u64),
    Fixed64([u8; 8]),
    Bytes(Vec<u8>),
    Fixed32([u8; 4]),
}

/// Parses fields; `None` if the bytes are not a message.
pub(crate) fn parse(mut bytes: &[u8]) -> Option<Vec<Field>> {
    let mut fields = Vec::new();
    while !bytes.is_empty() {
        let key = varint(&mut bytes)?;
        let value = match key & 7 {
            0 => Value::Varint(varint(&mut bytes)?),
            1 => Value::Fixed64(take(&mut bytes, 8)?.try_into().ok()?),
            2 => {
                let length = usize::try_from(varint(&mut bytes)?).ok()?;
                Value::Bytes(take(&mut bytes, length)?.to_vec())
            }
            5 => Value::Fixed32(take(&mut bytes, 4)?.try_into().ok()?),
            _ => return None,
        };
        if key >> 3 == 0 {
            return None;
        }
        fields.push(Field { number: key >> 3, value });
    }
    Some(fields)
}

/// Encodes fields.
pub(crate) fn write(fields: &[Field]) -> Vec<u8> {
    let mut bytes = Vec::new();
    for field in fields {
        let kind = match &field.value {
            Value::Varint(_) => 0,
            Value::Fixed64(_) => 1,
            Value::Bytes(_) => 2,
            Value::Fixed32(_) => 5,
        };
        put_varint(&mut bytes, field.number << 3 | kind);
        match &field.value {
            Value::Varint(number) => put_varint(&mut bytes, *number),
            Value::Fixed64(eight) => bytes.extend_from_slice(eight),
            Value::Fixed32(four) => bytes.extend_from_slice(four),
            Value::Bytes(inner) => {
                put_varint(&mut bytes, inner.len() as u64);
                bytes.extend_from_slice(inner);
            }
        }
    }
    bytes
}

fn take<'a>(bytes: &mut &'a [u8], length: usize) -> Option<&'a [u8]> {
    let (head, tail) = bytes.split_at_checked(length)?;
    *bytes = tail;
    Some(head)
}

fn varint(bytes: &mut &[u8]) -> Option<u64> {
    let mut number = 0;
    for shift in (0..64).step_by(7) {
        let (&byte, rest) = bytes.split_first()?;
        *bytes = rest;
        number |= u64::from(byte & 0x7F) << shift;
        if byte < 0x80 {
            return Some(number);
        }
    }
    None
}

fn put_varint(bytes: &mut Vec<u8>, mut number: u64) {
    while number >= 0x80 {
        bytes.push(number.to_le_bytes()[0] | 0x80);
        number >>= 7;
    }
    bytes.push(number.to_le_bytes()[0]);
}

#[test]
fn what_is_written_reads_back() {
    let fields = vec![
        Field { number: 1, value: Value::Varint(u64::MAX) },
        Field { number: 2, value: Value::Bytes(b"abc".to_vec()) },
        Field { number: 3, value: Value::Fixed64([7; 8]) },
        Field { number: 400, value: Value::Fixed32([9; 4]) },
    ];
    assert_eq!(parse(&write(&fields)), Some(fields));
    assert_eq!(parse(&[0xFF]), None);
}
