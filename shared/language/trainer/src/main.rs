//! `cargo run --release -p kimberly-language-trainer -- [--curve] [--errors]`: trains the judge, writes its weights and
//! prints its figures. `--dry-run` writes nothing, `--speed` only measures how fast the judge of the tree reads.
#![expect(clippy::print_stdout, reason = "prints figures")]

use std::error::Error;
use std::ops::Range;
use std::path::Path;
use std::time::Instant;

use kimberly_language::judge::{Certainty, Judge, Message};
use kimberly_language_trainer::corpus::{Conversation, Turn, parse, read};
use kimberly_language_trainer::origin::origin;
use kimberly_language_trainer::report::Said;
use kimberly_language_trainer::rounds::Material;
use kimberly_language_trainer::split::thinned;

/// Errors shown per head.
const ERRORS: usize = 60;

fn main() -> Result<(), Box<dyn Error>> {
    let given: Vec<String> = std::env::args().skip(1).collect();
    let has = |name: &str| given.iter().any(|one| one == name);
    if let Some(unknown) =
        given.iter().find(|one| !["--curve", "--errors", "--dry-run", "--speed"].contains(&one.as_str()))
    {
        return Err(format!("unknown argument {unknown}; known are --curve, --errors, --dry-run and --speed").into());
    }
    let language = Path::new(env!("CARGO_MANIFEST_DIR")).join("..");
    let files = read(&language.join("corpus"))?;
    let mut conversations = Vec::new();
    for (name, text) in &files {
        conversations.extend(parse(name, text)?);
    }
    if has("--speed") {
        return speed(&conversations);
    }
    let material = Material::new(conversations);
    let (trained, aside) = (material.of_persons(&material.trained()), material.of_persons(&material.aside()));
    println!(
        "{} files, {} conversations, {} sentences",
        files.len(),
        material.conversations.len(),
        material.examples.all.len()
    );

    let all = vec![true; material.conversations.len()];
    let crossed = material.cross(&all);
    let mut weights = material.finish(&crossed);
    weights.origin = origin(&files);
    let dense = &weights.dense;
    println!(
        "thresholds: sure {:.3}, perhaps {:.3}, now {:.3}, sens {:.3}",
        dense.thresholds[0], dense.thresholds[1], dense.thresholds[2], dense.thresholds[3]
    );
    let cross = Said { material: &material, chosen: trained, outputs: &crossed.outputs, dense };
    println!("\nFive-fold cross-validation by conversation:\n\n{}\n{}", cross.table(), cross.labels());
    let outputs = material.outputs(&weights, &aside);
    let set_aside = Said { material: &material, chosen: aside, outputs: &outputs, dense };
    println!("Set aside:\n\n{}", set_aside.table());
    let bytes = weights.to_bytes();
    if !has("--dry-run") {
        std::fs::write(language.join("src/judge/weights.bin"), &bytes)?;
    }
    println!("{} bytes of weights, {} rows", bytes.len(), weights.capacity());
    if has("--curve") {
        curve(&material, &cross);
    }
    if has("--errors") {
        println!("{}", cross.errors(ERRORS));
    }
    Ok(())
}

/// The average precision of keep with a part of the conversations for training.
fn curve(material: &Material, whole: &Said<'_>) {
    println!("Learning curve, average precision of keep in cross-validation:");
    for quarters in 1..4 {
        let crossed = material.cross(&thinned(&material.conversations, quarters));
        let said = Said { material, chosen: whole.chosen.clone(), outputs: &crossed.outputs, dense: whole.dense };
        println!("{} %: {:.3}", quarters * 25, said.average());
    }
    println!("100 %: {:.3}", whole.average());
}

/// Reads the whole corpus some times with the weights of the tree.
#[expect(clippy::cast_precision_loss, reason = "megabytes")]
fn speed(conversations: &[Conversation]) -> Result<(), Box<dyn Error>> {
    let judge = Judge::trained()?;
    let (mut bytes, mut sure) = (0, 0);
    let begin = Instant::now();
    for conversation in (0..5).flat_map(|_| conversations) {
        let messages: Vec<Message<'_>> = conversation.turns.iter().map(Turn::message).collect();
        for (at, turn) in conversation.turns.iter().enumerate() {
            let spans: Vec<Range<usize>> = turn.sentences.iter().map(|one| one.span.clone()).collect();
            let verdicts = judge.read(&messages[..at], &messages[at], &spans);
            bytes += turn.text.len();
            sure += verdicts.iter().filter(|verdict| verdict.keep.certainty == Certainty::Sure).count();
        }
    }
    let seconds = begin.elapsed().as_secs_f64();
    println!("{bytes} bytes in {seconds:.2} s: {:.2} MB per second; {sure} sure", bytes as f64 / seconds / 1e6);
    Ok(())
}
