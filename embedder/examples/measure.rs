//! The program behind `tests/bench/run embed`, run as a separate process: prints the texts, and measures the model on
//! them.
//!
//! `measure texts N` prints N texts as JSON. `measure speed SETTINGS` prints one JSON object; the settings are
//! `{"model": folder, "precision": "f32"|"int8", "threads": 1, "seconds": 2.0, "sets": {"name": [texts]}, "batches":
//! [1, 8]}`. `measure vectors SETTINGS` writes the vectors of set `all` to the file `out`, as little-endian f32.
//! `measure rerank SETTINGS` measures a cross-encoder on the sets `query` and `all`.
#![expect(clippy::print_stdout, reason = "a measuring program prints what it found")]

#[path = "measure/parts.rs"]
mod parts;
#[path = "measure/rerank.rs"]
mod rerank;
#[path = "measure/speed.rs"]
mod speed;
#[path = "../tests/model/texts.rs"]
mod texts;

use std::collections::BTreeMap;
use std::error::Error;
use std::io::Write as _;
use std::path::PathBuf;

use kimberly_embedder::model::{Model, Options, Precision, Purpose, Workspace};
use serde::Deserialize;

#[global_allocator]
static ALLOCATOR: mimalloc::MiMalloc = mimalloc::MiMalloc;

/// The options of the measurement.
#[derive(Deserialize)]
struct Settings {
    model: PathBuf,
    precision: String,
    #[serde(default)]
    threads: usize,
    #[serde(default)]
    seconds: f64,
    sets: BTreeMap<String, Vec<String>>,
    #[serde(default)]
    batches: Vec<usize>,
    out: Option<PathBuf>,
}

impl Settings {
    fn open(&self) -> Result<Model, Box<dyn Error>> {
        Ok(Model::open(&self.model, &Options::new(self.precision()))?)
    }

    fn precision(&self) -> Precision {
        if self.precision == "f32" { Precision::F32 } else { Precision::Int8 }
    }
}

fn main() -> Result<(), Box<dyn Error>> {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let settings = || -> Result<Settings, Box<dyn Error>> {
        let file = arguments.get(1).ok_or("name the file of the settings")?;
        Ok(serde_json::from_slice(&std::fs::read(file)?)?)
    };
    match arguments.first().map(String::as_str) {
        Some("texts") => {
            let count = arguments.get(1).map_or(Ok(1_000), |count| count.parse())?;
            println!("{}", serde_json::to_string(&texts::texts(count))?);
        }
        Some("speed") => println!("{}", speed::measure(&settings()?)?),
        Some("parts") => println!("{}", parts::measure(&settings()?)?),
        Some("rerank") => println!("{}", rerank::measure(&settings()?)?),
        Some("vectors") => vectors(&settings()?)?,
        _ => return Err("ask for texts, speed, parts, rerank or vectors".into()),
    }
    Ok(())
}

fn vectors(settings: &Settings) -> Result<(), Box<dyn Error>> {
    let model = settings.open()?;
    let mut out = std::fs::File::create(settings.out.as_ref().ok_or("name the file to write")?)?;
    let mut workspace = Workspace::default();
    for batch in settings.sets["all"].chunks(8) {
        let tokens: Vec<Vec<u32>> =
            batch.iter().map(|text| model.tokenize(text, Purpose::Document)).collect::<Result<_, _>>()?;
        for x in model.embed(&tokens, &mut workspace)?.iter().flatten() {
            out.write_all(&x.to_le_bytes())?;
        }
    }
    Ok(())
}
