"""The files of deploy/ with real processes: the certificate of setup, the health check, rings and the account's key as containers
and systemd provide them. Runs on this machine instead of containers."""

import os
import shutil
import subprocess
import time

import files
import grpc
import pytest
from grpc_health.v1 import health_pb2, health_pb2_grpc
from processes import NAMES, Processes


@pytest.fixture(scope="module")
def setup(tmp_path_factory):
    """Runs setup in a copy of the compose folder."""
    folder = tmp_path_factory.mktemp("compose")
    shutil.copyfile(files.COMPOSE / "setup", folder / "setup")
    (folder / "setup").chmod(0o755)
    subprocess.run([folder / "setup", "memory.example.com", "203.0.113.7"], check=True, capture_output=True)
    return folder


def start_all(processes):
    """Starts all processes and waits for their messages: they use TLS, which the fixture's channel does not."""
    for name in NAMES:
        processes.start(name)
    for name in NAMES:
        for _ in range(600):
            assert processes.running[name].poll() is None, processes.log(name)
            if "ready on" in processes.log(name):
                break
            time.sleep(0.1)


@pytest.fixture(scope="module")
def running(setup, tmp_path_factory):
    """The three processes with the settings of the Kubernetes pods, except those for Postgres and S3."""
    folder = tmp_path_factory.mktemp("running")
    (rings := folder / "rings").mkdir()
    for name in ("master", "sensitive"):
        ring = subprocess.run(["openssl", "rand", "-base64", "32"], check=True, capture_output=True).stdout
        (rings / name).write_bytes(ring)
        # As the kubelet mounts it: readable for the group.
        (rings / name).chmod(0o440)
    (keys := folder / "keys").mkdir(mode=0o700)
    token = """printf 'kmb_%s_%s\\n' "$(openssl rand -hex 8)" "$(openssl rand -base64 32 | tr '+/' '-_' | tr -d '=')" """
    assert token.strip() in (files.KUBERNETES / "README.md").read_text()
    (keys / "admin.token").write_bytes(subprocess.run(["sh", "-c", token], check=True, capture_output=True).stdout)
    (keys / "admin.token").chmod(0o600)
    ((_, config),) = [(n, one["data"]) for n, one in files.manifests() if one["kind"] == "ConfigMap"]
    told = {key: value for key, value in config.items() if not key.startswith(("KIMBERLY_POSTGRES__", "KIMBERLY_ATTACHMENTS__S3__"))}
    told |= {
        "CREDENTIALS_DIRECTORY": str(rings),
        "KIMBERLY_DATA_DIR": str(folder / "data"),
        "KIMBERLY_KEYS__FOLDER": str(keys),
        "KIMBERLY_TLS__CERTIFICATE": str(setup / "secrets/server.pem"),
        "KIMBERLY_TLS__KEY": str(setup / "secrets/server.key"),
    }
    started = Processes(folder, told)
    start_all(started)
    yield started
    assert set(started.stop_all().values()) == {0}, "a process did not stop in order"


def health(running, *names, **more):
    command = [running.binaries / "kimberly", "health", *names]
    return subprocess.run(command, env={**running.environment, **more}, capture_output=True, text=True)


def test_setup_makes_private_files_and_leaves_them_alone(setup):
    before = {path: path.read_bytes() for path in sorted(setup.rglob("*")) if path.is_file()}
    subprocess.run([setup / "setup", "other.example.com"], check=True, capture_output=True)
    assert {path: path.read_bytes() for path in sorted(setup.rglob("*")) if path.is_file()} == before
    assert (setup / "secrets").stat().st_mode & 0o777 == (setup / "keys").stat().st_mode & 0o777 == 0o700
    for name in ("pgpass", "pgpass-owner", "pgpass-backup", "server.key", "ca.key"):
        assert (setup / "secrets" / name).stat().st_mode & 0o777 == 0o600, name
    assert "kimberly_owner" not in (setup / "secrets/pgpass").read_text()
    shown = subprocess.run(
        ["openssl", "x509", "-in", setup / "secrets/server.pem", "-noout", "-ext", "subjectAltName"],
        check=True, capture_output=True, text=True,
    ).stdout
    for name in ("DNS:localhost", "DNS:memory.example.com", "IP Address:127.0.0.1", "IP Address:203.0.113.7"):
        assert name in shown


def test_pin_writes_digests_of_others_images_and_nothing_else(setup, tmp_path):
    docker = tmp_path / "docker"
    # Replaces docker and a registry.
    docker.write_text('#!/bin/sh\ncase $1 in pull) ;; image) printf "%s@sha256:%064d\\n" "${5%%:*}" 7 ;; *) exit 1 ;; esac\n')
    docker.chmod(0o755)
    for name in ("pin", "compose.yaml"):
        shutil.copy(files.COMPOSE / name, setup / name)
    before = (setup / ".env").read_text()
    for _ in range(2):
        environment = {**os.environ, "PATH": f"{tmp_path}:{os.environ['PATH']}"}
        subprocess.run([setup / "pin"], env=environment, check=True, capture_output=True)
    written = (setup / ".env").read_text()
    assert written.startswith(before)
    pinned = dict(line.split("=", 1) for line in written[len(before):].splitlines())
    assert set(pinned) == {"POSTGRES_IMAGE", "EXPORTER_IMAGE", "PROMETHEUS_IMAGE", "GRAFANA_IMAGE"}
    digest = f"@sha256:{7:064d}"
    named = {service["image"] for service in files.compose()["services"].values() if "KIMBERLY" not in service["image"]}
    assert named == {f"${{{name}:-{image.removesuffix(digest)}}}" for name, image in pinned.items() if image.endswith(digest)}


def test_health_is_seen_over_tls_and_without(running, setup):
    for names in ([], ["api"], ["worker", "embedder"]):
        assert health(running, *names).returncode == 0, names
    # One process that does not serve is enough; the others are not asked.
    away = {"KIMBERLY_WORKER__LISTEN": "127.0.0.1:1"}
    assert health(running, **away).returncode == health(running, "worker", **away).returncode == 1
    assert "BAD" in health(running, **away).stdout and health(running, "api", **away).returncode == 0
    # Only the server with the configured certificate is taken for the api.
    other = {"KIMBERLY_TLS__CERTIFICATE": str(setup / "secrets/ca.pem")}
    assert health(running, "api", **other).returncode == 1
    assert health(running, "console").returncode == 2


def test_the_command_line_reaches_the_api_only_with_the_accounts_key(running, setup):
    def kimberly(*arguments, **more):
        environment = {**running.environment, "KIMBERLY_SERVER": f"https://{running.api}", **more}
        environment["KIMBERLY_CA"] = str(setup / "secrets/ca.pem")
        binary = running.binaries / "kimberly"
        return subprocess.run([binary, *arguments], env=environment, capture_output=True, text=True)

    made = kimberly("keys", "create", "shop", "--for", "shop-*", "--can", "read,write", "--out", str(running.folder / "shop.key"))
    assert made.returncode == 0, made.stderr
    key = ["--token-file", str(running.folder / "shop.key")]
    assert kimberly("remember", "Ana likes tea", "--user", "shop-1", *key).returncode == 0
    assert "Ana likes tea" in kimberly("recall", "tea", "--user", "shop-1", *key).stdout
    assert kimberly("recall", "tea", "--user", "ana", *key).returncode == 1
    refused = kimberly("recall", "tea", "--user", "shop-1", KIMBERLY_KEYS__FOLDER=str(running.folder / "none"))
    assert refused.returncode == 1, refused


def test_a_list_of_addresses_is_called_by_the_name_in_the_certificate(running, setup):
    addresses = f"ipv4:{running.api},{running.api}"
    authority = grpc.ssl_channel_credentials((setup / "secrets/ca.pem").read_bytes())
    guide = (files.ROOT / "docs/load-balancing.md").read_text()

    def asked(**names):
        options = [(f"grpc.{option}", name) for option, name in names.items()]
        assert all(f'("grpc.{option}"' in guide for option in names), "the guide names other options"
        with grpc.secure_channel(addresses, authority, options) as channel:
            return health_pb2_grpc.HealthStub(channel).Check(health_pb2.HealthCheckRequest(), timeout=10).status

    both = {"default_authority": "memory.example.com", "ssl_target_name_override": "memory.example.com"}
    assert asked(**both) == health_pb2.HealthCheckResponse.SERVING
    with pytest.raises(grpc.RpcError):
        asked(**{name: "other.example.com" for name in both})


def test_what_is_remembered_is_sealed_under_the_rings_that_were_given(running):
    assert sorted(os.listdir(running.folder / "keys")) == ["admin.token"], "a ring was made beside the ones that were given"
