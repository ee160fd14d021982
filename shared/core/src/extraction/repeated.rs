//! How the importance of a statement grows when a person repeats it.

use crate::bounds::MAX_IMPORTANCE;

/// The importance of a statement that a person has repeated so often: the first, second, fourth and eighth repetition
/// raise it by one, to 10 at most.
pub(crate) const fn said_again(importance: i32, repetitions: usize) -> i32 {
    let raises = matches!(repetitions, 1 | 2 | 4 | 8) && importance < MAX_IMPORTANCE;
    if raises { importance + 1 } else { importance }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn repetition_raises_importance_ever_more_slowly_and_never_above_ten() {
        let after = |first: i32, times: usize| (1..=times).fold(first, said_again);
        assert_eq!([0, 1, 2, 3, 4, 8, 100].map(|times| after(5, times)), [5, 6, 7, 7, 8, 9, 9]);
        assert_eq!(after(9, 100), 10);
    }
}
