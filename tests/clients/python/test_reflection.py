"""A client without stubs: what it can find out, and the story."""

import itertools
import json
import pathlib
import re

import grpc
import pytest
from google.protobuf import json_format
from grpc_health.v1 import health_pb2, health_pb2_grpc
from grpc_status import rpc_status
from reflected import Reflected, list_services

CONTRACT = pathlib.Path(__file__).resolve().parents[3] / "proto" / "kimberly" / "v1"
SERVICES = {
    f"kimberly.v1.{name}" for proto in CONTRACT.glob("*.proto") for name in re.findall(r"^service (\w+)", proto.read_text(), re.MULTILINE)
}
KEY = "The spare key hangs behind the blue door."
MOVED = "The spare key lies under the red mat."


@pytest.fixture
def server(channel):
    return Reflected(channel)


@pytest.mark.parametrize("version", ["v1", "v1alpha"])
def test_each_version_of_reflection_lists_every_service(channel, version):
    ours = {name for name in list_services(channel, version) if name.startswith("kimberly.")}
    assert ours == SERVICES


def test_health_says_that_each_service_serves(channel):
    health = health_pb2_grpc.HealthStub(channel)
    for service in SERVICES | {""}:
        answer = health.Check(health_pb2.HealthCheckRequest(service=service))
        assert answer.status == health_pb2.HealthCheckResponse.SERVING, service


def test_a_method_is_found_by_its_symbol_with_its_http_path(server):
    method = server.service("kimberly.v1.MemoryService").FindMethodByName("CreateMemory")
    assert method.input_type.full_name == "kimberly.v1.CreateMemoryRequest"
    assert [field.name for field in method.input_type.fields] == ["user_id", "memory", "request_id", "always_new"]
    (options,) = json_format.MessageToDict(method.GetOptions()).values()
    assert options["post"] == "/memory", json.dumps(options)


def test_the_server_tells_its_version_features_and_limits(server):
    info = server.call("ServerService", "GetServerInfo")
    assert info["apiVersion"] == "kimberly.v1" and info["version"].count(".") == 2
    assert info["limits"]["maxBatchSize"] == 1_000 and info["limits"]["maxPageSize"] == 1_000


def test_the_story(server, user):
    def memories(method, **request):
        return server.call("MemoryService", method, user_id=user, **request)

    def recalled():
        results = memories("QueryMemories", query="where is the spare key?").get("results", [])
        return [result["memory"]["content"] for result in results]

    def watched(**request):
        return server.stream("MemoryService", "WatchMemories", user_id=user, **request)

    # Remember, recall
    contents = [f"note number {n}" for n in range(9_999)] + [KEY]
    receipts = []
    for start in range(0, len(contents), 1_000):
        drafts = [{"content": content} for content in contents[start : start + 1_000]]
        receipts += memories("BatchCreateMemories", memories=drafts)["receipts"]
    key = receipts[-1]
    assert recalled()[0] == KEY

    # Watch from now on, change it, and again with the outdated etag
    cursor = next(watched())["cursor"]
    change = {"id": key["id"], "etag": key["etag"], "memory": {"content": MOVED}, "update_mask": "content"}
    memories("UpdateMemory", **change)
    with pytest.raises(grpc.RpcError) as stale:
        memories("UpdateMemory", **change)
    assert stale.value.code() == grpc.StatusCode.ABORTED
    assert b"ETAG_MISMATCH" in rpc_status.from_call(stale.value).details[0].value
    assert recalled()[0] == MOVED

    # Page through everything
    seen, token = [], ""
    while True:
        page = memories("ListMemories", page_size=1_000, page_token=token, order="LIST_ORDER_OLDEST_FIRST")
        seen += [item["content"] for item in page["memories"]]
        token = page.get("nextPageToken")
        if not token:
            break
    assert seen == [*contents[:-1], MOVED]

    # Meditate: a dry run, then a real one, watched
    quota = sum(int(receipt["sizeBytes"]) for receipt in receipts) * 99 // 100
    limit = {"user_settings": {"long_term_quota_bytes": quota}, "update_mask": "longTermQuotaBytes"}
    server.call("SettingsService", "UpdateSettings", user_id=user, **limit)
    plan = server.call("MeditationService", "Meditate", user_id=user, dry_run=True)
    usage = server.call("MetricsService", "GetMetrics", user_id=user)["user"]
    assert len(plan["decisions"]) > 0 and int(usage["archive"].get("items", 0)) == 0
    started = server.call("MeditationService", "Meditate", user_id=user, plan_token=plan["planToken"])["meditation"]
    events = list(server.stream("MeditationService", "WatchMeditation", user_id=user, id=started["id"]))
    assert events[-1]["progress"]["status"] == "MEDITATION_STATUS_COMPLETE"
    archives = "DECISION_ACTION_ARCHIVE"
    decided = [event["decision"] for event in events if "decision" in event]
    applied = [decision["memoryId"] for decision in decided if decision["action"] == archives]
    assert applied == [decision["memoryId"] for decision in plan["decisions"] if decision["action"] == archives]

    # Forget
    assert memories("DeleteMemory", id=key["id"])["receipt"]["state"] == "MEMORY_STATE_DELETED"
    assert MOVED not in recalled()

    # Everything since the cursor, in order and once
    changes = (message["change"] for message in watched(cursor=cursor) if "change" in message)
    told = [(change["kind"], change["memoryId"]) for change in itertools.islice(changes, len(applied) + 2)]
    archived = [("CHANGE_KIND_ARCHIVED", memory_id) for memory_id in applied]
    assert told == [("CHANGE_KIND_UPDATED", key["id"]), *archived, ("CHANGE_KIND_DELETED", key["id"])]
