//! Finds entries by session and position.

use kimberly_core::ports::{LexicalHit, SessionSpot};

use super::{Columns, Entry, Pass};

impl Columns {
    /// Adds the entries from index `from` on to the order by spot.
    pub(super) fn index_spots(&mut self, from: usize) {
        let Self { entries, by_spot, .. } = self;
        let newer = (from..entries.len()).filter(|index| entries[*index].session != 0);
        by_spot.extend(newer.filter_map(|index| u32::try_from(index).ok()));
        // Cheap, because the list is almost sorted already.
        by_spot.sort_by_key(|index| key(&entries[*index as usize]));
    }

    /// Returns the memories at these spots that pass, each once.
    pub(crate) fn at_spots(&self, spots: &[SessionSpot], pass: &Pass) -> Vec<LexicalHit> {
        let mut spots = spots.to_vec();
        spots.sort_unstable();
        spots.dedup();
        let (mut found, mut from) = (Vec::with_capacity(spots.len()), 0);
        for spot in spots {
            let wanted = (spot.session, spot.position);
            from += self.by_spot[from..].partition_point(|index| self.key_at(*index) < wanted);
            let here = self.by_spot[from..].iter().take_while(|index| self.key_at(**index) == wanted);
            let entries = here.map(|index| &self.entries[*index as usize]);
            found.extend(entries.filter(|entry| pass.lets(entry)).map(|entry| entry.hit(0.0)));
        }
        found
    }

    fn key_at(&self, index: u32) -> (i64, i64) {
        key(&self.entries[index as usize])
    }
}

fn key(entry: &Entry) -> (i64, i64) {
    (entry.session.into(), entry.position.into())
}

/// Merges spots into ranges (session, first, last) without overlaps.
pub(crate) fn ranges(spots: &[SessionSpot]) -> Vec<(i64, i64, i64)> {
    let mut spots = spots.to_vec();
    spots.sort_unstable();
    let mut ranges: Vec<(i64, i64, i64)> = Vec::new();
    for spot in spots {
        match ranges.last_mut() {
            Some((session, _, last)) if *session == spot.session && spot.position <= last.saturating_add(1) => {
                *last = spot.position;
            }
            _ => ranges.push((spot.session, spot.position, spot.position)),
        }
    }
    ranges
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn spots_merge_into_ranges_that_hold_them_and_nothing_else() {
        let spot = |session, position| SessionSpot { session, position };
        let spots = [spot(1, 5), spot(1, 4), spot(2, 6), spot(1, 5), spot(1, 8), spot(1, 6)];
        assert_eq!(ranges(&spots), [(1, 4, 6), (1, 8, 8), (2, 6, 6)]);
    }
}
