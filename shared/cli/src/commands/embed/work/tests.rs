//! Tests which items survive a truncation, and which files are left unchanged.

use super::*;

fn item(id: &str, fingerprint: &str) -> v1::EmbeddingItem {
    let vectors = vec![v1::Vector { values: vec![0.6, -0.8] }, v1::Vector { values: vec![1.0 / 3.0, 0.942_809_04] }];
    v1::EmbeddingItem { id: id.to_owned(), fingerprint: fingerprint.to_owned(), vectors }
}

fn texts(id: &str, fingerprint: &str) -> v1::EmbeddingTexts {
    v1::EmbeddingTexts { id: id.to_owned(), fingerprint: fingerprint.to_owned(), texts: Vec::new() }
}

#[test]
fn what_was_computed_is_there_after_a_cut_at_any_byte_to_the_bit() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("work");
    let mut work = Work::open(&file, "m").unwrap();
    for one in [item("a", "1"), item("b", "1"), item("a", "2")] {
        work.save(&one).unwrap();
    }
    assert_eq!(work.get(&texts("a", "2")).unwrap(), Some(item("a", "2")));
    drop(work);
    let whole = std::fs::read(&file).unwrap();
    let head = whole.iter().position(|byte| *byte == b'\n').unwrap() + 1;
    for cut in 0..=whole.len() {
        std::fs::write(&file, &whole[..cut]).unwrap();
        // Truncated, continued, and opened again.
        Work::open(&file, "m").unwrap().save(&item("c", "1")).unwrap();
        let mut work = Work::open(&file, "m").unwrap();
        // A line that lacks only its line break is complete.
        let lines = whole[..(cut + 1).min(whole.len())].iter().skip(head).filter(|byte| **byte == b'\n').count();
        assert_eq!(work.get(&texts("a", "1")).unwrap().is_some(), lines == 1 || lines == 2, "cut at {cut}");
        assert_eq!(work.get(&texts("b", "1")).unwrap().is_some(), lines >= 2, "cut at {cut}");
        assert_eq!(work.get(&texts("c", "1")).unwrap(), Some(item("c", "1")), "cut at {cut}");
    }
    Work::open(&file, "m").unwrap().remove().unwrap();
    assert!(!file.exists());
}

#[test]
fn a_file_that_is_in_use_is_refused() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("work");
    let first = Work::open(&file, "m").unwrap();
    assert!(Work::open(&file, "m").is_err_and(|error| error.message().contains("in use")));
    drop(first);
    assert!(Work::open(&file, "m").is_ok());
}

#[test]
fn files_of_another_model_and_of_other_programs_are_refused_and_left_alone() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("work");
    Work::open(&file, "m").unwrap().save(&item("a", "1")).unwrap();
    let ours = std::fs::read(&file).unwrap();
    assert!(Work::open(&file, "other").is_err_and(|error| error.message().contains("of the model m")));
    assert_eq!(std::fs::read(&file).unwrap(), ours);
    std::fs::write(&file, "my shopping list\n").unwrap();
    assert!(Work::open(&file, "m").is_err_and(|error| error.message().contains("not a vector file")));
    assert_eq!(std::fs::read(&file).unwrap(), b"my shopping list\n");
}
