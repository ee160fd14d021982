//! Runs every target on its seeds and some thousand mutations of them. The long searches are run by hand.

use kimberly_fuzz::mutate::Mutator;
use kimberly_fuzz::targets;

/// Mutations per target.
const RUNS: usize = 1_500;

#[test]
fn no_target_breaks_a_promise() {
    for target in targets() {
        // One thread per target, because targets keep files per thread.
        let run = move || {
            for seed in (target.seeds)() {
                (target.run)(&seed);
            }
            let mut mutator = Mutator::new(target, 0);
            (0..RUNS).for_each(|_| (target.run)(&mutator.next_input()));
        };
        let thread = std::thread::Builder::new().name(target.name.to_owned()).spawn(run).unwrap();
        assert!(thread.join().is_ok(), "{} broke a promise", target.name);
    }
}

#[test]
fn names_are_said_once_and_every_target_has_seeds() {
    let mut names: Vec<&str> = targets().map(|target| target.name).collect();
    assert!(targets().all(|target| !(target.seeds)().is_empty() && !target.about.is_empty()));
    names.sort_unstable();
    let count = names.len();
    names.dedup();
    assert_eq!(names.len(), count);
}
