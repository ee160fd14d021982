"""The container image: everything on SQLite below /data, for callers with the key that the first start prints."""

import gzip
import hashlib
import json
import os
import re

import pytest
from container import Image
from test_release import one

FACT = {"userId": "ana", "memory": {"content": "The door code is 4711"}}


@pytest.fixture(scope="module")
def image(dist, tmp_path_factory):
    assert os.geteuid() == 0, "the image runs with an account and a root of its own, which needs root"
    return Image(one(dist, "*-image-*.tar"), tmp_path_factory.mktemp("image"))


def ask(container, path, body, key=None):
    """Calls the api from outside and returns the status and the answer."""
    with_key = ["--header", f"Authorization: Bearer {key}"] if key else []
    done = container.outside("curl", "--silent", "--show-error", "--write-out", "\n%{http_code}", *with_key, "--header",
                             "content-type: application/json", "--data", json.dumps(body), f"http://127.0.0.1:7420{path}")
    assert done.returncode == 0, done.stderr
    answer, _, status = done.stdout.rpartition("\n")
    return int(status), json.loads(answer)


def test_the_first_start_prints_a_key_without_which_no_one_is_served(image, tmp_path):
    with image.running(tmp_path) as container:
        container.wait()
        (key,) = re.findall(r"\bkmb_\w[\w-]+", container.log.read_text())
        assert ask(container, "/memory", FACT)[0] == 401
        assert ask(container, "/memory", FACT, key[:-1])[0] == 401
        assert ask(container, "/memory", FACT, key)[0] == 200
        inside = container.execute("kimberly", "recall", "door code", "--user", "ana")
        assert "4711" in inside.stdout, inside.stderr
        healthy = container.execute(*image.config["Healthcheck"]["Test"][1:])
        assert healthy.returncode == 0, healthy.stdout
    assert image.ended == 0, "it did not stop in order"
    with image.running(tmp_path) as container:
        container.wait()
        log = container.log.read_text()
        assert "kmb_" not in log and "/data/keys/admin.token" in log, log
        found = ask(container, "/memory/query", {"userId": "ana", "query": "door code"}, key)[1]
        assert "4711" in str(found)
    # All that must be kept, and nothing that others may read.
    assert {"keys", "memory"} <= set(os.listdir(image.root / "data"))
    assert {(image.root / "data" / name).stat().st_mode & 0o777 for name in ("keys", "memory")} == {0o700}


def test_a_public_name_asks_for_tls(image, tmp_path):
    with image.running(tmp_path, KIMBERLY_API__ALLOWED_HOSTS='["memory.example.com"]') as container:
        assert container.started.wait(timeout=60) != 0
        assert "tls.certificate" in container.log.read_text()


def test_the_image_can_be_loaded_as_oci_layout_and_as_archive_of_docker(image):
    (archive,) = json.loads((image.layout / "manifest.json").read_text())
    digests = [layer["digest"] for layer in image.manifest["layers"]]
    assert [path.replace("blobs/sha256/", "sha256:") for path in archive["Layers"]] == digests
    assert archive["Config"].replace("blobs/sha256/", "sha256:") == image.manifest["config"]["digest"]
    unpacked = [hashlib.sha256(gzip.decompress(image.path(layer).read_bytes())).hexdigest() for layer in image.manifest["layers"]]
    assert [f"sha256:{digest}" for digest in unpacked] == image.layers
    (name,) = archive["RepoTags"]
    assert image.listed["annotations"]["io.containerd.image.name"] == f"docker.io/library/{name}"
    assert json.loads((image.layout / "oci-layout").read_text()) == {"imageLayoutVersion": "1.0.0"}


def test_the_image_holds_what_is_run_and_runs_without_root(image):
    assert image.config["User"] == "10001:10001" and image.config["StopSignal"] == "SIGTERM"
    assert set(image.config["Volumes"]) == {"/data"} and set(image.config["ExposedPorts"]) == {"7420/tcp"}
    assert ((image.root / "data").stat().st_uid, (image.root / "data").stat().st_mode & 0o777) == (10001, 0o700)
    # Scanners find the packages of Debian here, and people their licences.
    packages = set(os.listdir(image.root / "var/lib/dpkg/status.d"))
    assert {"busybox-static", "ca-certificates", "libc6"} <= packages <= set(os.listdir(image.root / "usr/share/doc"))
    assert (image.root / "etc/ssl/certs/ca-certificates.crt").read_text().count("BEGIN CERTIFICATE") > 100
