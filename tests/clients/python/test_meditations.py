"""Plan, run and watch meditations; goals, settings and metrics."""

import pytest
from google.protobuf import duration_pb2
from kimberly.v1 import goal_service_pb2 as goals
from kimberly.v1 import meditation_service_pb2 as meditation
from kimberly.v1 import memory_pb2 as memory
from kimberly.v1 import memory_service_pb2 as api
from kimberly.v1 import metrics_service_pb2 as metrics
from kimberly.v1 import settings_service_pb2 as settings


def fill(kimberly, user, count, size):
    """Stores long-term memories of about `size` bytes, and sets a quota that they exceed by 10 percent."""
    drafts = [memory.MemoryDraft(content=f"filler {n} " + "x" * size) for n in range(count)]
    receipts = kimberly.memories.BatchCreateMemories(
        api.BatchCreateMemoriesRequest(user_id=user, memories=drafts)
    ).receipts
    quota = sum(receipt.size_bytes for receipt in receipts) * 10 // 11
    kimberly.settings.UpdateSettings(
        settings.UpdateSettingsRequest(
            user_id=user,
            user_settings=settings.UserSettings(long_term_quota_bytes=quota),
            update_mask={"paths": ["long_term_quota_bytes"]},
        )
    )
    return quota


def test_a_dry_run_shows_what_the_watched_run_does(kimberly, user):
    quota = fill(kimberly, user, 40, 500)
    plan = kimberly.meditations.Meditate(meditation.MeditateRequest(user_id=user, dry_run=True))
    assert plan.meditation.archived > 0 and plan.plan_token
    archive = meditation.DECISION_ACTION_ARCHIVE
    assert all(d.action == archive for d in plan.decisions if d.step == "retain")
    assert all(d.explanation for d in plan.decisions)
    started = kimberly.meditations.Meditate(meditation.MeditateRequest(user_id=user, plan_token=plan.plan_token))
    events = list(
        kimberly.meditations.WatchMeditation(
            meditation.WatchMeditationRequest(user_id=user, id=started.meditation.id), timeout=60
        )
    )
    last = events[-1].progress
    assert last.status == meditation.MEDITATION_STATUS_COMPLETE, last.error
    decided = [event.decision for event in events if event.WhichOneof("event") == "decision"]
    applied = [decision.memory_id for decision in decided if decision.action == archive]
    assert applied == [decision.memory_id for decision in plan.decisions if decision.action == archive]
    usage = kimberly.metrics.GetMetrics(metrics.GetMetricsRequest(user_id=user)).user
    (long_term,) = [tier for tier in usage.tiers if tier.tier == memory.TIER_LONG_TERM]
    assert long_term.bytes <= quota and usage.archive.items == len(applied)


def test_goals_raise_what_they_are_about(kimberly, user):
    created = kimberly.goals.CreateGoal(
        goals.CreateGoalRequest(user_id=user, goal=goals.Goal(title="Learn to play the cello", tags=["music"]))
    ).goal
    listed = kimberly.goals.ListGoals(goals.ListGoalsRequest(user_id=user)).goals
    assert [goal.id for goal in listed] == [created.id]

    def score(content):
        draft = memory.MemoryDraft(content=content)
        return kimberly.memories.CreateMemory(api.CreateMemoryRequest(user_id=user, memory=draft)).receipt.score

    assert score("My cello teacher wants me to play the Bach suite.") > score("The bus stops at the corner.")
    kimberly.goals.DeleteGoal(goals.DeleteGoalRequest(user_id=user, id=created.id))
    assert len(kimberly.goals.ListGoals(goals.ListGoalsRequest(user_id=user)).goals) == 0


def test_settings_say_where_each_value_comes_from(kimberly, user):
    before = kimberly.settings.GetSettings(settings.GetSettingsRequest(user_id=user))
    assert before.effective.grace.origin == settings.SETTING_ORIGIN_DEFAULT
    request = settings.UpdateSettingsRequest(
        user_id=user,
        user_settings=settings.UserSettings(
            grace=duration_pb2.Duration(seconds=7 * 86400), preset=settings.WEIGHT_PRESET_TASK_FOCUSED
        ),
        update_mask={"paths": ["grace", "scoring"]},
        etag=before.etag,
    )
    after = kimberly.settings.UpdateSettings(request)
    assert after.effective.grace.value.seconds == 7 * 86400
    assert after.effective.grace.origin == settings.SETTING_ORIGIN_USER
    assert after.effective.weights.preset == settings.WEIGHT_PRESET_TASK_FOCUSED
    assert after.effective.weights.value.relevance_to_goals == pytest.approx(0.55)


def test_metrics_of_the_system_name_what_is_published(kimberly, user):
    draft = memory.MemoryDraft(content="counted")
    kimberly.memories.CreateMemory(api.CreateMemoryRequest(user_id=user, memory=draft))
    system = kimberly.metrics.GetMetrics(metrics.GetMetricsRequest()).system
    assert system.users >= 1 and not system.embedding_enabled and system.version
    assert any(metric.name.startswith("memory.items.created") for metric in system.metrics)
