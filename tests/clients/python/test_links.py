"""Links between memories: create them, follow them, remove them."""

import grpc
import pytest
from google.rpc import error_details_pb2
from kimberly.v1 import link_service_pb2 as links
from test_memories import details, remember


def test_a_link_is_listed_followed_and_removed(kimberly, user):
    raw, belief = (remember(kimberly, user, content).id for content in ("It was slow", "Caches help"))
    link = links.MemoryLink(from_id=belief, relation=links.RELATION_DERIVED_FROM, to_id=raw, evidence="a quote")
    assert kimberly.links.Link(links.LinkRequest(user_id=user, link=link)).created
    (listed,) = kimberly.links.ListLinks(links.ListLinksRequest(user_id=user, id=raw)).links
    assert (listed.from_id, listed.evidence, listed.weight) == (belief, "a quote", 1)
    (step,) = kimberly.links.Lineage(links.LineageRequest(user_id=user, id=raw)).steps
    assert (step.depth, step.direction, step.link) == (1, links.LINK_DIRECTION_IN, listed)
    unlink = links.UnlinkRequest(user_id=user, from_id=belief, relation=link.relation, to_id=raw)
    assert kimberly.links.Unlink(unlink).removed
    assert not kimberly.links.Unlink(unlink).removed
    with pytest.raises(grpc.RpcError) as refused:
        kimberly.links.Link(links.LinkRequest(user_id=user, link=links.MemoryLink(from_id=raw, relation=1, to_id=raw)))
    (info,) = details(refused, error_details_pb2.ErrorInfo)
    assert info.reason == "INVALID_FIELD"


def test_a_contradiction_is_listed_until_one_of_both_is_kept(kimberly, user):
    old, new = (remember(kimberly, user, content).id for content in ("She lives in Porto", "She lives in Lisbon"))
    link = links.MemoryLink(from_id=new, relation=links.RELATION_CONTRADICTS, to_id=old)
    kimberly.links.Link(links.LinkRequest(user_id=user, link=link))
    asked = links.ListContradictionsRequest(user_id=user)
    (found,) = kimberly.links.ListContradictions(asked).contradictions
    assert (found.from_memory.id, found.to_memory.id) == (new, old)
    keep = {"from_id": new, "to_id": old, "resolution": links.RESOLUTION_KEEP_FROM}
    resolved = kimberly.links.ResolveContradiction(links.ResolveContradictionRequest(user_id=user, **keep))
    assert resolved.ended_id == old
    assert len(kimberly.links.ListContradictions(asked).contradictions) == 0


def test_exported_links_are_imported_once_with_their_times(kimberly, user):
    raw, belief = (remember(kimberly, user, content).id for content in ("It was slow", "Caches help"))
    link = links.MemoryLink(from_id=belief, relation=links.RELATION_DERIVED_FROM, to_id=raw, evidence="a quote")
    kimberly.links.Link(links.LinkRequest(user_id=user, link=link))
    (exported,) = kimberly.links.ListLinks(links.ListLinksRequest(user_id=user)).links
    unlink = links.UnlinkRequest(user_id=user, from_id=belief, relation=link.relation, to_id=raw)
    kimberly.links.Unlink(unlink)
    absent = links.MemoryLink()
    absent.CopyFrom(exported)
    absent.to_id = belief[:-12] + "0" * 12
    request = links.ImportLinksRequest(user_id=user, links=[exported, absent])
    answers = [kimberly.links.ImportLinks(request) for _ in range(2)]
    assert [(one.imported, one.known, one.missing) for one in answers] == [(1, 0, 1), (0, 1, 1)]
    assert list(kimberly.links.ListLinks(links.ListLinksRequest(user_id=user)).links) == [exported]
