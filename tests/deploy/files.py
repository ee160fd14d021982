"""What the checks read: the files of deploy/, the settings of the configuration, and the metrics."""

import functools
import pathlib
import re

import yaml

ROOT = pathlib.Path(__file__).resolve().parents[2]
DEPLOY = ROOT / "deploy"
COMPOSE = DEPLOY / "compose"
KUBERNETES = DEPLOY / "kubernetes"
SYSTEMD = DEPLOY / "systemd"
PROCESSES = ("api", "worker", "embedder")
# Variables that are not read by the configuration (shared/runtime/src/config/env.rs).
NOT_KEYS = re.search(r"NOT_KEYS: \[&str; \d+\] =\s*\[(.*?)\]", (ROOT / "shared/runtime/src/config/env.rs").read_text(), re.S).group(1)
OTHER_VARIABLES = {f"KIMBERLY_{name}" for name in re.findall(r'"(\w+)"', NOT_KEYS)}


@functools.cache
def compose():
    """Returns the compose file with anchors and merges resolved."""
    return yaml.safe_load((COMPOSE / "compose.yaml").read_text())


@functools.cache
def manifests():
    """Returns all Kubernetes objects of the kustomization: (file, object)."""
    listed = yaml.safe_load((KUBERNETES / "kustomization.yaml").read_text())["resources"]
    return [(name, one) for name in listed for one in yaml.safe_load_all((KUBERNETES / name).read_text())]


def pods():
    """Returns pod templates by the name of their Deployment."""
    return {one["metadata"]["name"]: one["spec"]["template"] for _, one in manifests() if one["kind"] == "Deployment"}


@functools.cache
def backup():
    """Returns the Kubernetes objects of the backup, which is not part of the kustomization."""
    return list(yaml.safe_load_all((KUBERNETES / "backup.yaml").read_text()))


def all_pods():
    """Returns the pods of Deployments and of the backup's job."""
    (job,) = [one for one in backup() if one["kind"] == "CronJob"]
    return pods() | {job["metadata"]["name"]: job["spec"]["jobTemplate"]["spec"]["template"]}


def unit(name):
    """Returns the settings of a systemd unit: all values of each key."""
    found = {}
    for line in (SYSTEMD / name).read_text().splitlines():
        if "=" in line and not line.startswith("#"):
            key, value = line.split("=", 1)
            found.setdefault(key, []).append(value)
    return found


def environment_of(settings):
    """Returns the environment variables of a unit."""
    return dict(value.split("=", 1) for value in settings["Environment"])


def defaults():
    """Returns every key of the configuration, such as api.listen, with its default from the sample."""
    keys, section = {}, ""
    for line in (DEPLOY / "kimberly.sample.toml").read_text().splitlines():
        if header := re.fullmatch(r"\[([\w.]+)\]", line):
            section = header.group(1) + "."
        elif setting := re.match(r"#(\w+) = (.+)", line):
            keys[section + setting.group(1)] = setting.group(2).split(" #")[0].strip().strip('"')
    assert len(keys) > 80, f"only {len(keys)} keys found in the sample"
    return keys


def key_of(variable):
    """Returns the key that a variable sets: KIMBERLY_API__LISTEN sets api.listen."""
    return variable.removeprefix("KIMBERLY_").lower().replace("__", ".")


def seconds(text):
    """Parses a time span as configuration, compose and systemd write it."""
    number, unit_of = re.fullmatch(r"(\d+)\s*(ms|s|m|h|d)?", str(text)).groups()
    return int(number) * {None: 1, "ms": 0.001, "s": 1, "m": 60, "h": 3600, "d": 86400}[unit_of]


def number_in(path, pattern):
    """Returns the only number in a source that matches a pattern."""
    (found,) = re.findall(pattern, (ROOT / path).read_text())
    return int(found)


def connections(process, vaults, model=True, embedding=None):
    """Returns the most connections of a process to Postgres: `vaults` is postgres.max_connections, `embedding`
    embedding.concurrency."""
    keys = number_in("shared/store/src/postgres/keys/mod.rs", r"const CONNECTIONS: u32 = (\d+);")
    if process == "embedder" and not model:
        return keys
    fewest, most = (number_in("shared/queue/src/postgres/options.rs", rf"const {name}: u32 = (\d+);") for name in ("FEWEST", "MOST"))
    queue = min(max(vaults // 2, fewest), most)
    vectors = number_in("shared/store/src/postgres/vectors/mod.rs", r"max_connections: (\d+), graph_from") if model else 0
    more = {
        # A second queue, of embedders.
        "api": queue if model else 0,
        # A purge holds a lock on one connection: one for each running job, and one for a purge that is resumed.
        "worker": int(defaults()["worker.concurrency"]) + 1,
        # One for each user whose vectors are computed, and one for a graph.
        "embedder": int(embedding or defaults()["embedding.concurrency"]) + 1,
    }
    return vaults + keys + queue + vectors + more[process]


def metrics():
    """Returns the names of all metrics as in Prometheus, without unit suffixes."""
    folders = ("api/src", "worker/src", "embedder/src", "shared/runtime/src")
    sources = (path.read_text() for folder in folders for path in (ROOT / folder).rglob("*.rs"))
    names = {name for text in sources for name in re.findall(r'"([a-z]\w*(?:\.\w+)+|[a-z]+(?:_[a-z]+){2,})"', text)}
    return {name.replace(".", "_") for name in names}
