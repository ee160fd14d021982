//! The registry of users.

use kimberly_core::meditation::Trigger;
use kimberly_core::time::{Span, Timestamp};

use super::Bed;
use super::fixtures::{draft, user};

/// Later than any test's clock.
const LATE: Timestamp = Timestamp::MAX;

/// Schedule is due a week later, rotation an hour later; neither at once.
pub async fn a_vault_registers_its_user_due_for_nothing(bed: &Bed) {
    bed.remember("u", [draft("one")]).await;
    let who = user("u");
    let schedule = bed.registry.next_due(&who, Trigger::Schedule).await.unwrap().unwrap();
    let rotation = bed.registry.next_due(&who, Trigger::Rotation).await.unwrap().unwrap();
    let made = schedule.minus(Span::days(7));
    assert!(bed.registry.due(made, 10).await.unwrap().is_empty());
    assert_eq!(rotation, made.plus(Span::hours(1)));
    assert_eq!(bed.registry.next_due(&user("ghost"), Trigger::Schedule).await.unwrap(), None);
    assert!(bed.registry.next_due(&who, Trigger::Quota).await.is_err());
    // A second write does not register the user again.
    bed.registry.reschedule(&who, Trigger::Schedule, None, Timestamp(5)).await.unwrap();
    bed.insert("u", vec![super::fixtures::new_memory(2, draft("two"))]).await;
    assert_eq!(bed.registry.next_due(&who, Trigger::Schedule).await.unwrap(), Some(Timestamp(5)));
    assert!(bed.registry.disk_bytes().await.unwrap() > 0);
}

/// Due at the exact time, both triggers, longest due first, limited.
pub async fn due_users_come_longest_due_first(bed: &Bed) {
    for (name, schedule, rotation) in [("a", 30, 10), ("b", 20, 40), ("c", 50, 60)] {
        bed.remember(name, [draft("one")]).await;
        for (trigger, at) in [(Trigger::Schedule, schedule), (Trigger::Rotation, rotation)] {
            assert!(bed.registry.reschedule(&user(name), trigger, None, Timestamp(at)).await.unwrap());
        }
    }
    let due = |now: i64, limit: usize| async move {
        let due = bed.registry.due(Timestamp(now), limit).await.unwrap();
        due.iter().map(|d| (d.user.to_string(), d.trigger, d.due_at.0)).collect::<Vec<_>>()
    };
    let expected = [
        ("a".to_owned(), Trigger::Rotation, 10),
        ("b".to_owned(), Trigger::Schedule, 20),
        ("a".to_owned(), Trigger::Schedule, 30),
        ("b".to_owned(), Trigger::Rotation, 40),
    ];
    assert_eq!(due(9, 10).await, []);
    assert_eq!(due(40, 10).await, expected);
    assert_eq!(due(39, 10).await, expected[..3]);
    assert_eq!(due(LATE.0, 2).await, expected[..2]);
}

/// Of two schedulers, one moves the time and the other learns that it was moved.
pub async fn only_one_moves_a_due_time(bed: &Bed) {
    bed.remember("u", [draft("one")]).await;
    let who = user("u");
    let was = bed.registry.next_due(&who, Trigger::Schedule).await.unwrap();
    assert!(bed.registry.reschedule(&who, Trigger::Schedule, was, Timestamp(7)).await.unwrap());
    assert!(!bed.registry.reschedule(&who, Trigger::Schedule, was, Timestamp(8)).await.unwrap());
    assert_eq!(bed.registry.next_due(&who, Trigger::Schedule).await.unwrap(), Some(Timestamp(7)));
    assert!(!bed.registry.reschedule(&user("ghost"), Trigger::Schedule, None, Timestamp(8)).await.unwrap());
}

/// By id, in pages.
pub async fn users_are_listed_in_order(bed: &Bed) {
    for name in ["b", "a", "ä", "B", "aa"] {
        bed.remember(name, [draft("one")]).await;
    }
    let names = |users: Vec<kimberly_core::UserId>| users.iter().map(ToString::to_string).collect::<Vec<_>>();
    assert_eq!(names(bed.registry.users(None, 10).await.unwrap()), ["B", "a", "aa", "b", "ä"]);
    assert_eq!(names(bed.registry.users(Some(&user("a")), 2).await.unwrap()), ["aa", "b"]);
    assert_eq!(bed.registry.count_users().await.unwrap(), 5);
}
