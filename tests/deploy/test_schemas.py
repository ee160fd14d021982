"""Compose, Kubernetes and systemd accept the files in deploy/, checked with the schemas of the first two and with systemd itself. So do
linters of images and scripts."""

import pathlib
import re
import shutil
import subprocess
import sys

import files
import kubernetes_validate
import pytest
import yaml

BIN = pathlib.Path(sys.executable).parent
# The oldest version with all features that are used.
KUBERNETES = "1.30"
# On a scale from 0 to 10, where 10 is a service without sandboxing.
MOST_EXPOSED = 1.5


def test_the_compose_file_fits_the_specification():
    command = [BIN / "check-jsonschema", "--builtin-schema", "vendor.compose-spec", files.COMPOSE / "compose.yaml"]
    checked = subprocess.run(command, capture_output=True, text=True)
    assert checked.returncode == 0, checked.stdout + checked.stderr


def test_nothing_is_said_against_the_image_and_the_scripts():
    scripts = [files.DEPLOY / name for name in ("up", "compose/setup", "compose/pin", "compose/backup", "compose/postgres-init.sh")]
    for command in ([BIN / "hadolint", files.DEPLOY / "docker/Dockerfile"], [BIN / "shellcheck", "--external-sources", *scripts]):
        checked = subprocess.run(command, capture_output=True, text=True, cwd=files.ROOT)
        assert checked.returncode == 0, checked.stdout + checked.stderr


def test_the_compose_file_names_only_what_it_has():
    compose = files.compose()
    services = compose["services"]
    for name, service in services.items():
        assert set(service.get("depends_on", {})) <= set(services), name
        assert set(service.get("networks", [])) <= set(compose["networks"]), name
        assert set(service.get("secrets", [])) <= set(compose["secrets"]), name
        for kind in ("network_mode", "pid"):
            assert service.get(kind, "none").removeprefix("service:") in {"none", "host", *services}, name
        for volume in service.get("volumes", []):
            source = volume.split(":")[0]
            if source.startswith("."):
                assert source in ("./keys", "./backups") or (files.COMPOSE / source).exists(), f"{name}: {source}"
            else:
                assert source in compose["volumes"], f"{name}: {source}"
    made = (files.COMPOSE / "setup").read_text()
    assert not [name for name in compose["secrets"] if name not in made], "setup does not make a secret"


MANIFESTS = [*files.manifests(), *(("backup.yaml", one) for one in files.backup())]


@pytest.mark.parametrize("name, one", [(f"{name} {one['kind']} {one['metadata']['name']}", one) for name, one in MANIFESTS])
def test_manifests_fit_the_api(name, one):
    kubernetes_validate.validate(one, KUBERNETES, strict=True)
    assert one["kind"] == "Namespace" or one["metadata"]["namespace"] == "kimberly", name


def test_the_postgres_of_the_operator_takes_all_pods_and_acknowledges_only_what_two_have():
    cluster, policy = yaml.safe_load_all((files.KUBERNETES / "postgres.yaml").read_text())
    kubernetes_validate.validate(policy, KUBERNETES, strict=True)
    assert policy["spec"]["podSelector"]["matchLabels"] == {"cnpg.io/cluster": cluster["metadata"]["name"]}
    # The operator calls the service of the writable instance like this.
    assert f"@{cluster['metadata']['name']}-rw:5432/" in (files.KUBERNETES / "README.md").read_text()
    synchronous = cluster["spec"]["postgresql"]["synchronous"]
    assert synchronous["number"] >= 1 and synchronous["dataDurability"] == "required"
    (config,) = [one["data"] for _, one in files.manifests() if one["kind"] == "ConfigMap"]
    vaults, embedding = (int(config[f"KIMBERLY_{key}"]) for key in ("POSTGRES__MAX_CONNECTIONS", "EMBEDDING__CONCURRENCY"))
    # One more of each during a rolling update.
    wanted = sum(
        (one["spec"]["maxReplicas"] + 1) * files.connections(container["name"], vaults, embedding=embedding)
        for _, one in files.manifests()
        if one["kind"] == "HorizontalPodAutoscaler"
        for container in files.pods()[one["spec"]["scaleTargetRef"]["name"]]["spec"]["containers"]
    )
    taken = int(cluster["spec"]["postgresql"]["parameters"]["max_connections"])
    # The operator and administrators need some too.
    assert wanted + 20 <= taken, f"the pods may hold {wanted} connections, and Postgres takes {taken}"
    for path in (files.KUBERNETES / "config.yaml", files.KUBERNETES / "README.md"):
        assert f"{wanted} " in path.read_text(), f"{path.name} does not say that it may be {wanted} connections"


def test_manifests_name_only_what_they_have():
    objects = [one for _, one in files.manifests()]
    pods = files.pods()
    labels = [pod["metadata"]["labels"] for pod in pods.values()]

    def chosen(selector):
        return [found for found in labels if selector.items() <= found.items()]

    for one in objects:
        name, spec = one["metadata"]["name"], one.get("spec", {})
        if one["kind"] == "Service":
            assert len(chosen(spec["selector"])) == 1, name
        elif one["kind"] == "PodDisruptionBudget":
            assert len(chosen(spec["selector"]["matchLabels"])) == 1, name
        elif one["kind"] == "HorizontalPodAutoscaler":
            containers = {container["name"] for container in pods[spec["scaleTargetRef"]["name"]]["spec"]["containers"]}
            assert {metric["containerResource"]["container"] for metric in spec["metrics"]} <= containers, name
        elif one["kind"] == "Deployment":
            assert chosen(spec["selector"]["matchLabels"]) == [spec["template"]["metadata"]["labels"]], name
            spread = spec["template"]["spec"]["topologySpreadConstraints"][0]["labelSelector"]["matchLabels"]
            assert spread == spec["selector"]["matchLabels"], name
    # The guide describes how to create every secret.
    guide = (files.KUBERNETES / "README.md").read_text()
    for name, pod in files.all_pods().items():
        volumes = {volume["name"]: volume for volume in pod["spec"]["volumes"]}
        assert all(v["secret"]["secretName"] in guide for v in volumes.values() if "secret" in v), name
        for container in pod["spec"]["containers"] + pod["spec"].get("initContainers", []):
            assert {mount["name"] for mount in container["volumeMounts"]} <= set(volumes), name
            for variable in (one for one in container.get("env", []) if "valueFrom" in one):
                secret = variable["valueFrom"]["secretKeyRef"]
                assert secret["name"] in guide and secret["key"] in guide, secret


@pytest.fixture(scope="module")
def systemd(tmp_path_factory):
    """A file system with the units as installed, and systemd's own targets."""
    assert shutil.which("systemd-analyze"), "systemd-analyze is missing: install systemd"
    root = tmp_path_factory.mktemp("root")
    units, programs, own = root / "etc/systemd/system", root / "usr/local/bin", root / "usr/lib/systemd/system"
    for folder in (units, programs, own):
        folder.mkdir(parents=True)
    for pattern in ("*.target", "*.slice"):
        for path in pathlib.Path("/usr/lib/systemd/system").glob(pattern):
            if path.exists():
                shutil.copyfile(path, own / path.name)
    for path in files.SYSTEMD.glob("kimberly*.[st]*"):
        if path.suffix in (".service", ".target"):
            shutil.copyfile(path, units / path.name)
    program = programs / "kimberly"
    program.write_text("#!/bin/sh\n")
    program.chmod(0o755)
    return root


def test_systemd_finds_nothing_wrong_with_the_units(systemd):
    names = ["kimberly.target", *(f"kimberly-{name}.service" for name in files.PROCESSES)]
    checked = subprocess.run(["systemd-analyze", "verify", f"--root={systemd}", *names], capture_output=True, text=True)
    assert checked.returncode == 0 and not checked.stderr.strip(), checked.stderr


@pytest.mark.parametrize("name", files.PROCESSES)
def test_services_are_shut_in(systemd, name):
    command = ["systemd-analyze", "security", "--offline=true", "--no-pager", files.SYSTEMD / f"kimberly-{name}.service"]
    said = subprocess.run(command, capture_output=True, text=True).stdout
    exposure = float(re.search(r"exposure level for \S+: ([\d.]+)", said).group(1))
    assert exposure <= MOST_EXPOSED, said
