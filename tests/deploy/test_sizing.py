"""The arithmetic of docs/sizing.md: its tables follow from its figures."""

import re
import tomllib

import files

TEXT = (files.ROOT / "docs/sizing.md").read_text()


def number(pattern):
    """Returns the only number that a pattern finds."""
    (found,) = re.findall(pattern, TEXT)
    return float(found.replace(",", ""))


def close(written, computed):
    """Reports whether a figure equals the computed one, rounded to about two digits."""
    return abs(written - computed) <= max(0.06 * computed, 0.0006)


def test_the_parts_of_a_user_make_the_whole():
    columns = [[], []]
    for row in re.findall(r"^\| .*? \| (?:(0\.\d+) MB|in it) \| (0\.\d+|2\.\d+) MB \|", TEXT, re.M):
        for column, part in zip(columns, row):
            column.append(float(part or 0))
    assert [len(column) for column in columns] == [5, 5]
    (whole,) = re.findall(r"\*\*together\*\* \| \*\*([\d.]+) MB\*\* \| \*\*([\d.]+) MB\*\*", TEXT)
    assert all(close(float(all_of_it), sum(parts)) for all_of_it, parts in zip(whole, columns))
    (row,) = re.findall(r"in bytes: row ([\d,]+).*?319, of time (\d+), primary key (\d+), place in a session (\d+),\s+id (\d+), words (\d+), speaker (\d+)", TEXT, re.S)
    assert close(number(r"1,000 memories with all indexes \| 0\.82 MB \| ([\d.]+) MB"), (319 + sum(int(n.replace(",", "")) for n in row)) / 1000)


def test_the_table_of_connections_is_what_the_processes_hold_and_one_of_each_fits():
    whole = []
    for process in files.PROCESSES:
        ((*written,),) = re.findall(rf"^\| {process} \| .*\| (\d+), (\d+) \| (\d+), (\d+) \|$", TEXT, re.M)
        held = [files.connections(process, vaults, model) for vaults in (8, 16) for model in (False, True)]
        assert [int(cell) for cell in written] == held, process
        whole.append(held)
    together = [sum(column) for column in zip(*whole)]
    assert "| one of each | | | {}, {} | {}, {} |".format(*together) in TEXT
    a, e, w = (files.connections(process, 8) for process in ("api", "embedder", "worker"))
    assert f"7 x {a} + 7 x {e} + 4 x {w} = {7 * a + 7 * e + 4 * w} to the coordinator" in TEXT
    # Compose and systemd run one of each.
    services = files.compose()["services"]
    systemd = tomllib.loads((files.SYSTEMD / "kimberly.toml").read_text())["postgres"]["max_connections"]
    for vaults in (int(services["api"]["environment"]["KIMBERLY_POSTGRES__MAX_CONNECTIONS"]), systemd):
        # The default of Postgres, with some reserved for superusers.
        assert sum(files.connections(process, vaults) for process in files.PROCESSES) <= 100 - 3
    assert "max_connections=100 " in services["db"]["command"]


def test_the_table_by_number_of_users_follows_from_the_figures_of_one():
    recalls, writes = number(r"\| recalls a day \| (\d+)"), number(r"\| writes a day \| (\d+)")
    busiest, active = number(r"busiest hour \| (\d+) %") / 100, number(r"active in that hour \| (\d+) %") / 100
    megabytes = number(r"storage = n x ([\d.]+) MB")
    recall, vectors = number(r"with vectors \| ([\d.]+) ms, and"), number(r"7\.6 ms, and ([\d.]+) ms")
    write, log = number(r"with a request id \| ([\d.]+) ms"), number(r"log a day = n x 10 x (\d+) KB")
    rows = re.findall(r"^\| ([\d,]+) \| ([\d.,]+) GB \| " + r"([\d.,]+) \| " * 4 + r"([\d.,]+) GB \| ([\d.,]+) GB \|$", TEXT, re.M)
    assert [row[0] for row in rows] == ["1,000", "10,000", "100,000", "1,000,000", "10,000,000"]
    for row in rows:
        users, storage, recalled, written, api, embedder, memory, logged = (float(cell.replace(",", "")) for cell in row)
        a_second = {"recalls": users * recalls * busiest / 3600, "writes": users * writes * busiest / 3600}
        computed = [
            users * megabytes / 1000,
            a_second["recalls"],
            a_second["writes"],
            (a_second["recalls"] * recall + a_second["writes"] * write) / 1000,
            a_second["recalls"] * vectors / 1000,
            users * active * megabytes / 1000,
            users * writes * log / 1e6,
        ]
        for figure, right in zip((storage, recalled, written, api, embedder, memory, logged), computed):
            assert close(figure, right), (row[0], figure, right)
