"""Two api processes over the same data, one channel: calls reach both, and continue when one is killed."""

import concurrent.futures
import threading

import grpc
import pytest
from conftest import SERVICE_CONFIG, stubs
from kimberly.v1 import memory_pb2 as memory
from kimberly.v1 import memory_service_pb2 as api
from kimberly.v1 import metrics_service_pb2 as metrics
from processes import Processes

APIS = ("api", "api-2")
CALLERS = 8


@pytest.fixture
def pair(tmp_path):
    """Two apis over one data folder, with worker and embedder."""
    started = Processes(tmp_path)
    started.add_api("api-2")
    started.start_all()
    yield started
    assert set(started.stop_all().values()) == {0}, "a process did not stop in order"


@pytest.fixture
def channel(pair):
    """Opens one channel to both, as in docs/load-balancing.md."""
    target = "ipv4:" + ",".join(pair.addresses[name] for name in APIS)
    options = [
        ("grpc.service_config", SERVICE_CONFIG),
        # Otherwise the list of addresses would be sent as the server's name.
        ("grpc.default_authority", "kimberly"),
        ("grpc.max_reconnect_backoff_ms", 1_000),
        # Otherwise channels of one program share connections to an address, and the counting calls would not be separate.
        ("grpc.use_local_subchannel_pool", 1),
    ]
    with grpc.insecure_channel(target, options) as opened:
        yield opened


def served(pair, name):
    """Returns how many calls one api has served, from its own metrics."""
    options = [("grpc.use_local_subchannel_pool", 1)]
    with grpc.insecure_channel(pair.addresses[name], options) as opened:
        system = stubs(opened).metrics.GetMetrics(metrics.GetMetricsRequest(), timeout=30).system
    return next((int(metric.value) for metric in system.metrics if metric.name == "grpc.calls"), 0)


def connect_to_both(pair, kimberly, user):
    """Calls until both apis have served a call: a channel starts with its first ready connection."""
    before = {name: served(pair, name) for name in APIS}
    for _ in range(10_000):
        kimberly.memories.ListMemories(api.ListMemoriesRequest(user_id=user, page_size=1), timeout=30)
        # The call that counts is itself counted.
        if all(served(pair, name) > before[name] + 1 for name in APIS):
            return
        before = {name: count + 1 for name, count in before.items()}
    raise AssertionError("one of the two was never called")


def remember(kimberly, user, content, request_id):
    draft = memory.MemoryDraft(content=content)
    request = api.CreateMemoryRequest(user_id=user, memory=draft, request_id=request_id)
    return kimberly.memories.CreateMemory(request, timeout=60).receipt.id


def contents(kimberly, user):
    """Reads all memories of a user, page by page."""
    seen, token = [], ""
    while True:
        page = kimberly.memories.ListMemories(
            api.ListMemoriesRequest(user_id=user, page_size=1_000, page_token=token), timeout=30
        )
        seen += [item.content for item in page.memories]
        token = page.next_page_token
        if not token:
            return seen


def test_calls_are_spread_and_each_api_sees_at_once_what_the_other_wrote(pair, channel, user):
    kimberly = stubs(channel)
    connect_to_both(pair, kimberly, user)
    before = {name: served(pair, name) for name in APIS}
    for n in range(100):
        written = remember(kimberly, user, f"note {n}", f"note-{n}")
        # The next call of this channel goes to the other api.
        found = kimberly.memories.GetMemory(api.GetMemoryRequest(user_id=user, id=written), timeout=30)
        assert found.memory.content == f"note {n}"
    calls = [served(pair, name) - before[name] for name in APIS]
    # Two of the calls are those that count. Calls alternate; a reconnect may change the order once.
    assert sum(calls) == 202 and min(calls) >= 95, calls


def test_calls_go_on_when_one_api_is_killed_and_no_write_is_lost_or_done_twice(pair, channel, user):
    kimberly = stubs(channel)
    connect_to_both(pair, kimberly, user)
    killed, enough = threading.Event(), threading.Event()

    def write(caller):
        acknowledged = []
        while not enough.is_set():
            content = f"note {len(acknowledged)} of caller {caller}"
            remember(kimberly, user, content, request_id=content)
            acknowledged.append(content)
            if killed.is_set() and len(acknowledged) >= after_kill:
                break
            if len(acknowledged) >= 10:
                ready.set()
        return acknowledged

    ready, after_kill = threading.Event(), 60
    with concurrent.futures.ThreadPoolExecutor(CALLERS) as pool:
        writing = [pool.submit(write, caller) for caller in range(CALLERS)]
        try:
            assert ready.wait(timeout=60), "nothing was written"
            pair.kill("api")
            killed.set()
            # Raises the error of a failed call.
            acknowledged = sorted(content for caller in writing for content in caller.result(timeout=120))
        finally:
            enough.set()
    assert sorted(contents(kimberly, user)) == acknowledged

    # The restarted api is called again without any action of the program.
    pair.start("api")
    pair.wait("api")
    connect_to_both(pair, kimberly, user)
