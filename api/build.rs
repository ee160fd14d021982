//! Embeds the built console in the binary: generates a table of `console/built` with each file plain and compressed.

use std::error::Error;
use std::fmt::Write as _;
use std::io::Write as _;
use std::path::{Path, PathBuf};
use std::{env, fs};

use flate2::Compression;
use flate2::write::GzEncoder;

fn main() -> Result<(), Box<dyn Error>> {
    let built = PathBuf::from(env::var("CARGO_MANIFEST_DIR")?).join("console/built");
    let out = PathBuf::from(env::var("OUT_DIR")?);
    println!("cargo:rerun-if-changed={}", built.display());
    let mut table = String::from("pub(super) static FILES: &[File] = &[\n");
    for (number, file) in files(&built)?.iter().enumerate() {
        println!("cargo:rerun-if-changed={}", file.display());
        let name = file.strip_prefix(&built)?.to_str().ok_or("a name is not UTF-8")?.replace('\\', "/");
        let packed = out.join(format!("console-{number}.gz"));
        fs::write(&packed, pack(&fs::read(file)?)?)?;
        writeln!(
            table,
            "    File {{ name: {name:?}, plain: include_bytes!({:?}), packed: include_bytes!({:?}) }},",
            file.display().to_string(),
            packed.display().to_string(),
        )?;
    }
    table.push_str("];\n");
    fs::write(out.join("console.rs"), table)?;
    Ok(())
}

/// Lists all files below a folder, sorted.
fn files(folder: &Path) -> Result<Vec<PathBuf>, Box<dyn Error>> {
    let mut found = Vec::new();
    for entry in fs::read_dir(folder)? {
        let path = entry?.path();
        if path.is_dir() {
            found.extend(files(&path)?);
        } else {
            found.push(path);
        }
    }
    found.sort();
    Ok(found)
}

fn pack(plain: &[u8]) -> std::io::Result<Vec<u8>> {
    let mut packer = GzEncoder::new(Vec::new(), Compression::best());
    packer.write_all(plain)?;
    packer.finish()
}
