//! docs/recall.md lists the stages of recall in the order of their table.

use kimberly_core::recall::stages::{Stage, Switch};

use super::root;

#[test]
fn stages_of_recall_are_documented_in_their_order() {
    let row = |stage: &Stage| {
        let takes_part = match stage.switch() {
            Switch::Always => "always",
            Switch::On => "unless turned off",
            Switch::Off => "if turned on",
        };
        format!("| `{}` | {takes_part} | {} |\n", stage.name(), stage.about())
    };
    let table: String = Stage::ALL.iter().map(row).collect();
    let text = std::fs::read_to_string(root().join("docs/recall.md")).expect("the document exists");
    assert!(text.contains(&table), "docs/recall.md should hold this table:\n{table}");
}
