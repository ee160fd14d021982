//! Settings and goals: effective values and their origins.

use kimberly_proto::v1::{self as pb, SettingOrigin, WeightPreset};
use kimberly_tests::{System, reason};
use tonic::Code;

async fn settings(system: &System, user: &str) -> pb::GetSettingsResponse {
    let request = pb::GetSettingsRequest { user_id: user.to_owned() };
    system.clients().settings.get_settings(request).await.expect("settings are read").into_inner()
}

fn effective(settings: &pb::GetSettingsResponse) -> &pb::EffectiveSettings {
    settings.effective.as_ref().expect("effective settings")
}

#[tokio::test]
async fn each_value_names_the_level_it_comes_from() {
    let system = System::start_with(&[
        ("KIMBERLY_QUOTAS__SHORT_TERM", "1MiB"),
        ("KIMBERLY_WEIGHT_RELEVANCE", "2"),
        ("KIMBERLY_WEIGHT_EMOTIONAL", "0.5"),
        ("KIMBERLY_WEIGHT_PREDICTIVE", "0.5"),
        ("KIMBERLY_WEIGHT_RECENCY", "0.5"),
    ])
    .await;
    let before = settings(&system, "ana").await;
    let short_term = effective(&before).short_term_quota.expect("a quota");
    assert_eq!((short_term.value, short_term.origin()), (1 << 20, SettingOrigin::Config));
    assert_eq!(effective(&before).grace.expect("a grace").origin(), SettingOrigin::Default);
    let weights = effective(&before).weights.expect("weights");
    assert_eq!(weights.origin(), SettingOrigin::Default, "weights out of bounds are ignored");
    assert_eq!(before.warnings.len(), 1, "one sentence, once: {:?}", before.warnings);
    assert!(
        before
            .warnings
            .iter()
            .any(|warning| warning.contains("KIMBERLY_WEIGHT_") && warning.contains("relevance_to_goals")),
        "{:?}",
        before.warnings
    );

    let mut ana = system.user("ana");
    let mine = pb::UserSettings {
        short_term_quota_bytes: Some(4096),
        scoring: Some(pb::user_settings::Scoring::Preset(WeightPreset::FreshContext.into())),
        ..Default::default()
    };
    ana.set(mine, &["short_term_quota_bytes", "scoring"]).await;
    let after = settings(&system, "ana").await;
    assert_eq!(effective(&after).short_term_quota.expect("a quota").origin(), SettingOrigin::User);
    assert_eq!(effective(&after).weights.expect("weights").preset(), WeightPreset::FreshContext);
    assert_ne!(after.etag, before.etag);

    ana.set(pb::UserSettings::default(), &["short_term_quota_bytes", "scoring"]).await;
    assert_eq!(effective(&settings(&system, "ana").await), effective(&before), "reset values follow the server again");
    assert_eq!(effective(&settings(&system, "bela").await), effective(&before), "one user's settings are only theirs");
}

#[tokio::test]
async fn weights_from_the_environment_hold_when_they_are_valid() {
    let system = System::start_with(&[
        ("KIMBERLY_WEIGHT_RELEVANCE", "1"),
        ("KIMBERLY_WEIGHT_EMOTIONAL", "0.5"),
        ("KIMBERLY_WEIGHT_PREDICTIVE", "0.25"),
        ("KIMBERLY_WEIGHT_RECENCY", "0.25"),
    ])
    .await;
    let weights = effective(&settings(&system, "ana").await).weights.expect("weights");
    assert_eq!(weights.origin(), SettingOrigin::Environment);
    assert!((weights.value.expect("weights").relevance_to_goals - 0.5).abs() < 1e-12, "normalized to sum 1");
}

#[tokio::test]
async fn goals_are_stored_changed_and_removed() {
    let system = System::start().await;
    let mut ana = system.user("ana");
    let goal = ana.pursue("Learn to sail", &["sailing"]).await;
    let change = pb::UpdateGoalRequest {
        user_id: ana.id(),
        goal: Some(pb::Goal { status: pb::GoalStatus::Done.into(), ..goal.clone() }),
        update_mask: Some(prost_types::FieldMask { paths: vec!["status".to_owned()] }),
        request_id: String::new(),
    };
    let done = ana.clients.goals.update_goal(change.clone()).await.expect("changed").into_inner().goal.expect("a goal");
    assert_eq!((done.status(), done.title.as_str()), (pb::GoalStatus::Done, "Learn to sail"));
    let refused = ana.clients.goals.update_goal(change).await.expect_err("the etag is stale");
    assert_eq!((refused.code(), reason(&refused).as_str()), (Code::Aborted, "ETAG_MISMATCH"));
    let listed = |status: pb::GoalStatus| {
        let mut goals = ana.clients.goals.clone();
        let request = pb::ListGoalsRequest { user_id: ana.id(), status: status.into(), ..Default::default() };
        async move { goals.list_goals(request).await.expect("goals are listed").into_inner().goals }
    };
    assert!(listed(pb::GoalStatus::Active).await.is_empty());
    assert_eq!(listed(pb::GoalStatus::Unspecified).await, std::slice::from_ref(&done));
    let delete = pb::DeleteGoalRequest { user_id: ana.id(), id: goal.id.clone(), request_id: String::new() };
    ana.clients.goals.delete_goal(delete.clone()).await.expect("removed");
    let refused = ana.clients.goals.delete_goal(delete).await.expect_err("it is gone");
    assert_eq!((refused.code(), reason(&refused).as_str()), (Code::NotFound, "GOAL_NOT_FOUND"));
}
