"""Records with kinds: create, filter, verify, find uncertain ones, use a playbook, record an interaction."""

import grpc
import pytest
from google.rpc import error_details_pb2
from kimberly.v1 import detail_pb2 as kinds
from kimberly.v1 import memory_pb2 as memory
from kimberly.v1 import memory_service_pb2 as api
from kimberly.v1 import record_service_pb2 as records
from test_memories import details, remember

DETAILS = [
    kinds.Detail(turn=kinds.TurnDetail(role=kinds.ROLE_TOOL, tool="search", position=2)),
    kinds.Detail(episode=kinds.EpisodeDetail(objective="ship it", lessons=["test first"], valence=-0.5, arousal=0.75)),
    kinds.Detail(fact=kinds.FactDetail(subject="Ana", predicate="lives in", object="Lisbon")),
    kinds.Detail(preference=kinds.PreferenceDetail(subject="tea", polarity=kinds.POLARITY_POSITIVE)),
    kinds.Detail(decision=kinds.DecisionDetail(choice="Fridays", alternatives=["Mondays"], rationale="calm")),
    kinds.Detail(note=kinds.NoteDetail(type=kinds.NOTE_TYPE_QUOTE, source="a book")),
    kinds.Detail(value=kinds.ValueDetail(priority=90)),
    kinds.Detail(drive=kinds.DriveDetail(intensity=0.5, focus=["learning"])),
    kinds.Detail(playbook=kinds.PlaybookDetail(triggers=["it hangs"], steps=["restart it"])),
    kinds.Detail(relationship=kinds.RelationshipDetail(entity="Chen", type="colleague", trust=0.5)),
    kinds.Detail(insight=kinds.InsightDetail(type=kinds.INSIGHT_TYPE_DEDUCTION)),
]


@pytest.mark.parametrize("detail", DETAILS, ids=lambda detail: detail.WhichOneof("kind"))
def test_a_detail_comes_back_as_it_was_written_and_says_the_kind(kimberly, user, detail):
    receipt = remember(kimberly, user, "a record", detail=detail)
    kept = kimberly.memories.GetMemory(api.GetMemoryRequest(user_id=user, id=receipt.id)).memory
    assert kept.detail == detail
    assert kinds.Kind.Name(kept.kind) == "KIND_" + detail.WhichOneof("kind").upper()


def test_lists_select_by_kind_layer_subject_and_confidence(kimberly, user):
    fact = remember(kimberly, user, "Ana moved", detail=DETAILS[2])
    guess = remember(kimberly, user, "Perhaps rain", kind=kinds.KIND_BELIEF, confidence=0.2)
    raw = remember(kimberly, user, "The API seems slow", kind=kinds.KIND_RAW)

    def listed(**conditions):
        request = api.ListMemoriesRequest(user_id=user, filter=memory.MemoryFilter(**conditions))
        return {found.id for found in kimberly.memories.ListMemories(request).memories}

    assert listed(kinds=[kinds.KIND_FACT, kinds.KIND_RAW]) == {fact.id, raw.id}
    assert listed(layers=[kinds.LAYER_CAPTURE]) == {raw.id}
    assert listed(subjects=["ana"]) == {fact.id}
    assert listed(below_confidence=0.5) == {guess.id}
    assert listed(min_confidence=0.5) == {fact.id, raw.id}


def test_a_verified_memory_is_more_certain_and_leaves_the_list_of_what_is_uncertain(kimberly, user):
    guess = remember(kimberly, user, "Perhaps rain", kind=kinds.KIND_BELIEF, confidence=0.4)
    uncertain = records.ListUncertainRequest(user_id=user)
    assert [found.id for found in kimberly.records.ListUncertain(uncertain).memories] == [guess.id]
    verify = records.VerifyMemoryRequest(user_id=user, id=guess.id, request_id="verify")
    verified = kimberly.records.VerifyMemory(verify)
    # From a user: 0.4 times 0.95; the verification then removes a quarter of the doubt.
    assert verified.confidence == pytest.approx(0.38 + 0.62 / 4)
    assert kimberly.records.VerifyMemory(verify) == verified
    assert len(kimberly.records.ListUncertain(uncertain).memories) == 0


def test_a_capture_is_processed_into_an_episode_and_a_value_is_part_of_the_identity(kimberly, user):
    raw = remember(kimberly, user, "The API seems slow", kind=kinds.KIND_RAW)
    unprocessed = records.ListUnprocessedRequest(user_id=user)
    assert [found.id for found in kimberly.records.ListUnprocessed(unprocessed).memories] == [raw.id]
    episode = memory.MemoryDraft(content="The API was slow at noon", kind=kinds.KIND_EPISODE)
    kimberly.records.PromoteMemories(records.PromoteMemoriesRequest(user_id=user, ids=[raw.id], memory=episode))
    assert len(kimberly.records.ListUnprocessed(unprocessed).memories) == 0
    remember(kimberly, user, "Be honest", detail=DETAILS[6])
    identity = kimberly.records.GetIdentity(records.GetIdentityRequest(user_id=user))
    assert identity.document == "# Identity\n\n## Values\n\n- Be honest (priority 90)\n"


def test_what_lasts_is_no_candidate_for_forgetting_and_says_so(kimberly, user):
    value = remember(kimberly, user, "Be honest", kind=kinds.KIND_VALUE)
    remember(kimberly, user, "Rain")
    which = {"user_id": user, "threshold": 10, "half_life_days": 1}
    candidates = records.ListForgettingCandidatesRequest(**which)
    assert len(kimberly.records.ListForgettingCandidates(candidates).candidates) == 0, "nothing is old enough"
    ran = kimberly.records.RunForgetting(records.RunForgettingRequest(dry_run=True, **which))
    assert ran.dry_run and len(ran.forgotten) == 0
    explained = kimberly.memories.GetMemory(api.GetMemoryRequest(user_id=user, id=value.id, explain=True))
    assert explained.salience.lasts and explained.salience.half_life_days == 30


def test_a_playbook_is_found_by_its_situation_and_its_uses_are_counted(kimberly, user):
    restart = remember(kimberly, user, "How to restart the service", detail=DETAILS[8])
    remember(kimberly, user, "The service hangs on Mondays")
    found = kimberly.records.FindPlaybooks(records.FindPlaybooksRequest(user_id=user, situation="it hangs again"))
    assert [one.memory.id for one in found.playbooks] == [restart.id]
    for success, counts in [(True, (1, 1)), (False, (2, 1))]:
        use = records.RecordPlaybookUseRequest(user_id=user, id=restart.id, success=success)
        counted = kimberly.records.RecordPlaybookUse(use)
        assert (counted.used, counted.succeeded) == counts


def test_a_meeting_moves_trust_a_quarter_of_the_way(kimberly, user):
    chen = remember(kimberly, user, "Chen and I build boats", detail=DETAILS[9])
    met = kimberly.records.RecordInteraction(records.RecordInteractionRequest(user_id=user, id=chen.id, trust=1.0))
    assert (met.interactions, met.trust, met.sentiment) == (1, 0.625, 0)
    with pytest.raises(grpc.RpcError) as error:
        kimberly.records.RecordInteraction(records.RecordInteractionRequest(user_id=user, id=chen.id, trust=1.5))
    (bad,) = details(error, error_details_pb2.BadRequest)
    assert [violation.field for violation in bad.field_violations] == ["trust"]
