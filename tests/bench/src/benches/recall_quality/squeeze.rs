//! How much evidence recall still finds after a vault is reduced to a share of its bytes: by score, by score without
//! predictive value, and by simpler orders.

use std::collections::{BTreeMap, BTreeSet};

use kimberly_core::UserId;
use kimberly_core::settings::{ScoringChoice, UserSettings};
use kimberly_core::usecases::MeditateInput;
use kimberly_core::usecases::settings::{SettingsPatch, UpdateSettingsInput};

use super::sets::{self, Part, Set};
use super::vaults::Vaults;
use super::{Prepared, Way, Weights};
use crate::population::scatter;
use crate::report::{Report, Table, say};
use crate::{Options, Result};

/// Shares of the bytes that remain, in percent.
const SHARES: [u64; 3] = [50, 25, 10];
/// The share, in percent, that [`GAIN`] applies to.
const QUARTER: u64 = 25;
/// Target at 25 %: evidence found by score, as a multiple of the evidence found by score without predictive value.
const GAIN: f64 = 1.1;

/// The default weights.
const BALANCED: [f64; 4] = [0.4, 0.3, 0.2, 0.1];
/// The default weights without predictive value, which without outcomes is estimated from the text.
const WITHOUT_TEXT: [f64; 4] = [0.4, 0.3, 0.0, 0.1];

/// The order in which memories are dropped.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Order {
    /// By score, through a meditation.
    Score,
    /// By score, through a meditation with the weights [`WITHOUT_TEXT`].
    ScoreWithoutText,
    /// The oldest first, which is the least recently used.
    Oldest,
    /// The longest first.
    Longest,
    /// In a pseudo-random order, the same in every run.
    Random,
}

impl Order {
    const ALL: [Self; 5] = [Self::Score, Self::ScoreWithoutText, Self::Oldest, Self::Longest, Self::Random];

    fn name(self) -> &'static str {
        match self {
            Self::Score => "score",
            Self::ScoreWithoutText => "score_without_text",
            Self::Oldest => "oldest",
            Self::Longest => "longest",
            Self::Random => "random",
        }
    }
}

/// Reduces the vaults of every set in every order, and asks every question again.
pub(crate) async fn run(_options: Options, report: &mut Report) -> Result<()> {
    let mut table =
        Table::new(&["evidence in the first ten, held", "50 %", "25 %", "10 %", "developed 50 %", "25 %", "10 %"]);
    for set in sets::read()?.into_iter().filter(|set| set.name != "sessions") {
        let mut at_quarter = BTreeMap::new();
        let vaults = Vaults::of(&set.conversations).await?;
        let sizes: Vec<Vec<u64>> = vaults.users.iter().map(|user| user.sizes.clone()).collect();
        let (name, mut prepared) = (set.name, Prepared { set, vaults });
        for order in Order::ALL {
            let mut found = [[0.0; SHARES.len()]; 2];
            for (index, share) in SHARES.into_iter().enumerate() {
                prepared.vaults = squeezed(&prepared.set, &sizes, share, order).await?;
                for (part, found) in Part::ALL.into_iter().zip(&mut found) {
                    let [_, at_ten, ..] = prepared.mean(part, Way::Words(&Weights::FITTED)).await?.values;
                    found[index] = at_ten;
                    report.set(format!("{name}.{}.{}.{share}", part.name(), order.name()), found[index]);
                    if share == QUARTER {
                        at_quarter.insert((part.name(), order.name()), found[index]);
                    }
                }
            }
            let cells = found.iter().rev().flatten().map(|value| format!("{value:.3}"));
            table.row(std::iter::once(format!("{name} {}", order.name())).chain(cells));
        }
        for part in Part::ALL {
            let of = |order: Order| at_quarter.get(&(part.name(), order.name())).copied().unwrap_or(f64::NAN);
            let gain = of(Order::Score) / of(Order::ScoreWithoutText);
            say(&format!("{name} {}: {gain:.2} times the score without text at 25 %, aim {GAIN}", part.name()));
        }
    }
    say(&format!("\n{}", table.text()));
    Ok(())
}

/// Returns the vaults of a set with a share of their bytes, in percent.
async fn squeezed(set: &Set, sizes: &[Vec<u64>], share: u64, order: Order) -> Result<Vaults> {
    let left = |sizes: &[u64]| sizes.iter().sum::<u64>() * share / 100;
    let weights = match order {
        Order::Score => BALANCED,
        Order::ScoreWithoutText => WITHOUT_TEXT,
        Order::Oldest | Order::Longest | Order::Random => {
            let stay: Vec<BTreeSet<usize>> = sizes.iter().map(|sizes| stay(sizes, left(sizes), order)).collect();
            return Vaults::of_some(&set.conversations, |conversation, turn| stay[conversation].contains(&turn)).await;
        }
    };
    let vaults = Vaults::of(&set.conversations).await?;
    for (user, sizes) in vaults.users.iter().zip(sizes) {
        vaults.meditate(&user.id, left(sizes), weights).await?;
    }
    Ok(vaults)
}

/// Returns the indices of memories that remain if others are dropped in a simple order until at most `left` bytes are
/// left.
fn stay(sizes: &[u64], left: u64, order: Order) -> BTreeSet<usize> {
    let mut indexes: Vec<usize> = (0..sizes.len()).collect();
    match order {
        Order::Longest => indexes.sort_by_key(|index| std::cmp::Reverse(sizes[*index])),
        Order::Random => indexes.sort_by_key(|index| scatter(*index)),
        _ => {}
    }
    let mut held: u64 = sizes.iter().sum();
    let goes = |index: &usize| {
        let goes = held > left;
        held -= if goes { sizes[*index] } else { 0 };
        goes
    };
    indexes.into_iter().skip_while(goes).collect()
}

impl Vaults {
    /// Meditates with a quota and weights.
    async fn meditate(&self, user: &UserId, quota: u64, weights: [f64; 4]) -> Result<()> {
        let values = UserSettings {
            long_term_quota_bytes: Some(quota),
            scoring: Some(ScoringChoice::Weights(kimberly_core::scoring::Weights::new(weights))),
            ..UserSettings::default()
        };
        let mask = ["long_term_quota_bytes", "scoring"].map(str::to_owned);
        let patch = SettingsPatch::new(values, &mask)?;
        let input = UpdateSettingsInput { patch, etag: String::new(), request_id: String::new() };
        self.app.update_settings(&*self.store.registry(), user, input).await?;
        let steps = ["score", "retain"].map(str::to_owned).to_vec();
        let run = self.app.meditate(user, MeditateInput { full: true, steps, ..MeditateInput::default() }).await?;
        self.app.run_meditation(user, run.meditation.id).await?;
        Ok(())
    }
}
