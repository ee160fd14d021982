"""The files of deploy/ fit the processes: settings, ports, stop timeouts, metric names, permissions."""

import json
import re
import tomllib

import files
import yaml

KEYS = files.defaults()
PORTS = {name: KEYS[f"{name}.listen"].rsplit(":", 1)[1] for name in files.PROCESSES}


def written_here():
    """Returns the files of deploy/, except the sample, which tests of the configuration read, and files that setup created."""
    for path in files.DEPLOY.rglob("*"):
        made = path.parent.name in ("secrets", "keys") or path.name == ".env"
        if path.is_file() and not made and path.name != "kimberly.sample.toml":
            yield path


def environments():
    """Returns every environment of a process: (where, variables)."""
    for name, service in files.compose()["services"].items():
        yield f"compose: {name}", service.get("environment", {})
    for name, one in files.manifests():
        if one["kind"] == "ConfigMap":
            yield name, one["data"]
    for name, pod in files.pods().items():
        for container in pod["spec"]["containers"]:
            yield f"{name}: {container['name']}", {v["name"]: v.get("value", "") for v in container.get("env", [])}
    for name in files.PROCESSES:
        yield f"kimberly-{name}.service", files.environment_of(files.unit(f"kimberly-{name}.service"))


def test_every_variable_is_a_key_of_the_configuration():
    wrong = [
        f"{where}: {variable}"
        for where, variables in environments()
        for variable in variables
        if variable.startswith("KIMBERLY_") and variable not in files.OTHER_VARIABLES and files.key_of(variable) not in KEYS
    ]
    assert not wrong, "\n".join(wrong)


def test_what_texts_name_as_a_variable_is_one():
    known = files.OTHER_VARIABLES | {"KIMBERLY_IMAGE", "KIMBERLY_PUBLISH", "KIMBERLY_UID", "KIMBERLY_GID"}
    wrong = [
        f"{path.name}: {variable}"
        for path in written_here()
        for variable in re.findall(r"\bKIMBERLY_[A-Z][A-Z0-9_]*[A-Z0-9]\b", path.read_text())
        if variable not in known and files.key_of(variable) not in KEYS
    ]
    assert not wrong, "\n".join(wrong)


def test_the_configuration_for_systemd_has_known_keys():
    written = tomllib.loads((files.SYSTEMD / "kimberly.toml").read_text())
    named = [f"{section}.{key}" for section, keys in written.items() for key in keys]
    assert len(named) >= 6 and not set(named) - set(KEYS)


def test_the_health_of_each_process_is_asked_for_in_its_container():
    asked = {}
    for name in files.PROCESSES:
        _, *command = files.compose()["services"][name]["healthcheck"]["test"]
        asked[f"compose: {name}"] = (name, command)
    for deployment, pod in files.pods().items():
        for container in pod["spec"]["containers"]:
            for probe in ("startupProbe", "readinessProbe", "livenessProbe"):
                # An unavailable embedder is no reason to stop routing calls to its api.
                if probe in container or (deployment, container["name"], probe) != ("kimberly-api", "embedder", "readinessProbe"):
                    asked[f"{deployment}: {container['name']} {probe}"] = (container["name"], container[probe]["exec"]["command"])
    wrong = {where: command for where, (name, command) in asked.items() if command != ["kimberly", "health", name]}
    assert len(asked) == 14 and not wrong


def test_containers_run_the_process_of_their_name():
    # Compose adds the image's entry point, `kimberly`; Kubernetes replaces it.
    assert {name: files.compose()["services"][name]["command"] for name in files.PROCESSES} == {name: [name] for name in files.PROCESSES}
    containers = [container for pod in files.pods().values() for container in pod["spec"]["containers"]]
    assert len(containers) == 4 and all(one["command"] == ["kimberly", one["name"]] for one in containers)


def test_callers_are_sent_to_the_port_of_the_api():
    assert files.compose()["services"]["machine"]["ports"] == [f"${{KIMBERLY_PUBLISH:-127.0.0.1:{PORTS['api']}}}:{PORTS['api']}"]
    objects = [one for _, one in files.manifests()]
    (config,) = [one["data"] for one in objects if one["kind"] == "ConfigMap"]
    listens = {e["KIMBERLY_API__LISTEN"] for _, e in environments() if "KIMBERLY_API__LISTEN" in e}
    assert listens == {f"0.0.0.0:{PORTS['api']}"}
    assert config["KIMBERLY_API__LISTEN"] in listens
    services = [one["spec"] for one in objects if one["kind"] == "Service"]
    assert {port["port"] for service in services for port in service["ports"]} == {int(PORTS["api"])}
    (api,) = [c for c in files.pods()["kimberly-api"]["spec"]["containers"] if c["name"] == "api"]
    assert api["ports"] == [{"name": "grpc", "containerPort": int(PORTS["api"])}]
    headless = [service for service in services if service.get("clusterIP") == "None"]
    assert len(headless) == 1, "clients that balance calls need the address of every pod"


def test_processes_that_serve_other_machines_require_keys_and_tls():
    for where, variables in environments():
        if "KIMBERLY_API__LISTEN" in variables:
            assert variables["KIMBERLY_AUTH__MODE"] == "required", where
            assert variables["KIMBERLY_TLS__CERTIFICATE"] and variables["KIMBERLY_TLS__KEY"], where
    written = tomllib.loads((files.SYSTEMD / "kimberly.toml").read_text())
    assert written["auth"]["mode"] == "required" and set(written["tls"]) == {"certificate", "key"}


def test_no_process_is_killed_before_its_shutdown_limits():
    bound = sum(files.seconds(KEYS[f"limits.{key}"]) for key in ("shutdown_soft", "shutdown_hard")) + 2
    services = files.compose()["services"]
    given = {f"compose: {name}": services[name]["stop_grace_period"] for name in files.PROCESSES}
    given |= {name: pod["spec"]["terminationGracePeriodSeconds"] for name, pod in files.pods().items()}
    given |= {name: files.unit(f"kimberly-{name}.service")["TimeoutStopSec"][0] for name in files.PROCESSES}
    # Before it is stopped, a pod waits until no more calls are routed to it.
    waits = {name: 0 for name in given}
    for name, pod in files.pods().items():
        for container in pod["spec"]["containers"]:
            waits[name] += int(container.get("lifecycle", {}).get("preStop", {}).get("exec", {}).get("command", [0])[-1])
    assert len(given) == 9 and waits["kimberly-api"] == 5
    assert not {name: span for name, span in given.items() if files.seconds(span) - waits[name] < bound}


def test_no_api_knows_the_owner_of_the_tables():
    services = files.compose()["services"]
    owners = {"worker", "embedder"}
    assert {name for name, one in services.items() if "pgpass-owner" in one.get("secrets", [])} == owners
    named = {where for where, variables in environments() if "KIMBERLY_POSTGRES__OWNER_URL" in variables}
    compose, kubernetes = {f"compose: {name}" for name in owners}, {f"kimberly-{name}: {name}" for name in owners}
    # The embedder in an api pod connects with the role of the api.
    assert named == compose | kubernetes
    units = {name for name in files.PROCESSES if "EnvironmentFile" in files.unit(f"kimberly-{name}.service")}
    assert units == owners
    # If the embedder of a pod had it, the api could reach it too.
    assert "owner_url" not in str(files.pods()["kimberly-api"])


def test_the_embedder_is_not_given_what_opens_sensitive_memories_by_systemd():
    assert "sensitive" not in " ".join(files.unit("kimberly-embedder.service")["LoadCredential"])
    assert "sensitive" in " ".join(files.unit("kimberly-api.service")["LoadCredential"])


def test_a_postgres_elsewhere_is_named_with_how_it_is_reached():
    texts = {path: path.read_text() for path in written_here()}
    # `[postgres]` refuses an address that does not say it.
    named = [(path.name, url) for path, text in texts.items() for url in re.findall(r"postgres://kimberly[^\s\"'`]*", text)]
    assert len(named) >= 6
    assert not [(path, url) for path, url in named if "127.0.0.1" not in url and "sslmode=" not in url]


def test_nothing_secret_is_written_down():
    for path in written_here():
        assert not re.search(r"kmb_[0-9a-f]{16}_|BEGIN [A-Z ]*PRIVATE KEY|postgres://\w+:(?!PASSWORD@)[^@$\s]+@", path.read_text()), path


def test_containers_can_do_little():
    for name, service in files.compose()["services"].items():
        assert service["cap_drop"] == ["ALL"] and "no-new-privileges:true" in service["security_opt"], name
        assert service.get("read_only") or name in ("db", "grafana"), name
        assert {"mem_limit", "pids_limit", "cpus"} <= set(service) and "privileged" not in service, name
        assert name == "data" or service["restart"] == "unless-stopped", name
    for name, pod in files.all_pods().items():
        spec = pod["spec"]
        assert spec["securityContext"]["runAsNonRoot"] and spec["securityContext"]["seccompProfile"]["type"] == "RuntimeDefault"
        assert spec["automountServiceAccountToken"] is False
        for container in spec["containers"] + spec.get("initContainers", []):
            rights = container["securityContext"]
            assert not rights["allowPrivilegeEscalation"] and rights["readOnlyRootFilesystem"], (name, container["name"])
            assert rights["capabilities"] == {"drop": ["ALL"]} and set(container["resources"]["limits"]) == {"cpu", "memory"}
    cluster = next(yaml.safe_load_all((files.KUBERNETES / "postgres.yaml").read_text()))
    assert set(cluster["spec"]["resources"]["limits"]) == {"cpu", "memory"}


def test_a_unit_that_takes_too_much_is_slowed_down_and_then_ended():
    def megabytes(text):
        return int(text[:-1]) * {"M": 1, "G": 1024}[text[-1]]

    for name in files.PROCESSES:
        unit = files.unit(f"kimberly-{name}.service")
        (high,), (most,), (tasks,) = unit["MemoryHigh"], unit["MemoryMax"], unit["TasksMax"]
        # Up to 512 threads wait for files, in addition to the working ones.
        assert megabytes(high) < megabytes(most) <= 1024 and 600 < int(tasks) <= 4096, name


def test_every_service_has_a_health_check():
    # One does nothing, one exits, and one is monitored by Prometheus (`up{job="postgres"}`).
    silent = {"machine", "data", "postgres-exporter"}
    services = files.compose()["services"]
    assert {name for name, service in services.items() if "healthcheck" not in service} == silent
    assert services["grafana"]["depends_on"]["prometheus"]["condition"] == "service_healthy"
    assert services["prometheus"]["healthcheck"]["test"][-1].endswith("://127.0.0.1:9090")
    assert "--web.listen-address=:9090" in services["prometheus"]["command"]
    assert "://127.0.0.1:3000/" in services["grafana"]["healthcheck"]["test"][-1] and services["grafana"]["ports"] == ["127.0.0.1:3000:3000"]


def test_images_of_others_can_be_named_by_digest():
    for name, service in files.compose()["services"].items():
        assert re.fullmatch(r"\$\{[A-Z]+_IMAGE:-[\w./-]+:[\w.-]+\}", service["image"]), name
    # The programs of the server's own version make the dump.
    services = files.compose()["services"]
    assert services["backup"]["image"] == services["db"]["image"]
    (container,) = files.all_pods()["kimberly-backup"]["spec"]["containers"]
    assert container["image"] == next(yaml.safe_load_all((files.KUBERNETES / "postgres.yaml").read_text()))["spec"]["imageName"]


def test_a_backup_is_made_every_day_and_is_missed_when_it_is_not():
    service = files.compose()["services"]["backup"]
    assert service["restart"] == "unless-stopped" and service["environment"]["BACKUP_EVERY"] == "${BACKUP_EVERY:-86400}"
    assert service["healthcheck"]["test"] == ["CMD", "backup", "healthy"] and "./backups:/backups" in service["volumes"]
    assert "data:/var/lib/kimberly-data:ro" in service["volumes"], "attachments lie there"
    (job,) = [one for one in files.backup() if one["kind"] == "CronJob"]
    assert re.fullmatch(r"\d+ \d+ \* \* \*", job["spec"]["schedule"]) and job["spec"]["concurrencyPolicy"] == "Forbid"
    (claim,) = [one["metadata"]["name"] for one in files.backup() if one["kind"] == "PersistentVolumeClaim"]
    volumes = job["spec"]["jobTemplate"]["spec"]["template"]["spec"]["volumes"]
    assert claim in [volume.get("persistentVolumeClaim", {}).get("claimName") for volume in volumes]
    # The role of the dump bypasses row-level security, and writes nothing.
    roles = next(yaml.safe_load_all((files.KUBERNETES / "postgres.yaml").read_text()))["spec"]["managed"]["roles"]
    (role,) = [role for role in roles if role["name"] == "kimberly_backup"]
    assert role["bypassrls"] and not role["superuser"] and role["inRoles"] == ["pg_read_all_data"]
    assert f"{role['passwordSecret']['name']} " in (files.KUBERNETES / "README.md").read_text()


def test_no_password_is_an_argument():
    for path in written_here():
        if path.suffix != ".json":
            passed = re.search(r"(-v|--set|--variable)[ =]?\w*password=|PGPASSWORD=\S+ +\w|--password=", path.read_text())
            assert not passed, f"{path}: {passed}"


def test_alerts_about_postgres_are_read_and_ask_for_what_its_exporter_tells():
    rules = yaml.safe_load((files.COMPOSE / "observe/postgres.yml").read_text())["groups"]
    exprs = {rule["alert"]: rule["expr"] for group in rules for rule in group["rules"]}
    assert "pg_up == 0" in exprs["PostgresAway"]
    # Names of version 0.17 of postgres_exporter.
    told = {"pg_up", "pg_stat_database_numbackends", "pg_stat_database_deadlocks", "pg_settings_max_connections"}
    assert {name for expr in exprs.values() for name in re.findall(r"\bpg_\w+", expr)} == told
    prometheus = yaml.safe_load((files.COMPOSE / "observe/prometheus.yml").read_text())
    (job,) = [one for one in prometheus["scrape_configs"] if one["job_name"] == "postgres"]
    services = files.compose()["services"]
    (target,) = job["static_configs"][0]["targets"]
    name, port = target.split(":")
    assert f"--web.listen-address=:{port}" in services[name]["command"]
    # Prometheus shares the network of `machine`.
    assert set(services[name]["networks"]) <= set(services["machine"]["networks"])
    for file in prometheus["rule_files"]:
        assert f"./observe/{file}:/etc/prometheus/{file}:ro" in services["prometheus"]["volumes"], file


def test_metrics_are_scraped_where_they_are_served():
    first = int(files.compose()["services"]["api"]["environment"]["KIMBERLY_TELEMETRY__PROMETHEUS_LISTEN"].rsplit(":", 1)[1])
    scraped = yaml.safe_load((files.COMPOSE / "observe/prometheus.yml").read_text())["scrape_configs"][0]["static_configs"]
    expected = [{"targets": [f"127.0.0.1:{first + n}"], "labels": {"process": name}} for n, name in enumerate(files.PROCESSES)]
    assert scraped == expected


def test_dashboard_and_alerts_ask_for_metrics_that_there_are():
    dashboard = json.loads((files.COMPOSE / "observe/dashboard.json").read_text())
    asked = [target["expr"] for panel in dashboard["panels"] for target in panel.get("targets", [])]
    alerts = yaml.safe_load((files.COMPOSE / "observe/alerts.yml").read_text())["groups"]
    asked += [rule["expr"] for group in alerts for rule in group["rules"]]
    there = files.metrics()
    names = {name for expr in asked for name in re.findall(r"\b[a-z]+(?:_[a-z]+)+\b", re.sub(r'"[^"]*"|by \(\w+\)', "", expr))}
    names -= {"histogram_quantile", "rate_interval", "__rate_interval"}
    ending = r"(_seconds|_bytes)?(_total|_bucket|_count|_sum)?"
    wrong = {name for name in names if not any(re.fullmatch(re.escape(one) + ending, name) for one in there)}
    assert len(names) > 30 and not wrong
    uids = {panel["datasource"]["uid"] for panel in dashboard["panels"] if "datasource" in panel}
    assert uids == {yaml.safe_load((files.COMPOSE / "observe/datasource.yml").read_text())["datasources"][0]["uid"]}
