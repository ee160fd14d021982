"""Rules for requests that JSON Schema cannot express, as hooks of schemathesis.

The check `positive_data_acceptance` expects that valid requests are accepted. Some refusals depend on stored data, or on two
fields at once; only these are permitted, each by the reason or the words of the answer.
"""

import json
from urllib.parse import parse_qs, urlsplit

import jsonschema_rs
import schemathesis
from schemathesis.checks import CHECKS

# Refusals that depend on stored data, or on values that only the server creates.
STATE = {
    "REQUEST_ID_REUSED": "another request was sent under this id before",
    "NAME_TAKEN": "no two active memories have one name",
    "WRONG_STATE": "what is stored stands against it: only an archived or deleted memory can be restored, only a live key "
                   "renewed, only withheld memories released",
    "PLAN_CHANGED": "the vault has changed since the plan was made",
    "LIMIT_REACHED": "there are as many goals as there may be",
    "INVALID_PAGE_TOKEN": "only a list makes page tokens, and only a stream cursors",
    "CURSOR_EXPIRED": "the changes after a cursor are kept for some days",
    "CONSENT_REQUIRED": "a sensitive memory needs a record of consent that holds it",
    "SIGNING_OFF": "the server that is asked here may have no key",
    "EMBEDDINGS_OFF": "the server that is asked here has no model",
}
# Refusals of two fields that exclude each other.
TOGETHER = {
    "has different values in the body and in the query": "what stands in both is the same",
    "is given more than once; it takes one value": "some paths have two names for a field",
    "which is also set; send only one of them": "some paths have two names for a field",
    "so that nothing can match": "the beginning of a range lies before its end",
    "is for a real run": "a plan token goes with a real run and not with a dry one",
    "is not one that a dry run returned": "only a dry run makes plan tokens",
    "it must be 1: normalize it": "the numbers of a vector make its length",
    "comes twice; send each once": "no two items of an upload have one id",
    "is the key of the account": "the one key that cannot be revoked",
    "is in the past; set a future time": "a consent ends after it is granted",
    "must be the same as user_id": "who purges says for whom twice",
    "vectors in all; at most": "the vectors of all items count together",
    "but the detail is of": "a kind goes with its detail",
    "is not after valid_from": "the beginning of a time lies before its end",
    "as JSON; at most 16384 are allowed: shorten its texts": "the texts of a detail count together",
    "at most `used`": "a playbook goes well as often as it is used, or less",
    "`parts` chooses them": "a filter has more conditions than a context takes",
    "this call finds playbooks only": "a filter has more conditions than a search for playbooks takes",
    "and so are description and read_only": "a change changes something",
    "blocks of core memory are": "a block is permanent and protected",
    "is not the name of a block": "a block has a name and a detail of its own",
    "is not a label; 1-": "below `core/` are blocks alone",
    "is empty or only white space": "only what has a name may be empty",
    "is the same as from_id": "a link leads to another memory",
    "is set without `id`": "a direction is that of one memory's links",
    "an imported link needs its creation time": "a link that is made now has no time yet",
    "only active memories are listed": "a filter has states, which a list of what is unprocessed does not take",
    "only active memories are forgotten": "a filter has more states than forgetting by salience takes",
    "are not forgotten by salience": "a filter has more tiers than forgetting by salience takes",
    "is the same as `id`": "two entities are merged or split",
    "is empty; give a name": "only to take a name back none is needed",
    "above 0 and at most 10 is allowed": "a number that is written as text has no bounds in JSON Schema",
    "are allowed for this kind": "what can be done hangs on what waits, which the id says",
    "must be a review id": "a pair is of two different memories",
    "and so is attachment_id; set one of them": "a document is a text or an attachment",
    "cannot be read: it": "messages have the forms of many providers; a call is refused if none of them can be read",
    "contains no text": "a page may hold nothing that is seen, and a text nothing but white space of Unicode",
    "only active memories are verified": "a filter has more states than a list of what is uncertain takes",
}

accepted = CHECKS.get_one("positive_data_acceptance")
refused = CHECKS.get_one("negative_data_rejection")
available = CHECKS.get_one("ensure_resource_availability")
served = CHECKS.get_one("not_a_server_error")


def details(response, kind):
    """Returns the detail of one type in an answer, or None."""
    try:
        found = json.loads(response.content)["details"]
    except (ValueError, KeyError, TypeError):
        return {}
    return next((detail for detail in found if detail["@type"].endswith(kind)), {})


def sent(case, path):
    """Reports whether the body has a field with a value other than its default."""
    value = case.body
    for index, name in enumerate(path.split(".")):
        first, *words = name.split("_")
        inner = value.get(first + "".join(map(str.capitalize, words))) if isinstance(value, dict) else None
        if inner is None and index == 0:
            # The body may be the value of the first part of the path.
            continue
        value = inner
    return value not in (None, 0, "") and not str(value).endswith("_UNSPECIFIED")


@CHECKS.register
def positive_data_acceptance(ctx, response, case):
    """Valid requests are accepted, except for the refusals above."""
    if response.status_code == 400:
        if details(response, "ErrorInfo").get("reason") in STATE:
            return None
        if b"a number here cannot be kept exactly" in response.content:
            # JSON Schema cannot express what free-form data may contain of a number.
            return None
        violations = details(response, "BadRequest").get("fieldViolations", [])
        for records in ("consents", "goals"):
            # Only an export fills all fields of a record.
            if case.path.endswith(f"/{records}:import") and violations:
                if all(violation["field"].startswith(f"{records}[") for violation in violations):
                    return None
        said = case.body.get("content") if isinstance(case.body, dict) else None
        if case.path == "/memory" and not said and [one.get("field") for one in violations] == ["memory"]:
            # If one of its fields is set, they stand for a memory.
            return None
        told = [any(words in violation["description"] for words in TOGETHER) for violation in violations]
        # The mask of an update names a field that is missing in the body.
        patch = case.method.upper() == "PATCH"
        # An error about the whole request names no field.
        lacking = [patch and "field" in violation and not sent(case, violation["field"]) for violation in violations]
        if violations and all(one or other for one, other in zip(told, lacking)):
            return None
    return accepted(ctx, response, case)


@CHECKS.register
def not_a_server_error(ctx, response, case):
    """No answer is a server error. While a user is purged, calls for that user are refused with 503."""
    if response.status_code == 503 and details(response, "ErrorInfo").get("reason") == "PURGE_UNDER_WAY":
        return None
    return served(ctx, response, case)


def made_nothing(parent):
    """Reports whether a call was a dry run, which answers like a real one, but without an id."""
    given = [parent.query.get("dry_run"), parent.query.get("dryRun")]
    if isinstance(parent.body, dict):
        given += [parent.body.get("dryRun"), parent.body.get("dry_run")]
    return any(value is True or value == "true" for value in given)


@CHECKS.register
def ensure_resource_availability(ctx, response, case):
    """Created resources can be read; a dry run creates none."""
    parent = ctx.internals.find_parent(case_id=case.id)
    if parent is not None and made_nothing(parent):
        return None
    return available(ctx, response, case)


def readings(text):
    """Returns the values that text in an address can mean: itself, or the number or boolean it spells."""
    try:
        value = json.loads(text)
    except ValueError:
        return [text]
    return [text, value] if isinstance(value, (bool, int, float)) else [text]


def allowed_in_address(texts, schema):
    """Reports whether the schema allows these values of one parameter in an address."""
    if schema.get("type") == "array":
        within = schema.get("minItems", 0) <= len(texts) <= schema.get("maxItems", len(texts))
        return within and all(allowed_in_address([text], schema.get("items", {})) for text in texts)
    validator = jsonschema_rs.Draft202012Validator(schema, validate_formats=True)
    return len(texts) == 1 and any(validator.is_valid(value) for value in readings(texts[0]))


def query_is_allowed(address, parameters):
    """Reports whether the document allows the query of the address; `parameters` are definitions by name."""
    given = parse_qs(urlsplit(address).query, keep_blank_values=True)
    required = [name for name, one in parameters.items() if one.get("required")]
    known = all(name in parameters for name in given) and all(name in given for name in required)
    return known and all(allowed_in_address(texts, parameters[name]["schema"]) for name, texts in given.items())


@CHECKS.register
def negative_data_rejection(ctx, response, case):
    """Invalid requests are refused, unless the address cannot express the error: it has no types, a list of one looks like a
    single value, and an empty list like none."""
    if response.status_code == 413 and details(response, "ErrorInfo").get("reason") == "REQUEST_TOO_LARGE":
        # Refused for its size before its content was read.
        return None
    wrong = [place.name for place, one in case.meta.components.items() if one.mode.is_negative] if case.meta else []
    if wrong == ["QUERY"] and response.status_code == 200:
        parameters = {one.name: one.definition for one in case.operation.query}
        if query_is_allowed(response.request.url, parameters):
            return None
    return refused(ctx, response, case)


# All fields that a mask can name, by the end of the path that is updated.
MASKS = {
    "memory": "tier,content,metadata,attributes,sessionId,protected,speaker,occurredAt,consent,namespace,consentId,embed",
    "goals": "kind,title,description,tags,importance,status",
}


@schemathesis.hook
def before_call(context, case, kwargs):
    """An update reads only the fields of its mask: if another field is invalid, the mask is dropped."""
    if case.method.upper() != "PATCH" or case.meta is None or case.meta.generation.mode.is_positive:
        return
    mask = MASKS["goals" if "/goals/" in case.path else "memory"]
    if "/settings" in case.path:
        return
    if case.path.startswith("/memory/"):
        if isinstance(case.body, dict) and isinstance(case.body.get("updateMask"), str):
            case.body["updateMask"] = mask
    elif isinstance(case.query.get("update_mask"), str) and case.query["update_mask"].split(",")[0] in mask:
        case.query["update_mask"] = mask


@schemathesis.hook("before_call")
def end_in_time(context, case, kwargs):
    """A watched run ends with the worker's work or the deadline; a watch of memories only with the deadline."""
    case.headers["grpc-timeout"] = "200m" if case.path.endswith("/memories:watch") else "5S"
