"""Consent from Python: a refusal with its reason, a grant, a retraction that hides, a retraction that erases."""

import grpc
import pytest
from google.rpc import error_details_pb2
from grpc_status import rpc_status
from kimberly.v1 import consent_service_pb2 as consents
from kimberly.v1 import memory_pb2 as memory
from kimberly.v1 import memory_service_pb2 as api
from kimberly.v1 import memory_streams_pb2 as streams

SECRET = "My doctor found a heart murmur."


def sensitive(**fields):
    return memory.MemoryDraft(content=SECRET, metadata=memory.Metadata(sensitive=True), **fields)


def remember(kimberly, user, draft):
    return kimberly.memories.CreateMemory(api.CreateMemoryRequest(user_id=user, memory=draft), timeout=30).receipt


def refusal(call, *arguments):
    with pytest.raises(grpc.RpcError) as refused:
        call(*arguments)
    info = error_details_pb2.ErrorInfo()
    assert rpc_status.from_call(refused.value).details[0].Unpack(info)
    return info.reason, dict(info.metadata)


def recalled(kimberly, user):
    answer = kimberly.memories.QueryMemories(api.QueryMemoriesRequest(user_id=user, query="heart murmur"), timeout=30)
    return [result.memory.content for result in answer.results]


def grant(kimberly, user, **fields):
    agreed = consents.Consent(purpose="care", given_by=consents.CONSENT_GIVER_GUARDIAN)
    request = consents.GrantConsentRequest(user_id=user, consent=agreed, **fields)
    return kimberly.consents.GrantConsent(request, timeout=30)


def retract(kimberly, user, record, how):
    request = consents.RetractConsentRequest(user_id=user, id=record.id, retraction=how)
    return kimberly.consents.RetractConsent(request, timeout=30)


def test_consent_from_grant_to_erasure(kimberly, user):
    reason, why = refusal(remember, kimberly, user, sensitive(consent=True))
    assert reason == "CONSENT_REQUIRED"
    assert (why["field"], why["why"], why["tier"]) == ("memory", "none", "long_term")

    # A consent permits the memory, which then names its consent
    first = grant(kimberly, user).consent
    assert first.status == consents.CONSENT_STATUS_ACTIVE
    stored = remember(kimberly, user, sensitive(namespace="clinic"))
    found = kimberly.memories.GetMemory(api.GetMemoryRequest(user_id=user, id=stored.id), timeout=30).memory
    assert (found.consent_id, found.namespace) == (first.id, "clinic")
    assert recalled(kimberly, user) == [SECRET]

    # Its retraction hides the memory at once; only an export that asks for hidden memories shows it
    done = retract(kimberly, user, first, memory.RETRACTION_SEAL)
    assert (done.withheld, done.erased) == (1, 0)
    assert recalled(kimberly, user) == []
    reason, why = refusal(remember, kimberly, user, sensitive())
    assert (reason, why["why"]) == ("CONSENT_REQUIRED", "retracted")

    def exported(withheld):
        request = streams.ExportMemoriesRequest(user_id=user, include_withheld=withheld)
        return [one.memory for piece in kimberly.memories.ExportMemories(request, timeout=30) for one in piece.records]

    assert exported(False) == []
    assert [one.withheld for one in exported(True)] == [True]

    # A new consent releases the memory, and its retraction erases it permanently
    second = grant(kimberly, user, release_withheld=[first.id])
    assert second.released == 1
    assert recalled(kimberly, user) == [SECRET]
    done = retract(kimberly, user, second.consent, memory.RETRACTION_PURGE)
    assert (done.withheld, done.erased, done.left) == (1, 1, 0)
    assert exported(True) == []
    request = consents.ListConsentsRequest(user_id=user, include_retracted=True)
    history = kimberly.consents.ListConsents(request, timeout=30).consents
    assert [one.status for one in history] == [consents.CONSENT_STATUS_RETRACTED] * 2
