//! The console has a text in each language for every value of a set of the contract that it shows.

use std::collections::BTreeSet;

use kimberly_proto::FILE_DESCRIPTOR_SET;
use prost::Message as _;
use prost_types::FileDescriptorSet;

use super::{assert_none, texts};

const SOURCES: &str = "api/console/src/";

#[test]
fn console_has_words_for_all_values_of_the_sets_that_it_shows() {
    let mut sources = texts();
    sources.retain(|file| file.path.starts_with(SOURCES));
    let all: String =
        sources.iter().filter(|file| !file.path.contains("/i18n/")).map(|file| file.text.as_str()).collect();
    let files = FileDescriptorSet::decode(FILE_DESCRIPTOR_SET).expect("the contract").file;
    let mut missing = Vec::new();
    for language in ["en", "de"] {
        let file = |name: String| sources.iter().find(|file| file.path.ends_with(&name)).map_or("", |file| &file.text);
        let texts = [file(format!("/i18n/{language}-words.ts")), file(format!("/i18n/{language}.ts"))].concat();
        let named: BTreeSet<&str> = words(&texts).collect();
        let used: BTreeSet<&str> = words(&all).collect();
        for set in files.iter().flat_map(|file| &file.enum_type) {
            let values: Vec<&str> = set.value.iter().map(prost_types::EnumValueDescriptorProto::name).collect();
            if !values.iter().any(|value| named.contains(value)) {
                continue;
            }
            // Values that the code handles by themselves need no word.
            let without = |value: &&&str| !named.contains(**value) && !used.contains(**value);
            let shown = values.iter().filter(|value| !value.ends_with("_UNSPECIFIED"));
            missing.extend(shown.filter(without).map(|value| format!("{language} has no word for {value}")));
        }
    }
    assert_none("texts of the console", &missing);
}

fn words(text: &str) -> impl Iterator<Item = &str> {
    text.split(|c: char| !c.is_ascii_alphanumeric() && c != '_').filter(|word| !word.is_empty())
}
