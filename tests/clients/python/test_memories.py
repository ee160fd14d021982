"""Remember, recall, list, change, delete and restore memories from Python."""

import grpc
import pytest
from google.rpc import error_details_pb2
from grpc_status import rpc_status
from kimberly.v1 import memory_pb2 as memory
from kimberly.v1 import memory_service_pb2 as api


def remember(kimberly, user, content, **fields):
    draft = memory.MemoryDraft(content=content, **fields)
    return kimberly.memories.CreateMemory(api.CreateMemoryRequest(user_id=user, memory=draft)).receipt


def details(error, kind):
    """Returns the google.rpc details of one type in an error."""
    found = []
    for detail in rpc_status.from_call(error.value).details:
        message = kind()
        if detail.Unpack(message):
            found.append(message)
    return found


def test_what_is_remembered_is_recalled_best_first(kimberly, user):
    remember(kimberly, user, "The spare key hangs behind the blue door.")
    remember(kimberly, user, "Lunch with Chen was moved to Thursday.")
    answer = kimberly.memories.QueryMemories(api.QueryMemoriesRequest(user_id=user, query="where is the spare key?", explain=True))
    assert answer.results[0].memory.content == "The spare key hangs behind the blue door."
    assert answer.results[0].explanation.lexical > 0
    assert answer.results[0].score == max(result.score for result in answer.results)


def test_users_do_not_see_each_other(kimberly, user):
    remember(kimberly, user, "The safe opens with 4711.")
    other = kimberly.memories.QueryMemories(api.QueryMemoriesRequest(user_id=user + "-other", query="safe 4711"))
    assert len(other.results) == 0


def test_pages_hold_everything_once_and_in_order(kimberly, user):
    drafts = [memory.MemoryDraft(content=f"note number {n}") for n in range(250)]
    kimberly.memories.BatchCreateMemories(api.BatchCreateMemoriesRequest(user_id=user, memories=drafts))
    seen, token = [], ""
    while True:
        page = kimberly.memories.ListMemories(
            api.ListMemoriesRequest(
                user_id=user, page_size=60, page_token=token, order=api.LIST_ORDER_OLDEST_FIRST
            )
        )
        seen += [item.content for item in page.memories]
        token = page.next_page_token
        if not token:
            break
        assert len(page.memories) == 60
    assert seen == [f"note number {n}" for n in range(250)]


def test_update_with_a_stale_etag_says_which_one_is_current(kimberly, user):
    receipt = remember(kimberly, user, "The meeting is on Monday.")
    request = api.UpdateMemoryRequest(user_id=user, id=receipt.id, etag=receipt.etag)
    request.memory.content = "The meeting is on Tuesday."
    request.update_mask.paths.append("content")
    current = kimberly.memories.UpdateMemory(request).receipt
    with pytest.raises(grpc.RpcError) as error:
        kimberly.memories.UpdateMemory(request)
    assert error.value.code() == grpc.StatusCode.ABORTED
    (info,) = details(error, error_details_pb2.ErrorInfo)
    assert (info.reason, info.domain) == ("ETAG_MISMATCH", "kimberly.v1")
    assert info.metadata["etag"] == current.etag


def test_a_bad_request_names_every_field(kimberly, user):
    draft = memory.MemoryDraft(content=" ", metadata=memory.Metadata(tags=["x" * 65]))
    with pytest.raises(grpc.RpcError) as error:
        kimberly.memories.CreateMemory(api.CreateMemoryRequest(user_id=user, memory=draft))
    assert error.value.code() == grpc.StatusCode.INVALID_ARGUMENT
    (bad,) = details(error, error_details_pb2.BadRequest)
    assert {violation.field for violation in bad.field_violations} == {"memory.content", "memory.metadata.tags[0]"}


def test_forgotten_and_restored(kimberly, user):
    receipt = remember(kimberly, user, "The password hint is a river.")
    query = api.QueryMemoriesRequest(user_id=user, query="password hint river")
    deleted = kimberly.memories.DeleteMemory(api.DeleteMemoryRequest(user_id=user, id=receipt.id)).receipt
    assert deleted.state == memory.MEMORY_STATE_DELETED
    assert deleted.delete_after.seconds - deleted.updated_at.seconds == 30 * 86400
    assert len(kimberly.memories.QueryMemories(query).results) == 0
    kimberly.memories.RestoreMemory(api.RestoreMemoryRequest(user_id=user, id=receipt.id))
    assert [result.memory.id for result in kimberly.memories.QueryMemories(query).results] == [receipt.id]


def test_a_write_is_retried_while_the_api_restarts_and_happens_once(kimberly, processes, user):
    remember(kimberly, user, "before the restart")
    processes.kill("api")
    processes.start("api")
    request = api.CreateMemoryRequest(user_id=user, memory=memory.MemoryDraft(content="after it"), request_id="once")
    first = kimberly.memories.CreateMemory(request).receipt
    again = kimberly.memories.CreateMemory(request).receipt
    assert first == again
    page = kimberly.memories.ListMemories(api.ListMemoriesRequest(user_id=user))
    assert [item.content for item in page.memories] == ["after it", "before the restart"]


def test_attributes_come_back_as_sent(kimberly, user):
    sent = memory.MemoryDraft(content="with attributes")
    sent.attributes.update({"nested": {"list": [1, 2.5, "three", None, True]}, "empty": {}})
    receipt = kimberly.memories.CreateMemory(api.CreateMemoryRequest(user_id=user, memory=sent)).receipt
    stored = kimberly.memories.GetMemory(api.GetMemoryRequest(user_id=user, id=receipt.id)).memory
    assert stored.attributes == sent.attributes
