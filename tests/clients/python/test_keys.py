"""The story of a key: a server that requires one, the owner's key, a key for an agent, and its revocation."""

import json
import types
import uuid

import grpc
import pytest
from conftest import connected
from google.rpc import error_details_pb2
from grpc_status import rpc_status
from kimberly.v1 import access_service_pb2, access_service_pb2_grpc, memory_pb2, memory_service_pb2
from kimberly.v1 import memory_service_pb2_grpc
from processes import Processes

Operation = access_service_pb2.Operation


@pytest.fixture(scope="module")
def guarded(tmp_path_factory):
    """The three processes, which require credentials."""
    folder = tmp_path_factory.mktemp("guarded")
    started = Processes(folder, {"KIMBERLY_AUTH__MODE": "required", "KIMBERLY_KEYS__FOLDER": str(folder / "keys")})
    started.start_all()
    yield started
    assert set(started.stop_all().values()) == {0}, "a process did not stop in order"


def holding(channel, key):
    """Creates stubs that send a key with every call."""
    metadata = (("authorization", f"Bearer {key}"),) if key else ()

    def stub(kind):
        bare = kind(channel)
        show = lambda call: lambda request, **more: call(request, metadata=metadata, timeout=60, **more)
        return types.SimpleNamespace(**{name: show(call) for name, call in vars(bare).items()})

    return types.SimpleNamespace(
        memories=stub(memory_service_pb2_grpc.MemoryServiceStub), access=stub(access_service_pb2_grpc.AccessServiceStub)
    )


def reason(failed):
    """Returns the reason of an error."""
    for detail in rpc_status.from_call(failed.value).details:
        info = error_details_pb2.ErrorInfo()
        if detail.Unpack(info):
            return info.reason
    return None


def test_a_key_does_what_it_was_granted_until_it_is_revoked(guarded):
    user, other = f"python-{uuid.uuid4()}", f"python-{uuid.uuid4()}"
    owners = (guarded.folder / "keys" / "admin.token").read_text().strip()
    with connected(guarded) as channel:
        create = lambda user: memory_service_pb2.CreateMemoryRequest(
            user_id=user, memory=memory_pb2.MemoryDraft(content="I drink tea")
        )
        for stranger in ("", "kmb_wrong"):
            with pytest.raises(grpc.RpcError) as refused:
                holding(channel, stranger).memories.CreateMemory(create(user))
            assert refused.value.code() == grpc.StatusCode.UNAUTHENTICATED
            assert reason(refused) == "UNAUTHENTICATED"

        owner = holding(channel, owners)
        grant = access_service_pb2.Grant(users=[user], operations=[Operation.OPERATION_READ, Operation.OPERATION_WRITE])
        asked = access_service_pb2.CreateKeyRequest(name=f"agent-{uuid.uuid4()}", grant=grant, agent=True)
        made = owner.access.CreateKey(asked)
        assert made.key.startswith(f"kmb_{made.credential.id}_")

        agent = holding(channel, made.key)
        receipt = agent.memories.CreateMemory(create(user)).receipt
        stored = agent.memories.GetMemory(memory_service_pb2.GetMemoryRequest(user_id=user, id=receipt.id)).memory
        assert stored.audit.created_by == memory_pb2.Creator.CREATOR_AGENT
        for denied in (
            lambda: agent.memories.CreateMemory(create(other)),
            lambda: agent.memories.DeleteMemory(memory_service_pb2.DeleteMemoryRequest(user_id=user, id=receipt.id)),
            lambda: agent.access.ListKeys(access_service_pb2.ListKeysRequest()),
        ):
            with pytest.raises(grpc.RpcError) as refused:
                denied()
            assert refused.value.code() == grpc.StatusCode.PERMISSION_DENIED
            assert reason(refused) == "PERMISSION_DENIED"

        owner.access.RevokeKey(access_service_pb2.RevokeKeyRequest(name=made.credential.name))
        with pytest.raises(grpc.RpcError) as refused:
            agent.memories.GetMemory(memory_service_pb2.GetMemoryRequest(user_id=user, id=receipt.id))
        assert reason(refused) == "UNAUTHENTICATED"
        listed = owner.access.ListKeys(access_service_pb2.ListKeysRequest()).credentials
        assert json.dumps([one.name for one in listed]).count(made.credential.name) == 1
    secret = made.key.rsplit("_", 1)[-1]
    for name in ("api", "worker", "embedder"):
        assert secret not in guarded.log(name) and owners not in guarded.log(name)
