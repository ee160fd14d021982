//! Measures the speed; fails only if something is grossly wrong. Run in release with `--nocapture` for numbers.

use super::*;

/// Far below the goal of 100,000 items a second on one core, so that a busy machine and an unoptimized build pass.
const LEAST_PER_SECOND: f64 = 1_000.0;

#[test]
#[expect(clippy::print_stdout, reason = "the number is what this test is for")]
fn scoring_is_fast_enough() {
    let topics = ["marathon", "spanish", "garden", "invoice", "guitar", "kitchen", "holiday", "budget", "novel", "dog"];
    let goals: Vec<Goal> = (0..20)
        .map(|n| {
            goal(n, &format!("Get on with {}", topics[n as usize % 10]), "every week, with notes and plans", &["x"])
        })
        .collect();
    let items: Vec<ScoringItem> = (0..5_000_u32)
        .map(|n| {
            let word = topics[n as usize % 10];
            let text = format!(
                "On day {n} we talked about the {word} again, and she said that number {} of our plans for next week \
                 would need some more time than we thought at first",
                n * 7
            );
            ScoringItem { access_count: u64::from(n % 9), ..item(&text, &["talk", word]) }
        })
        .collect();
    let mut scorer = Scorer::new(&goals, Preset::Balanced.weights(), &[tag("talk", 3, 1)], NOON);
    let begun = std::time::Instant::now();
    let sum: f64 = items.iter().map(|item| scorer.score(item).score).sum();
    let per_second = number(items.len() as u64) / begun.elapsed().as_secs_f64();
    let bytes = items.iter().map(|item| item.content.len()).sum::<usize>() / items.len();
    println!("{:.0} items/s of {bytes} bytes against {} goals (sum {sum:.3})", per_second, goals.len());
    assert!(per_second > LEAST_PER_SECOND);
}
