//! What is cold gives way to what is about as good and is not.

/// What the score of a cold memory counts.
pub const COUNTS: f64 = 0.9;

/// The places of results in their new order, from those of each its score and whether it is cold. What is not cold keeps its order.
pub fn order(results: &[(f64, bool)]) -> Vec<usize> {
    let mut order: Vec<usize> = (0..results.len()).collect();
    // From the end, so that a cold one does not pass one that gives way itself.
    for from in (0..results.len()).rev() {
        let (score, is_cold) = results[from];
        let better = |place: &usize| {
            let (other, cold) = results[*place];
            !cold && other > score * COUNTS
        };
        let passed = if is_cold { order[from + 1..].iter().take_while(|place| better(place)).count() } else { 0 };
        order[from..=from + passed].rotate_left(1);
    }
    order
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn cold_gives_way_to_what_is_about_as_good_and_to_nothing_else() {
        let (warm, cold) = (false, true);
        assert_eq!(order(&[(1.0, cold), (0.95, warm), (0.91, warm), (0.9, warm)]), [1, 2, 0, 3]);
        assert_eq!(order(&[(1.0, warm), (0.9, cold), (0.5, warm)]), [0, 1, 2]);
        assert_eq!(
            order(&[(1.0, cold), (0.99, cold), (0.95, warm)]),
            [2, 0, 1],
            "among themselves they keep their order"
        );
        assert_eq!(
            order(&[(0.2, warm), (1.0, warm), (0.9, cold)]),
            [0, 1, 2],
            "what comes first for another reason stays"
        );
        assert!(order(&[]).is_empty());
    }
}
