"""A memory is corrected, revised and ended, and its history shows this."""

import grpc
import pytest
from google.rpc import error_details_pb2
from kimberly.v1 import detail_pb2 as kinds
from kimberly.v1 import link_service_pb2 as links
from kimberly.v1 import memory_service_pb2 as api
from kimberly.v1 import record_service_pb2 as records
from test_memories import details, remember


def holding(kimberly, user):
    """Returns the contents that are valid now."""
    return {found.content for found in kimberly.memories.ListMemories(api.ListMemoriesRequest(user_id=user)).memories}


def history(kimberly, user, id):
    """Returns the history of a memory, in order."""
    return list(kimberly.records.GetHistory(records.GetHistoryRequest(user_id=user, id=id)).events)


def test_a_correction_takes_the_place_of_what_was_wrong_once(kimberly, user):
    wrong = remember(kimberly, user, "Chen lives in Porto", importance=7)
    request = records.CorrectMemoryRequest(
        user_id=user, id=wrong.id, content="Chen lives in Lisbon", reason="Chen said so", request_id="once"
    )
    right = kimberly.records.CorrectMemory(request).receipt
    assert kimberly.records.CorrectMemory(request).receipt == right
    kept = kimberly.memories.GetMemory(api.GetMemoryRequest(user_id=user, id=right.id)).memory
    assert (kept.confidence, kept.source_type, kept.importance) == (1, kinds.SOURCE_TYPE_CORRECTION, 7)
    assert holding(kimberly, user) == {"Chen lives in Lisbon"}
    request.request_id = ""
    with pytest.raises(grpc.RpcError) as refused:
        kimberly.records.CorrectMemory(request)
    (info,) = details(refused, error_details_pb2.ErrorInfo)
    assert (refused.value.code(), info.reason) == (grpc.StatusCode.FAILED_PRECONDITION, "WRONG_STATE")
    events = history(kimberly, user, wrong.id)
    assert events[0].WhichOneof("what") == "created"
    (link,) = (event.linked for event in events if event.WhichOneof("what") == "linked")
    assert (link.from_id, link.relation, link.evidence) == (right.id, links.RELATION_SUPERSEDES, "Chen said so")


def test_a_belief_is_revised_because_of_an_episode(kimberly, user):
    episode = remember(kimberly, user, "Five releases in a week", kind=kinds.KIND_EPISODE)
    belief = remember(kimberly, user, "Small releases break more", kind=kinds.KIND_BELIEF)
    revision = records.ReviseBeliefRequest(
        user_id=user, id=belief.id, content="Small releases break less", confidence=0.8, episode_id=episode.id
    )
    revised = kimberly.records.ReviseBelief(revision).receipt
    kept = kimberly.memories.GetMemory(api.GetMemoryRequest(user_id=user, id=revised.id)).memory
    assert kept.confidence == pytest.approx(0.8 * 0.95)
    steps = kimberly.links.Lineage(links.LineageRequest(user_id=user, id=revised.id)).steps
    assert {(step.link.relation, step.link.to_id) for step in steps} == {
        (links.RELATION_SUPERSEDES, belief.id),
        (links.RELATION_DERIVED_FROM, episode.id),
    }
    assert holding(kimberly, user) == {"Five releases in a week", "Small releases break less"}


def test_what_is_invalidated_holds_no_longer_and_the_history_says_why(kimberly, user):
    memory = remember(kimberly, user, "The shop is open on Sundays")
    ended = kimberly.records.InvalidateMemory(
        records.InvalidateMemoryRequest(user_id=user, id=memory.id, reason="it closed down", etag=memory.etag)
    )
    assert ended.receipt.id == memory.id
    assert holding(kimberly, user) == set()
    (event,) = (one.ended for one in history(kimberly, user, memory.id) if one.WhichOneof("what") == "ended")
    assert (event.valid_to, event.reason) == (ended.valid_to, "it closed down")
