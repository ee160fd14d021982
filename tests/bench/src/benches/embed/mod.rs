//! Embedding speed, compared with onnxruntime and `PyTorch` with the same model, texts and threads, and with the
//! processor's peak for matrix products; a time profile; the agreement with sentence-transformers.

mod run;
mod workload;

use serde_json::{Value, json};

use crate::figures::{Aim, Figures};
use crate::report::{Report, checkout, say};
use crate::{Options, Result, embeddings};
use run::{Python, measure};

const BATCHES: [usize; 4] = [1, 8, 32, 64];
const PRECISIONS: [&str; 2] = ["f32", "int8"];
/// The compared runtimes; the first is the reference for the others.
const PEERS: [&str; 4] = ["onnx_f32", "onnx_int8", "torch_f32", "torch_bf16"];

/// Measures and reports.
pub(crate) async fn run(options: Options, report: &mut Report) -> Result<()> {
    let model = embeddings::model()?;
    let folder = tempfile::tempdir()?;
    let seconds = if options.quick { 0.5 } else { 3.0 };
    let odd: Vec<String> = serde_json::from_str(&measure(&["texts".as_ref(), "1000".as_ref()]).await?)?;
    let settings = |threads: usize, more: Value| {
        let mut settings = json!({
            "model": model,
            "cache": checkout().join(".cache/embed-onnx"),
            "threads": threads,
            "seconds": seconds,
            "sets": workload::sets(),
            "batches": BATCHES,
        });
        if let (Some(all), Some(more)) = (settings.as_object_mut(), more.as_object()) {
            all.extend(more.clone());
        }
        settings
    };
    let peers = match Python::install(&checkout(), folder.path(), &settings(2, json!({ "mode": "export" }))).await {
        Ok(python) => Some(python),
        Err(error) => {
            say(&format!("\nwithout peers: they cannot be installed here ({error})"));
            None
        }
    };
    for threads in [1, 2] {
        let mut ours = serde_json::Map::new();
        for precision in PRECISIONS {
            let file = run::settings_file(folder.path(), &settings(threads, json!({ "precision": precision })))?;
            let found: Value = serde_json::from_str(&measure(&["speed".as_ref(), file.as_os_str()]).await?)?;
            ours.insert(precision.to_owned(), found);
        }
        let mut theirs = serde_json::Map::new();
        for runtime in PEERS {
            let Some(python) = &peers else { break };
            let asked = settings(threads, json!({ "mode": "speed", "runtime": runtime }));
            match python.ask(folder.path(), &asked).await {
                Ok(found) => drop(theirs.insert(runtime.to_owned(), found)),
                Err(error) => say(&format!("\nwithout {runtime}: {error}")),
            }
        }
        speed(threads, &Value::Object(ours), &Value::Object(theirs), report);
    }
    for precision in PRECISIONS {
        let of = json!({ "precision": precision, "sets": { "all": workload::short() } });
        let file = run::settings_file(folder.path(), &settings(1, of))?;
        let found: Value = serde_json::from_str(&measure(&["parts".as_ref(), file.as_os_str()]).await?)?;
        parts(precision, &found, report);
    }
    if let Some(python) = &peers {
        agreement(python, folder.path(), &odd, &settings, report).await?;
    }
    Ok(())
}

/// Our figures, theirs, and the ratios.
fn speed(threads: usize, ours: &Value, theirs: &Value, report: &mut Report) {
    let mut figures = Figures::new(report, &format!("embed, {threads} thread(s)"));
    for precision in PRECISIONS {
        let (mine, base) = (&ours[precision], format!("embed.t{threads}.{precision}"));
        let rival = &theirs[format!("onnx_{precision}")];
        for kind in ["short", "long"] {
            for batch in BATCHES {
                let run = format!("{kind}.b{batch}");
                let rate = number(&mine["runs"][&run]["sentences"]);
                figures.add(&format!("{base}.{run}.sentences_per_second"), rate, Aim::Open);
                figures.add(
                    &format!("{base}.{run}.tokens_per_second"),
                    number(&mine["runs"][&run]["tokens"]),
                    Aim::Open,
                );
                let to = rate / number(&rival["runs"][&run]["sentences"]);
                figures.add(&format!("{base}.{run}.vs_onnx"), to, Aim::AtLeast(1.0));
            }
        }
        figures.add(&format!("{base}.query.p50_ms"), number(&mine["query"]["p50_ms"]), Aim::AtMost(3.0));
        figures.add(&format!("{base}.query.p99_ms"), number(&mine["query"]["p99_ms"]), Aim::Open);
        for key in ["open_ms", "first_ms", "weights_mb", "rss_mb", "peak_mb"] {
            figures.add(&format!("{base}.{key}"), number(&mine[key]), Aim::Open);
        }
    }
    for (name, found) in theirs.as_object().into_iter().flatten() {
        let base = format!("embed.t{threads}.{name}");
        for (run, rates) in found["runs"].as_object().into_iter().flatten() {
            figures.add(&format!("{base}.{run}.sentences_per_second"), number(&rates["sentences"]), Aim::Open);
            figures.add(&format!("{base}.{run}.tokens_per_second"), number(&rates["tokens"]), Aim::Open);
        }
        figures.add(&format!("{base}.query.p50_ms"), number(&found["query"]["p50_ms"]), Aim::Open);
        figures.add(&format!("{base}.query.p99_ms"), number(&found["query"]["p99_ms"]), Aim::Open);
        for key in ["open_ms", "first_ms", "rss_mb", "peak_mb", "cosine_to_f32"] {
            figures.add(&format!("{base}.{key}"), number(&found[key]), Aim::Open);
        }
    }
    figures.print();
}

/// The time profile of a batch.
fn parts(precision: &str, found: &Value, report: &mut Report) {
    let mut figures = Figures::new(report, &format!("embed, parts of {} tokens, {precision}", found["tokens"]));
    let base = format!("embed.parts.{precision}");
    for (part, us) in found["us"].as_object().into_iter().flatten() {
        figures.add(&format!("{base}.{part}_us"), number(us), Aim::Open);
    }
    figures.add(&format!("{base}.peak_gops"), number(&found["peak_gops"]), Aim::Open);
    figures.add(&format!("{base}.forward_gops"), number(&found["forward_gops"]), Aim::Open);
    let share = number(&found["forward_gops"]) / number(&found["peak_gops"]);
    figures.add(&format!("{base}.share_of_peak"), share, Aim::Open);
    figures.print();
}

/// Cosines to sentence-transformers, and another library's peak for matrix products.
async fn agreement(
    python: &Python,
    folder: &std::path::Path,
    odd: &[String],
    settings: &impl Fn(usize, Value) -> Value,
    report: &mut Report,
) -> Result<()> {
    let mut figures = Figures::new(report, "embed, 1,000 texts beside sentence-transformers");
    for precision in PRECISIONS {
        let out = folder.join("vectors.f32");
        let of = json!({ "mode": "vectors", "precision": precision, "sets": { "all": odd }, "out": out });
        let settings = settings(2, of);
        measure(&["vectors".as_ref(), run::settings_file(folder, &settings)?.as_os_str()]).await?;
        let found = python.ask(folder, &settings).await?;
        let (least, mean) = if precision == "f32" { (0.9999, 0.9999) } else { (0.0, 0.99) };
        let name = format!("embed.cosine.{precision}");
        figures.add(&format!("{name}.least"), number(&found["least"]), Aim::AtLeast(least));
        figures.add(&format!("{name}.mean"), number(&found["mean"]), Aim::AtLeast(mean));
    }
    let found = python.ask(folder, &settings(1, json!({ "mode": "gemm" }))).await?;
    figures.add("embed.torch_gemm_gflops", number(&found["gflops"]), Aim::Open);
    figures.print();
    Ok(())
}

fn number(value: &Value) -> f64 {
    value.as_f64().unwrap_or(f64::NAN)
}
