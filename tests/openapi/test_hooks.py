"""What the hooks pass over, and that they pass over nothing else."""

import types

import schemathesis.specs.openapi.checks  # noqa: F401, I001  (registers what the hooks wrap)

import hooks
import pytest


class Unavailable(Exception):
    """Stands for the failure that schemathesis raises."""


def checked(monkeypatch, query=None, body=None):
    """The check on a 404 that follows a call with this query and body, where schemathesis finds fault."""

    def fails(ctx, response, case):
        raise Unavailable

    monkeypatch.setattr(hooks, "available", fails)
    parent = types.SimpleNamespace(query=query or {}, body=body)
    ctx = types.SimpleNamespace(internals=types.SimpleNamespace(find_parent=lambda case_id: parent))
    return hooks.ensure_resource_availability(ctx, None, types.SimpleNamespace(id="x"))


@pytest.mark.parametrize("call", [
    {"query": {"dry_run": "true"}}, {"query": {"dry_run": True}}, {"body": {"dryRun": True}}, {"body": {"dry_run": True}},
])
def test_what_follows_a_dry_run_need_not_exist(monkeypatch, call):
    assert checked(monkeypatch, **call) is None


@pytest.mark.parametrize("call", [
    {}, {"query": {"dry_run": "false"}}, {"query": {"dry_run": 1}, "body": {"dryRun": False}}, {"body": ["dryRun"]},
])
def test_what_follows_any_other_call_must_exist(monkeypatch, call):
    with pytest.raises(Unavailable):
        checked(monkeypatch, **call)
