//! Properties that hold for any vault.

use proptest::prelude::*;

use super::*;

const TRIGGERS: [Trigger; 5] =
    [Trigger::Schedule, Trigger::Quota, Trigger::Request, Trigger::Rotation, Trigger::SessionEnd];

prop_compose! {
    fn any_item()(
        tier in proptest::sample::select(Tier::ALL),
        state in proptest::sample::select(MemoryState::ALL),
        protected in proptest::bool::weighted(0.2),
        size in 1_u64..600,
        score in (0_u32..=8).prop_map(|eighths| f64::from(eighths) / 8.0),
        age in 0_i64..60,
        grace_left in -20_i64..20,
        session in proptest::option::of(0_i64..2),
    ) -> RetentionItem {
        let delete_after = (state != MemoryState::Active).then(|| NOON.plus(Span::hours(grace_left)));
        let created_at = NOON.minus(Span::hours(age));
        RetentionItem { tier, state, protected, size_bytes: size, delete_after, created_at, session, ..active(0, score) }
    }
}

prop_compose! {
    fn any_snapshot()(
        items in proptest::collection::vec(any_item(), 0..40),
        trigger in proptest::sample::select(&TRIGGERS[..]),
        cap in prop_oneof![Just(0_u64), 1_u64..2_000, Just(1_000_000)],
        erased_today in 0_u64..500,
        grace in 0_i64..3,
        session in proptest::option::of(0_i64..2),
    ) -> Snapshot {
        let items = items.into_iter().zip(1_i64..).map(|(item, seq)| RetentionItem { seq: Seq(seq), id: memory_id(seq), ..item });
        let user = UserSettings { daily_prune_cap_bytes: Some(cap), grace: Some(Span::days(grace)), ..tight() };
        Snapshot { settings: settings(&user), erased_today, session, ..snapshot(trigger, items.collect()) }
    }
}

/// The vault after these decisions were carried out, as an interrupted run would find it.
fn after(snapshot: &Snapshot, carried_out: &[Change]) -> Snapshot {
    let mut next = snapshot.clone();
    next.apply(carried_out);
    next.erased_today += erased_by_system(carried_out);
    next
}

fn erased_by_system(decisions: &[Change]) -> u64 {
    let erased = decisions.iter().filter(|d| d.kind == Kind::Delete && d.state() != Some(MemoryState::Deleted));
    erased.map(Change::size_bytes).sum()
}

fn proposed(step: &dyn steps::Step, picture: &Snapshot) -> Vec<Change> {
    let world = fake::World::new(fake::Vault::default());
    let source = steps::Source { vaults: &world.app.vaults, user: &world.user, vectors: None };
    fake::finish(step.propose(&steps::Context::new(picture, source, &steps::Shared::default()))).unwrap()
}

fn unprotected(snapshot: &Snapshot, tier: Tier) -> u64 {
    let counted = |item: &&RetentionItem| item.tier == tier && item.state == MemoryState::Active && !item.protected;
    snapshot.items.iter().filter(counted).map(|item| item.size_bytes).sum()
}

proptest! {
    #[test]
    fn after_any_beginning_of_a_plan_the_rest_of_it_is_planned(snapshot in any_snapshot(), cut in any::<prop::sample::Index>()) {
        let plan = plan_of(snapshot.clone(), 0);
        let (done, rest) = plan.decisions.split_at(cut.index(plan.decisions.len() + 1));
        let recorded = done.iter().map(Change::seq).collect();
        let again = plan_of(after(&snapshot, done), 0).without(&recorded);
        prop_assert_eq!(&again.decisions, rest);
    }

    #[test]
    fn order_of_the_memories_does_not_matter_to_a_step(snapshot in any_snapshot(), seed in any::<u64>()) {
        let mut shuffled = snapshot.clone();
        shuffled.items.sort_by_key(|item| item.seq.0.unsigned_abs().wrapping_mul(seed | 1));
        for step in steps::pipeline() {
            prop_assert_eq!(proposed(step, &snapshot), proposed(step, &shuffled), "{}", step.name());
        }
    }

    #[test]
    fn what_is_protected_permanent_or_inside_its_grace_is_safe_from_the_system(snapshot in any_snapshot()) {
        for decision in plan_of(snapshot.clone(), 0).decisions {
            let item = snapshot.items.iter().find(|item| item.seq == decision.seq()).unwrap();
            if decision.kind == Kind::Archive {
                prop_assert!(!item.protected && item.state == MemoryState::Active);
            }
            if decision.kind == Kind::Delete {
                prop_assert!(item.state != MemoryState::Active && item.delete_after.unwrap() <= snapshot.as_of);
                let owners = item.state == MemoryState::Deleted && decision.reason == Reason::OwnerDeleted;
                prop_assert!(owners || (!item.protected && item.tier != Tier::Permanent));
            }
        }
    }

    #[test]
    fn no_change_of_any_kind_from_any_step_takes_what_lasts(snapshot in any_snapshot()) {
        let of = |item| Kind::ALL.iter().map(move |kind| Change::of(item, *kind, Reason::OverQuota, kinds::Body::default()));
        let mut proposed: Vec<Change> = snapshot.items.iter().flat_map(of).collect();
        snapshot.drop_forbidden(&mut proposed);
        for item in &snapshot.items {
            let kinds: Vec<Kind> = proposed.iter().filter(|c| c.seq() == item.seq).map(|c| c.kind).collect();
            let safe = item.protected && item.state != MemoryState::Deleted;
            let left = Kind::ALL.iter().copied().filter(|kind| !safe || kind.rules().effect() == kinds::Effect::None);
            prop_assert_eq!(kinds, left.collect::<Vec<_>>());
        }
    }

    #[test]
    fn system_never_erases_more_in_a_day_than_the_cap(snapshot in any_snapshot()) {
        let cap = snapshot.settings.daily_prune_cap.value;
        let erased = erased_by_system(&plan_of(snapshot.clone(), 0).decisions);
        prop_assert!(erased <= cap.saturating_sub(snapshot.erased_today));
    }

    #[test]
    fn tiers_fit_afterwards_and_no_better_memory_went_than_had_to(snapshot in any_snapshot()) {
        prop_assume!(!matches!(snapshot.trigger, Trigger::Rotation | Trigger::SessionEnd));
        let plan = plan_of(snapshot.clone(), 0);
        let end = after(&snapshot, &plan.decisions);
        for &tier in Tier::ALL {
            let quota = snapshot.settings.quota(tier);
            prop_assert!(unprotected(&end, tier) <= quota);
            let gone: Vec<_> = plan.decisions.iter().filter(|d| d.tier() == Some(tier) && d.reason == Reason::OverQuota).collect();
            let Some(last) = gone.last() else { continue };
            prop_assert!(unprotected(&end, tier) + last.size_bytes() > quota);
            let best_gone = gone.iter().map(|decision| decision.score()).fold(0.0, f64::max);
            let kept = |item: &&RetentionItem| item.tier == tier && item.state == MemoryState::Active && !item.protected;
            prop_assert!(end.items.iter().filter(kept).all(|item| item.score >= best_gone));
        }
    }

    #[test]
    fn each_memory_is_decided_about_at_most_once(snapshot in any_snapshot()) {
        let decisions = plan_of(snapshot, 0).decisions;
        let unique: HashSet<_> = decisions.iter().map(Change::seq).collect();
        prop_assert_eq!(unique.len(), decisions.len());
    }
}
