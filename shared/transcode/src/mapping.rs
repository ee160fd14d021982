//! The JSON of a contract's messages, as the layer reads and writes it, for use by other programs.

use prost_reflect::prost::{Message, Name};
use prost_reflect::{DescriptorPool, DeserializeOptions, DynamicMessage, MessageDescriptor, SerializeOptions};
use serde::Serialize as _;
use serde_json::Value;

use crate::BuildError;
use crate::answer::FORM;
use crate::lenient::Lenient;
use crate::numbers::{Changed, Compact};

/// The messages of a contract and their JSON mapping. Cheap to clone.
#[derive(Clone, Debug)]
pub struct Mapping {
    pool: DescriptorPool,
}

impl Mapping {
    /// Creates the mapping from an encoded `google.protobuf.FileDescriptorSet`.
    pub fn new(descriptors: &[u8]) -> Result<Self, BuildError> {
        Ok(Self { pool: DescriptorPool::decode(descriptors)? })
    }

    /// Writes a message in the layer's response form. Fails for values without a JSON form, such as a time after the
    /// year 9999.
    pub fn json<M: Message + Name>(&self, message: &M) -> Result<Value, String> {
        self.written(message, &FORM)
    }

    /// Like [`Self::json`], but omits fields without presence at their default. Parses back to the same message.
    pub fn short<M: Message + Name>(&self, message: &M) -> Result<Value, String> {
        self.written(message, &SerializeOptions::new())
    }

    /// Parses a message as the layer parses bodies. The error names the problem and the member.
    pub fn message<M: Message + Name + Default>(&self, json: &Value) -> Result<M, String> {
        self.read(json, &DeserializeOptions::new())
    }

    /// Like [`Self::message`], but ignores unknown members, for JSON of other versions.
    pub fn known<M: Message + Name + Default>(&self, json: &Value) -> Result<M, String> {
        self.read(json, &DeserializeOptions::new().deny_unknown_fields(false))
    }

    /// Returns the set fields of a message as mask paths. A member of a oneof yields the name of the oneof.
    pub fn set_paths<M: Message + Name>(&self, message: &M) -> Result<Vec<String>, String> {
        let read = self.dynamic(message)?;
        let path = |field: prost_reflect::FieldDescriptor| {
            let choice = field.containing_oneof().filter(|choice| !choice.is_synthetic());
            choice.map_or_else(|| field.name().to_owned(), |choice| choice.name().to_owned())
        };
        Ok(read.fields().map(|(field, _)| path(field)).collect())
    }

    /// Returns the JSON member names of the message in a field. Empty if the field does not exist or holds no message.
    pub fn members<M: Name>(&self, field: &str) -> Vec<String> {
        let held = self.descriptor::<M>().ok().and_then(|of| of.get_field_by_name(field));
        let held = held.and_then(|field| field.kind().as_message().cloned());
        held.map(|of| of.fields().map(|field| field.json_name().to_owned()).collect()).unwrap_or_default()
    }

    fn descriptor<M: Name>(&self) -> Result<MessageDescriptor, String> {
        let name = M::full_name();
        self.pool.get_message_by_name(&name).ok_or_else(|| format!("the contract has no {name}"))
    }

    fn read<M: Message + Name + Default>(&self, json: &Value, options: &DeserializeOptions) -> Result<M, String> {
        let (of, changed) = (self.descriptor::<M>()?, Changed::default());
        let read = |json: &Value| {
            let from = Lenient::new(json, &of, &[], &changed);
            DynamicMessage::deserialize_with_options(of.clone(), from, options).map_err(|error| error.to_string())
        };
        let read = read(json).map_err(|problem| culprit(json, read).unwrap_or(problem))?;
        read.transcode_to().map_err(|error| error.to_string())
    }

    fn dynamic<M: Message + Name>(&self, message: &M) -> Result<DynamicMessage, String> {
        let mut read = DynamicMessage::new(self.descriptor::<M>()?);
        read.transcode_from(message).map_err(|error| error.to_string())?;
        Ok(read)
    }

    fn written<M: Message + Name>(&self, message: &M, form: &SerializeOptions) -> Result<Value, String> {
        let read = self.dynamic(message)?;
        read.serialize_with_options(serde_json::value::Serializer, form).map_err(|error| error.to_string())
    }
}

/// Finds the first member that does not parse alone, and returns the reason.
fn culprit(json: &Value, read: impl Fn(&Value) -> Result<DynamicMessage, String>) -> Option<String> {
    json.as_object()?.iter().find_map(|(name, value)| {
        let alone = Value::Object([(name.clone(), value.clone())].into_iter().collect());
        read(&alone).err().map(|problem| format!("{name}: {problem}"))
    })
}

/// Writes JSON as text, with whole numbers without a decimal point, as the layer does.
pub fn text(json: &Value) -> String {
    let mut text = Vec::with_capacity(512);
    let mut writer = serde_json::Serializer::with_formatter(&mut text, Compact);
    // Keys are strings and the target is memory: neither can fail.
    let _ = json.serialize(&mut writer);
    String::from_utf8(text).unwrap_or_default()
}
