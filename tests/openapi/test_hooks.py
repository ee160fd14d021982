"""Tests of what the hooks permit and what they do not."""

import types

import schemathesis.specs.openapi.checks  # noqa: F401, I001  (registers what the hooks wrap)

import hooks
import pytest


class Unavailable(Exception):
    """Stands for the failure that schemathesis raises."""


def checked(monkeypatch, query=None, body=None):
    """Runs the check on a 404 after a call with this query and body, where schemathesis reports a failure."""

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


TAGS = {"schema": {"type": "array", "maxItems": 2, "items": {"type": "string", "maxLength": 3}}}
SIZE = {"schema": {"type": "integer", "maximum": 100}}
SINCE = {"schema": {"type": "string", "format": "date-time"}}
TIER = {"schema": {"enum": ["SHORT", "LONG"]}}
PARAMETERS = {"tags": TAGS, "size": SIZE, "since": SINCE, "tier": TIER}


@pytest.mark.parametrize("query", [
    "", "tags=a", "tags=a&tags=7", "size=100", "since=2026-01-02T03:04:05Z", "tier=LONG&size=1",
])
def test_a_query_that_reads_as_allowed_need_not_be_refused(query):
    assert hooks.query_is_allowed(f"http://h/x?{query}", PARAMETERS)


@pytest.mark.parametrize("query", [
    "tags=abcd", "tags=a&tags=b&tags=c", "size=101", "size=x", "size=1&size=2", "size=", "since=soon", "tier=NEITHER",
    "other=1",
])
def test_a_query_that_does_not_must_be(query):
    assert not hooks.query_is_allowed(f"http://h/x?{query}", PARAMETERS)


def test_a_required_parameter_must_be_there():
    required = {"size": {**SIZE, "required": True}}
    assert hooks.query_is_allowed("http://h/x?size=1", required)
    assert not hooks.query_is_allowed("http://h/x", required)
