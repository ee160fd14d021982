//! What is sent before a user's memories: consents, which sensitive memories need; settings, because quotas apply to
//! what follows; and goals, because memories are scored by them. Sent when an import starts and not when it continues,
//! so that later changes are kept.

use kimberly_proto::v1;

use super::load::Load;
use crate::client::Client;
use crate::error::{CliError, CliResult};
use crate::pages;
use crate::patience::patiently;

/// Importance of a goal that has none.
const IMPORTANCE: f64 = 1.0;

/// Maximum consents per call.
const CONSENTS_AT_ONCE: usize = 100;

/// Maximum goals per call.
const GOALS_AT_ONCE: usize = 100;

/// Sends consents; existing ones are left unchanged.
async fn send_consents(client: &Client, load: &Load) -> CliResult {
    for consents in load.consents.chunks(CONSENTS_AT_ONCE) {
        let request = v1::ImportConsentsRequest { user_id: load.user.clone(), consents: consents.to_vec() };
        let imported = patiently(|| {
            let request = request.clone();
            async move { client.consents().import_consents(request).await }
        });
        imported.await.map_err(|error: CliError| error.during("records of consent"))?;
    }
    Ok(())
}

/// Sends goals with their ids and times; existing ones are left unchanged.
async fn send_goals(client: &Client, load: &Load) -> CliResult {
    for goals in load.goals.chunks(GOALS_AT_ONCE) {
        let request = v1::ImportGoalsRequest { user_id: load.user.clone(), goals: goals.to_vec() };
        let imported = patiently(|| {
            let request = request.clone();
            async move { client.goals().import_goals(request).await }
        });
        imported.await.map_err(|error: CliError| error.during("goals"))?;
    }
    Ok(())
}

/// Sends consents, settings, and goals that the user does not have. Safe to repeat.
pub(super) async fn send(client: &Client, load: &Load, import_id: &str) -> CliResult {
    send_consents(client, load).await?;
    if let Some(settings) = &load.settings {
        let request = v1::UpdateSettingsRequest {
            user_id: load.user.clone(),
            user_settings: Some(settings.values),
            update_mask: Some(prost_types::FieldMask { paths: settings.paths.clone() }),
            etag: String::new(),
            request_id: format!("import-{import_id}-settings"),
        };
        patiently(|| {
            let request = request.clone();
            async move { client.settings().update_settings(request).await }
        })
        .await?;
    }
    if load.goals_are_records {
        return send_goals(client, load).await;
    }
    if load.goals.is_empty() {
        return Ok(());
    }
    let there = patiently(|| pages::goals(client, &load.user, 0)).await?;
    for (index, goal) in missing(&load.goals, there) {
        let request_id = format!("import-{import_id}-goal-{index}");
        let request = v1::CreateGoalRequest { user_id: load.user.clone(), goal: Some(goal.clone()), request_id };
        let created = patiently(|| {
            let request = request.clone();
            async move { client.goals().create_goal(request).await }
        });
        created.await.map_err(|error: CliError| error.during(&format!("goal {:?}", goal.title)))?;
    }
    Ok(())
}

/// Goals that do not exist yet, with their indices in the file. Each existing goal matches only one in the file.
fn missing(goals: &[v1::Goal], mut there: Vec<v1::Goal>) -> Vec<(usize, &v1::Goal)> {
    let mut is_missing = |goal: &v1::Goal| match there.iter().position(|other| same(goal, other)) {
        Some(found) => {
            there.swap_remove(found);
            false
        }
        None => true,
    };
    goals.iter().enumerate().filter(|(_, goal)| is_missing(goal)).collect()
}

/// Whether a goal of the file equals an existing one; fields unset in the file match any value.
#[expect(clippy::float_cmp, reason = "numbers come back as they were sent")]
fn same(goal: &v1::Goal, there: &v1::Goal) -> bool {
    let importance = if goal.importance == 0.0 { IMPORTANCE } else { goal.importance };
    let open_or_same = |asked: i32, has: i32| asked == 0 || asked == has;
    goal.title == there.title
        && goal.description == there.description
        && goal.tags == there.tags
        && importance == there.importance
        && open_or_same(goal.kind, there.kind)
        && open_or_same(goal.status, there.status)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn goal(title: &str) -> v1::Goal {
        v1::Goal { title: title.to_owned(), ..v1::Goal::default() }
    }

    fn stored(title: &str) -> v1::Goal {
        let (kind, status) = (v1::GoalKind::Goal.into(), v1::GoalStatus::Active.into());
        v1::Goal { id: format!("goal_{title}"), kind, status, importance: 1.0, ..goal(title) }
    }

    fn indexes(goals: &[v1::Goal], there: Vec<v1::Goal>) -> Vec<usize> {
        missing(goals, there).into_iter().map(|(index, _)| index).collect()
    }

    #[test]
    fn goals_that_are_there_are_not_made_again() {
        let file = [goal("sail"), goal("run"), v1::Goal { id: String::new(), ..stored("read") }];
        assert_eq!(indexes(&file, Vec::new()), [0, 1, 2]);
        assert_eq!(indexes(&file, vec![stored("read"), stored("sail"), stored("sleep")]), [1]);
        assert_eq!(indexes(&file, file.iter().map(|goal| stored(&goal.title)).collect()), [0; 0]);
        assert_eq!(indexes(&[goal("sail"), goal("sail")], vec![stored("sail")]), [1], "one stands for one");
    }

    #[test]
    fn goals_that_differ_in_anything_are_others() {
        let sail = stored("sail");
        let done = v1::GoalStatus::Done.into();
        for other in [
            v1::Goal { description: "at sea".to_owned(), ..sail.clone() },
            v1::Goal { tags: vec!["sea".to_owned()], ..sail.clone() },
            v1::Goal { importance: 0.5, ..sail.clone() },
            v1::Goal { status: done, ..sail.clone() },
            v1::Goal { kind: 2, ..sail.clone() },
        ] {
            assert_eq!(indexes(std::slice::from_ref(&other), vec![sail.clone()]), [0], "{other:?}");
        }
    }
}
