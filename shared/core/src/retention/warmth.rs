//! Warmth (Y-3, Y-5): the temperature of a record, and why it has it, from its decay, its priority and its connections.
//! A function of stored facts and the clock, computed on read: an access, a tag by a person or a pin counts at once.

mod shares;

use super::{Connections, Temperature, WarmthReason};
use crate::memory::Memory;
use crate::time::{Span, Timestamp};
use shares::{decay, priority};

/// The stored facts that warmth is computed from.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct WarmthFacts {
    /// When it was created.
    pub created_at: Timestamp,
    /// When it was last recalled, read or written.
    pub used_at: Timestamp,
    /// How often it was recalled or read.
    pub access_count: u64,
    /// From 1 to 10; 0 if none was given.
    pub importance: i32,
    /// The trust in its source, in [0, 1].
    pub trust: f64,
    /// Whether the record lasts.
    pub pinned: bool,
    /// Whether a person tagged it.
    pub tagged: bool,
}

impl WarmthFacts {
    /// Collects the facts of a record.
    pub fn of(memory: &Memory) -> Self {
        let draft = &memory.draft;
        Self {
            created_at: memory.created_at,
            used_at: memory.last_seen_at.max(memory.updated_at),
            access_count: memory.access_count,
            importance: draft.importance,
            trust: draft.source_type().weight(),
            pinned: draft.lasts(),
            tagged: !draft.metadata.tags.is_empty(),
        }
    }
}

/// A record's temperature, and the values it was computed from.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Warmth {
    /// The temperature.
    pub temperature: Temperature,
    /// Why it has this temperature.
    pub reason: WarmthReason,
    /// How far it has decayed, in [0, 1].
    pub decay: f64,
    /// How much it matters, in [0, 1].
    pub priority: f64,
    /// Its connections.
    pub connections: Connections,
    /// Time since it was last used.
    pub idle: Span,
}

impl Warmth {
    /// Computes the warmth of a record.
    pub fn of(facts: &WarmthFacts, connections: Connections, now: Timestamp) -> Self {
        let idle = now.since(facts.used_at).max(Span(0));
        let decay = decay(facts, idle, connections, now);
        let priority = priority(facts, idle, connections);
        let found = Self {
            temperature: Temperature::Warm,
            reason: WarmthReason::NotYetStale,
            decay,
            priority,
            connections,
            idle,
        };
        let (temperature, reason) = found.judged(facts.pinned, facts.tagged);
        Self { temperature, reason, ..found }
    }

    /// Returns the result of the first condition that holds, from hot to cold.
    fn judged(&self, pinned: bool, tagged: bool) -> (Temperature, WarmthReason) {
        let Self { decay, priority, connections, idle, .. } = *self;
        let (score, days) = (connections.score(), Span::days);
        let is_cold = priority < 0.3 && score <= 2 && connections.recent == 0 && !tagged;
        let conditions = [
            (priority >= 0.65, Temperature::Hot, WarmthReason::HighPriority),
            (decay <= 0.25, Temperature::Hot, WarmthReason::LowDecay),
            (idle <= days(3), Temperature::Hot, WarmthReason::RecentAccess),
            // Tested before the next condition, which it implies.
            (connections.recent >= 4, Temperature::Hot, WarmthReason::ActiveConnections),
            (score >= 6, Temperature::Hot, WarmthReason::DenseGraph),
            (pinned, Temperature::Hot, WarmthReason::ManualPin),
            (priority >= 0.3, Temperature::Warm, WarmthReason::ModeratePriority),
            (idle <= days(21), Temperature::Warm, WarmthReason::RecentlyAccessed),
            (score >= 3, Temperature::Warm, WarmthReason::ConnectedGraph),
            (tagged, Temperature::Warm, WarmthReason::ManualTagsPresent),
            (
                is_cold && score == 0 && idle >= days(45) && decay >= 0.8,
                Temperature::Cold,
                WarmthReason::ColdAndDisconnected,
            ),
            (is_cold && idle >= days(30) && decay >= 0.6, Temperature::Cold, WarmthReason::StaleAndLowPriority),
        ];
        let first = conditions.into_iter().find(|(holds, ..)| *holds);
        first.map_or((Temperature::Warm, WarmthReason::NotYetStale), |(_, temperature, reason)| (temperature, reason))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const NOON: Timestamp = Timestamp(1_763_640_000_000_000);
    const NONE: Connections = Connections { all: 0, recent: 0 };

    /// Facts of a record created and last used this many days ago, without importance, said by an agent.
    fn facts(days: i64) -> WarmthFacts {
        let at = NOON.minus(Span::days(days));
        WarmthFacts {
            created_at: at,
            used_at: at,
            access_count: 0,
            importance: 0,
            trust: 0.8,
            pinned: false,
            tagged: false,
        }
    }

    fn why(facts: WarmthFacts, connections: Connections) -> (Temperature, &'static str) {
        let warmth = Warmth::of(&facts, connections, NOON);
        (warmth.temperature, warmth.reason.name())
    }

    fn all(all: u64, recent: u64) -> Connections {
        Connections { all, recent }
    }

    #[test]
    fn the_first_condition_that_holds_names_temperature_and_reason() {
        use Temperature::{Cold, Hot, Warm};
        let old = facts(100);
        for (facts, connections, expected) in [
            (WarmthFacts { importance: 10, access_count: 100, ..facts(2) }, NONE, (Hot, "high_priority")),
            (facts(0), NONE, (Hot, "low_decay")),
            (WarmthFacts { created_at: NOON.minus(Span::days(300)), ..facts(3) }, NONE, (Hot, "recent_access")),
            (old, all(4, 4), (Hot, "active_connections")),
            (old, all(3, 3), (Hot, "dense_graph")),
            (old, all(6, 0), (Hot, "dense_graph")),
            (old, all(5, 0), (Warm, "connected_graph")),
            (WarmthFacts { pinned: true, ..old }, NONE, (Hot, "manual_pin")),
            (WarmthFacts { importance: 6, ..old }, NONE, (Warm, "moderate_priority")),
            (facts(21), NONE, (Warm, "recently_accessed")),
            (facts(22), NONE, (Warm, "not_yet_stale")),
            (old, all(3, 0), (Warm, "connected_graph")),
            (old, all(1, 1), (Warm, "connected_graph")),
            (WarmthFacts { tagged: true, ..old }, NONE, (Warm, "manual_tags_present")),
            (facts(29), NONE, (Warm, "not_yet_stale")),
            (facts(30), NONE, (Cold, "stale_and_low_priority")),
            (facts(44), NONE, (Cold, "stale_and_low_priority")),
            (facts(45), NONE, (Cold, "cold_and_disconnected")),
            (old, all(2, 0), (Cold, "stale_and_low_priority")),
        ] {
            assert_eq!(why(facts, connections), expected, "{facts:?} {connections:?}");
        }
    }

    /// Judges a record of little priority that has decayed, has no connections and was not used for 60 days, after one
    /// change.
    fn judged(change: impl FnOnce(&mut Warmth)) -> (Temperature, &'static str) {
        let (temperature, reason, idle) = (Temperature::Warm, WarmthReason::NotYetStale, Span::days(60));
        let mut warmth = Warmth { temperature, reason, decay: 0.9, priority: 0.1, connections: NONE, idle };
        change(&mut warmth);
        let (temperature, reason) = warmth.judged(false, false);
        (temperature, reason.name())
    }

    #[test]
    fn each_condition_holds_on_one_side_of_its_bound() {
        use Temperature::{Cold, Hot, Warm};
        let (stale, disconnected) = ((Cold, "stale_and_low_priority"), (Cold, "cold_and_disconnected"));
        let not_yet = (Warm, "not_yet_stale");
        for (priority, expected) in [
            (0.65, (Hot, "high_priority")),
            (0.649, (Warm, "moderate_priority")),
            (0.3, (Warm, "moderate_priority")),
            (0.299, disconnected),
        ] {
            assert_eq!(judged(|warmth| warmth.priority = priority), expected, "priority {priority}");
        }
        for (decay, expected) in [
            (0.25, (Hot, "low_decay")),
            (0.251, not_yet),
            (0.599, not_yet),
            (0.6, stale),
            (0.799, stale),
            (0.8, disconnected),
        ] {
            assert_eq!(judged(|warmth| warmth.decay = decay), expected, "decay {decay}");
        }
        for (idle, expected) in [
            (Span::days(3), (Hot, "recent_access")),
            (Span(Span::days(3).0 + 1), (Warm, "recently_accessed")),
            (Span::days(21), (Warm, "recently_accessed")),
            (Span(Span::days(21).0 + 1), not_yet),
            (Span(Span::days(30).0 - 1), not_yet),
            (Span::days(30), stale),
            (Span(Span::days(45).0 - 1), stale),
            (Span::days(45), disconnected),
        ] {
            assert_eq!(judged(|warmth| warmth.idle = idle), expected, "{idle:?}");
        }
        for (connections, expected) in [
            (all(4, 4), (Hot, "active_connections")),
            (all(3, 3), (Hot, "dense_graph")),
            (all(6, 0), (Hot, "dense_graph")),
            (all(5, 0), (Warm, "connected_graph")),
            (all(3, 0), (Warm, "connected_graph")),
            (all(1, 1), (Warm, "connected_graph")),
            (all(2, 0), stale),
            (all(1, 0), stale),
            (NONE, disconnected),
        ] {
            assert_eq!(judged(|warmth| warmth.connections = connections), expected, "{connections:?}");
        }
    }

    #[test]
    fn what_was_used_once_cools_again() {
        let used = |days: i64| WarmthFacts { used_at: NOON.minus(Span::days(days)), access_count: 1, ..facts(100) };
        let temperature = |days| why(used(days), NONE).0;
        assert_eq!(temperature(0), Temperature::Hot);
        assert_eq!((temperature(29), temperature(30)), (Temperature::Warm, Temperature::Cold));
    }

    #[test]
    fn access_a_tag_and_a_pin_bring_back_at_once() {
        let cold = facts(100);
        assert_eq!(why(cold, NONE).0, Temperature::Cold);
        assert_eq!(why(WarmthFacts { used_at: NOON, access_count: 1, ..cold }, NONE).0, Temperature::Hot);
        assert_eq!(why(WarmthFacts { tagged: true, ..cold }, NONE).0, Temperature::Warm);
        assert_eq!(why(WarmthFacts { pinned: true, ..cold }, NONE).0, Temperature::Hot);
    }

    #[test]
    fn connections_never_cool() {
        let kinds = (0..120).flat_map(|days| [0, 3, 6, 10].map(|importance| WarmthFacts { importance, ..facts(days) }));
        for facts in kinds {
            let mut before = Warmth::of(&facts, NONE, NOON).temperature;
            for (count, recent) in [(1, 0), (2, 0), (3, 0), (3, 1), (6, 1), (6, 4), (9, 9)] {
                let now = Warmth::of(&facts, all(count, recent), NOON).temperature;
                assert!(!now.is_colder_than(before), "{facts:?} {count} {recent}");
                before = now;
            }
        }
    }

    #[test]
    fn decay_and_priority_are_shares_that_move_as_they_should() {
        let of = |facts: WarmthFacts, connections| Warmth::of(&facts, connections, NOON);
        let days: Vec<f64> = (0..400).map(|days| of(facts(days), NONE).decay).collect();
        assert!(days.is_sorted() && days[0] >= 0.0 && days[399] <= 1.0, "it grows with time");
        let used = WarmthFacts { access_count: 9, ..facts(40) };
        assert!(of(used, NONE).decay < of(facts(40), NONE).decay, "use slows it");
        assert!(of(facts(40), all(2, 0)).decay < of(facts(40), NONE).decay, "connections slow it");
        let seen = WarmthFacts { used_at: NOON, access_count: 1, ..facts(100) };
        assert!(of(seen, NONE).decay < 0.25, "access makes it fresh: {}", of(seen, NONE).decay);
        let most = WarmthFacts { importance: 10, access_count: u64::MAX, trust: 1.0, ..facts(0) };
        assert!((of(most, all(6, 0)).priority - 1.0).abs() < 1e-9);
        let least = WarmthFacts { trust: 0.0, ..facts(100_000) };
        assert!(of(least, NONE).priority < 1e-9);
        let explicit = |importance| of(WarmthFacts { importance, ..facts(40) }, NONE).priority;
        assert!((explicit(10) - explicit(0) - 0.4).abs() < 1e-9);
    }
}
