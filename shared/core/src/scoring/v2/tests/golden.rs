//! Values of `scoring/v2` to the bit. If one of these changes, it is not `scoring/v2` any more.

use super::*;

#[test]
fn values_are_those_of_this_version_to_the_bit() {
    let goals = [
        goal(1, "Learn Spanish", "Speak with Maria's family by summer; vocabulary, grammar", &["language"]),
        goal(2, "Run a marathon", "Training plan and shoes", &["sport", "health"]),
    ];
    let tags = [tag("sport", 5, 2), tag("food", 0, 4)];
    let ago = |hours| NOON.minus(Span::hours(hours));
    let mut cases = vec![
        item("The train leaves at nine.", &[]),
        ScoringItem { sentiment: 0.6369, feedback: Some(1.0), ..item("I love my Spanish lessons", &["language"]) },
        ScoringItem { sentiment: -0.5719, feedback: Some(-1.0), last_seen_at: ago(100), ..item("I hate running", &[]) },
        ScoringItem {
            helpful: 7,
            unhelpful: 1,
            access_count: 12,
            last_seen_at: ago(1),
            ..item("new shoes", &["sport"])
        },
        ScoringItem { created_at: ago(9_999), last_seen_at: ago(9_999), ..item("Maria's grammar book", &["food"]) },
        ScoringItem {
            access_count: 1_000_000, feedback: Some(0.5), ..item("学习西班牙语", &["SPORT", "health"])
        },
    ];
    cases.push(ScoringItem { last_seen_at: NOON.plus(Span::days(1)), ..item("from the future", &[]) });
    let mut scorer = Scorer::new(&goals, Weights::new([0.4, 0.35, 0.2, 0.1]), &tags, NOON);
    let found: Vec<[u64; 5]> = cases
        .iter()
        .map(|case| {
            let ScoreRecord { score, signals: s, .. } = scorer.score(case);
            [s.relevance_to_goals, s.emotional_weight, s.predictive_value, s.recency_freq, score].map(f64::to_bits)
        })
        .collect();
    assert_eq!(found, GOLDEN, "{found:#018x?}");
}

/// Relevance, emotional weight, predictive value, recency and frequency, score: one row for each case.
#[rustfmt::skip]
const GOLDEN: [[u64; 5]; 7] = [
    [0x3fb9_9999_9999_9998, 0x3fd0_0000_0000_0000, 0x3fc8_1062_4dd2_f1aa, 0x3fe6_6666_6666_6666, 0x3fcc_a8e9_46e6_59ea],
    [0x3feb_3333_3333_3333, 0x3fed_3cf2_cf95_d4e9, 0x3fe0_4189_374b_c6a8, 0x3fe6_6666_6666_6666, 0x3fe9_566f_f314_7ddf],
    [0x3fe0_0000_0000_0000, 0x3fbb_70cd_c875_4f34, 0x3fd5_c28f_5c28_f5c2, 0x3fe2_3979_3486_4ce3, 0x3fd6_17e2_04a5_103f],
    [0x3fe7_1c71_c71c_71c6, 0x3fd0_0000_0000_0000, 0x3fe3_b817_aa70_6996, 0x3fec_9dcf_e9a9_8528, 0x3fe1_f3c9_bf85_b9d9],
    [0x3fc5_5555_5555_5554, 0x3fd0_0000_0000_0000, 0x3fae_b851_eb85_1eb9, 0x3e0a_7950_d010_753b, 0x3fc4_41aa_8136_cea4],
    [0x3fea_aaaa_aaaa_aaab, 0x3fe1_9999_9999_999a, 0x3fc4_fdf3_b645_a1cb, 0x3ff0_0000_0000_0000, 0x3fe4_1298_33c0_acaf],
    [0x0000_0000_0000_0000, 0x3fd0_0000_0000_0000, 0x3fc4_fdf3_b645_a1cb, 0x3fe6_6666_6666_6666, 0x3fc7_32cf_55eb_2141],
];
