//! Holds `src/generated` to the protos: generates it again and compares, without a system protoc.
//!
//! With `KIMBERLY_REGENERATE=1` it writes the files instead of comparing them.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::{env, error::Error, fs};

use prost_types::field_descriptor_proto::Type;
use prost_types::{DescriptorProto, FieldDescriptorProto, FileDescriptorSet};

const COMMAND: &str = "KIMBERLY_REGENERATE=1 cargo test -p kimberly-proto --test generated";

#[test]
fn generated_code_follows_the_protos() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("src/generated");
    let generated = generate().unwrap();
    if env::var_os("KIMBERLY_REGENERATE").is_some() {
        for (name, content) in &generated {
            fs::write(folder.join(name), content).unwrap();
        }
    }
    let stale: Vec<_> =
        generated.iter().filter(|(name, content)| fs::read(folder.join(name)).ok().as_ref() != Some(content)).collect();
    let names: Vec<_> = stale.iter().map(|(name, _)| name).collect();
    assert!(names.is_empty(), "{names:?} in {} differ from the protos; run {COMMAND}", folder.display());
    let foreign: Vec<_> = fs::read_dir(&folder)
        .unwrap()
        .map(|entry| entry.unwrap().file_name().into_string().unwrap())
        .filter(|name| !generated.contains_key(name.as_str()))
        .collect();
    assert!(foreign.is_empty(), "{foreign:?} in {} come from no proto; remove them", folder.display());
}

/// The files by name.
fn generate() -> Result<BTreeMap<&'static str, Vec<u8>>, Box<dyn Error>> {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../proto");
    let mut files = protos(&root.join("kimberly/v1"))?;
    // Errors are built from these types, although no message of the contract refers to them.
    files.extend(["google/rpc/status.proto", "google/rpc/error_details.proto"].map(|path| root.join(path)));
    // Encoded by the compiler itself, since decoding and encoding with prost would drop the HTTP annotations.
    let mut bare = protox::Compiler::new([&root])?;
    bare.include_imports(true).open_files(&files)?;
    let mut compiler = protox::Compiler::new([&root])?;
    compiler.include_imports(true).include_source_info(true).open_files(&files)?;
    // Compiled separately, so that nothing of it gets into the descriptors that callers can read.
    let mut internal = protox::Compiler::new([&root])?;
    internal.include_source_info(true).open_files(protos(&root.join("kimberly/internal/v1"))?)?;

    let out = tempfile::tempdir()?;
    // Messages know their names, which find their descriptors when they are written as JSON.
    let mut named = tonic_prost_build::Config::new();
    named.enable_type_names();
    tonic_prost_build::configure()
        .out_dir(out.path())
        .codec_path("crate::codec::Codec")
        .extern_path(".google.rpc", "::tonic_types::pb")
        .skip_debug(["kimberly.v1.CreateKeyResponse", "kimberly.v1.RotateKeyResponse"])
        .compile_fds_with_config(compiler.file_descriptor_set(), named)?;
    tonic_prost_build::configure().out_dir(out.path()).compile_fds(internal.file_descriptor_set())?;
    Ok(BTreeMap::from([
        ("kimberly.v1.bare.bin", bare.encode_file_descriptor_set()),
        ("kimberly.v1.bin", compiler.encode_file_descriptor_set()),
        ("texts.rs", texts(&compiler.file_descriptor_set()).into_bytes()),
        ("kimberly.v1.rs", fs::read(out.path().join("kimberly.v1.rs"))?),
        ("kimberly.internal.v1.rs", fs::read(out.path().join("kimberly.internal.v1.rs"))?),
    ]))
}

/// Where the texts of each message are, as Rust: the message's name, and the numbers of its texts (`None`) and of its
/// messages, by their index in this list. Names of users are no texts: two of them must never become one.
fn texts(set: &FileDescriptorSet) -> String {
    fn gather<'d>(scope: &str, messages: &'d [DescriptorProto], all: &mut BTreeMap<String, &'d DescriptorProto>) {
        for message in messages {
            let name = format!("{scope}.{}", message.name());
            gather(&name, &message.nested_type, all);
            all.insert(name, message);
        }
    }
    let mut all = BTreeMap::new();
    for file in &set.file {
        gather(&format!(".{}", file.package()), &file.message_type, &mut all);
    }
    let place = |of: &FieldDescriptorProto| match of.r#type() {
        Type::String if !["user_id", "users"].contains(&of.name()) => Some(format!("({}, None)", of.number())),
        Type::Message => {
            let inner = all.keys().position(|name| name == of.type_name())?;
            Some(format!("({}, Some({inner}))", of.number()))
        }
        _ => None,
    };
    let line = |(name, message): (&String, &&DescriptorProto)| {
        let places: Vec<_> = message.field.iter().filter_map(place).collect();
        format!("({:?}, &[{}]),\n", name.trim_start_matches('.'), places.join(", "))
    };
    format!("// @generated from the protos.\n&[\n{}]\n", all.iter().map(line).collect::<String>())
}

/// Lists the protos of a folder, sorted by name.
fn protos(folder: &Path) -> Result<Vec<PathBuf>, Box<dyn Error>> {
    let mut files: Vec<PathBuf> =
        fs::read_dir(folder)?.map(|entry| entry.map(|e| e.path())).collect::<Result<_, _>>()?;
    files.retain(|path| path.extension().is_some_and(|ext| ext == "proto"));
    files.sort();
    Ok(files)
}
