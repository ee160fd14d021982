"""The story that every client runs: remember, recall, watch, change, page through 10,000, meditate, forget."""

import grpc
import pytest
from google.rpc import error_details_pb2
from grpc_status import rpc_status
from kimberly.v1 import meditation_service_pb2 as meditation
from kimberly.v1 import memory_pb2 as memory
from kimberly.v1 import memory_service_pb2 as api
from kimberly.v1 import memory_streams_pb2 as streams
from kimberly.v1 import metrics_service_pb2 as metrics
from kimberly.v1 import settings_service_pb2 as settings

TOTAL = 10_000
BATCH = 1_000
KEY = "The spare key hangs behind the blue door."
MOVED = "The spare key lies under the red mat."


def recalled(kimberly, user, query):
    answer = kimberly.memories.QueryMemories(api.QueryMemoriesRequest(user_id=user, query=query), timeout=30)
    return [result.memory.content for result in answer.results]


def remember_all(kimberly, user):
    """Stores 10,000 notes, including the one about the key; returns their size in bytes."""
    contents = [f"note number {n}" for n in range(TOTAL - 1)] + [KEY]
    taken = 0
    for start in range(0, TOTAL, BATCH):
        drafts = [memory.MemoryDraft(content=content) for content in contents[start : start + BATCH]]
        request = api.BatchCreateMemoriesRequest(user_id=user, memories=drafts, request_id=f"batch-{start}")
        receipts = kimberly.memories.BatchCreateMemories(request, timeout=30).receipts
        taken += sum(receipt.size_bytes for receipt in receipts)
    return contents, taken, receipts[-1]


def page_through(kimberly, user):
    seen, token = [], ""
    while True:
        request = api.ListMemoriesRequest(
            user_id=user, page_size=1_000, page_token=token, order=api.LIST_ORDER_OLDEST_FIRST
        )
        page = kimberly.memories.ListMemories(request, timeout=30)
        assert 1 <= len(page.memories) <= 1_000
        seen += [item.content for item in page.memories]
        token = page.next_page_token
        if not token:
            return seen


def watch(kimberly, user, cursor=""):
    """Opens a stream of changes; its first message is a heartbeat."""
    request = streams.WatchMemoriesRequest(user_id=user, cursor=cursor, include_memory=True)
    stream = kimberly.memories.WatchMemories(request, timeout=120)
    assert not next(stream).HasField("change")
    return stream


def changes(stream, count):
    """Returns the next changes of a stream without heartbeats, and the cursor after them."""
    seen = []
    while len(seen) < count:
        message = next(stream)
        if message.HasField("change"):
            seen.append(message.change)
    stream.cancel()
    return seen, message.cursor


def test_the_story(kimberly, user):
    # Remember
    contents, taken, key = remember_all(kimberly, user)

    # Recall
    assert recalled(kimberly, user, "where is the spare key?")[0] == KEY

    # Watch from now on, change it, and change it again with the outdated etag
    stream = watch(kimberly, user)
    change = api.UpdateMemoryRequest(
        user_id=user,
        id=key.id,
        memory=memory.MemoryDraft(content=MOVED),
        update_mask={"paths": ["content"]},
        etag=key.etag,
    )
    changed = kimberly.memories.UpdateMemory(change, timeout=30).receipt
    with pytest.raises(grpc.RpcError) as stale:
        kimberly.memories.UpdateMemory(change, timeout=30)
    assert stale.value.code() == grpc.StatusCode.ABORTED
    info = error_details_pb2.ErrorInfo()
    assert rpc_status.from_call(stale.value).details[0].Unpack(info)
    assert (info.reason, info.metadata["etag"]) == ("ETAG_MISMATCH", changed.etag)
    assert recalled(kimberly, user, "where is the spare key?")[0] == MOVED
    (told,), cursor = changes(stream, 1)
    assert (told.kind, told.memory_id, told.etag) == (streams.CHANGE_KIND_UPDATED, key.id, changed.etag)
    assert told.memory.content == MOVED

    # Page through everything: each memory once, in order
    assert page_through(kimberly, user) == [*contents[:-1], MOVED]

    # Meditate: the dry run changes nothing, the real run follows its plan and is watched
    limit = settings.UserSettings(long_term_quota_bytes=taken * 99 // 100)
    kimberly.settings.UpdateSettings(
        settings.UpdateSettingsRequest(
            user_id=user, user_settings=limit, update_mask={"paths": ["long_term_quota_bytes"]}
        ),
        timeout=30,
    )
    plan = kimberly.meditations.Meditate(meditation.MeditateRequest(user_id=user, dry_run=True), timeout=60)
    archive = meditation.DECISION_ACTION_ARCHIVE
    planned = [decision.memory_id for decision in plan.decisions if decision.action == archive]
    assert 0 < plan.meditation.archived == len(planned) < TOTAL // 10
    usage = kimberly.metrics.GetMetrics(metrics.GetMetricsRequest(user_id=user), timeout=30).user
    assert usage.archive.items == 0, "a dry run changed something"
    request = meditation.MeditateRequest(user_id=user, plan_token=plan.plan_token)
    started = kimberly.meditations.Meditate(request, timeout=60).meditation
    watched = kimberly.meditations.WatchMeditation(
        meditation.WatchMeditationRequest(user_id=user, id=started.id), timeout=120
    )
    events = list(watched)
    assert events[-1].progress.status == meditation.MEDITATION_STATUS_COMPLETE, events[-1].progress.error
    decided = [event.decision for event in events if event.WhichOneof("event") == "decision"]
    applied = [decision.memory_id for decision in decided if decision.action == archive]
    assert applied == planned

    # Forget
    deleted = kimberly.memories.DeleteMemory(api.DeleteMemoryRequest(user_id=user, id=key.id), timeout=30).receipt
    assert deleted.state == memory.MEMORY_STATE_DELETED and deleted.delete_after.seconds > 0
    assert MOVED not in recalled(kimberly, user, "where is the spare key?")

    # Resume watching: the changes since then arrive without gaps or repetitions
    missed, _ = changes(watch(kimberly, user, cursor), len(applied) + 1)
    expected = [(streams.CHANGE_KIND_ARCHIVED, memory_id) for memory_id in applied]
    assert [(change.kind, change.memory_id) for change in missed] == [*expected, (streams.CHANGE_KIND_DELETED, key.id)]
    assert {change.reason for change in missed[:-1]} == {meditation.DECISION_REASON_OVER_QUOTA}
