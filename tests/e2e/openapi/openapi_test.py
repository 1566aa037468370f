"""docs/openapi.yaml is valid OpenAPI 3.1, says enough for a typed client, and is what a gateway answers."""

import json
import pathlib
import re
import sys
import time
import unittest
import urllib.error
import urllib.request

import jsonschema
import yaml
from openapi_spec_validator import validate

PROGRAM = sys.argv.pop(1)
ROOT = pathlib.Path(__file__).resolve().parents[3]
sys.path.insert(0, str(ROOT / "tests/e2e/telemetry"))
from dev_stack import Dev  # noqa: E402
from from_mcp import FromMcp  # noqa: E402

DOCUMENT = yaml.safe_load((ROOT / "docs/openapi.yaml").read_text())
HEADERS_OF_HTTP = {"content-type", "content-length", "transfer-encoding", "connection"}
VERBS = ("get", "post", "put", "delete", "patch")


def operations():
    for path, item in DOCUMENT["paths"].items():
        for verb in VERBS:
            if verb in item:
                yield path, verb, item[verb]


def resolved(node):
    while "$ref" in node:
        at = DOCUMENT
        for part in node["$ref"].removeprefix("#/").split("/"):
            at = at[part]
        node = at
    return node


class TheDocument(unittest.TestCase):
    def test_is_valid(self):
        validate(DOCUMENT)

    def test_names_and_groups_every_operation(self):
        ids = [operation.get("operationId") for _, _, operation in operations()]
        self.assertNotIn(None, ids)
        self.assertEqual(len(ids), len(set(ids)))
        tags = {tag["name"] for tag in DOCUMENT["tags"]}
        for path, _, operation in operations():
            self.assertTrue(operation.get("tags") and set(operation["tags"]) <= tags, path)
        self.assertTrue(DOCUMENT["servers"])
        self.assertIn("security", DOCUMENT)

    def test_has_a_schema_for_every_success(self):
        for path, verb, operation in operations():
            for status, response in operation["responses"].items():
                if not status.startswith("2") or (path.startswith("/mcp") and status in ("202", "204")):  # it has no body
                    continue
                content = resolved(response).get("content")
                self.assertTrue(content, f"{verb} {path} {status}")
                for media in content.values():
                    self.assertIn("schema", media, f"{verb} {path} {status}")

    def test_has_an_example_of_every_answer(self):
        """The first JSON answer of an operation, and refusals, have examples, which fit."""
        for path, verb, operation in operations():
            for status, response in operation["responses"].items():
                media = resolved(response).get("content", {}).get("application/json")
                if not status.startswith("2") or not media or not media["schema"]:
                    continue
                with self.subTest(f"{verb} {path} {status}"):
                    self.examples(media["schema"])
        for name in ("Problem", "Event"):
            self.examples({"$ref": "#/components/schemas/" + name})

    def test_has_an_example_of_every_request(self):
        for path, verb, operation in operations():
            media = resolved(operation.get("requestBody", {})).get("content", {}).get("application/json")
            if not media:
                continue
            with self.subTest(f"{verb} {path}"):
                schema = {**media["schema"], "components": DOCUMENT["components"]}
                self.assertIn("example", media)
                self.assertEqual(list(jsonschema.Draft202012Validator(schema).iter_errors(media["example"])), [])

    def test_says_what_every_operation_is_for(self):
        for path, verb, operation in operations():
            self.assertTrue(operation.get("summary"), f"{verb} {path}")

    def test_has_a_schema_for_each_type_of_event(self):
        event = DOCUMENT["components"]["schemas"]["Event"]
        mapping = event["discriminator"]["mapping"]
        self.assertCountEqual(mapping.values(), [one["$ref"] for one in event["oneOf"]])
        for name, ref in mapping.items():
            example = resolved({"$ref": ref})["examples"][0]
            self.assertEqual(example["type"], name)
            for other in mapping.values():
                schema = {"$ref": other, "components": DOCUMENT["components"]}
                self.assertEqual(jsonschema.Draft202012Validator(schema).is_valid(example), other == ref, f"{name} {other}")

    def examples(self, schema):
        schema = resolved(schema)
        choices = schema.get("anyOf", []) + schema.get("oneOf", [])
        for part in choices:
            self.examples(part)
        if choices or schema.get("type") == "string":
            return
        self.assertTrue(schema.get("examples"), "it has no example")
        checker = jsonschema.Draft202012Validator({**schema, "components": DOCUMENT["components"]})
        for example in schema["examples"]:
            self.assertEqual(list(checker.iter_errors(example)), [])

    def test_lists_every_code_of_a_problem(self):
        """The golden file is held to ErrorCode by unit_gateway."""
        statuses = json.loads((ROOT / "tests/golden/problems/statuses.json").read_text())
        self.assertCountEqual(DOCUMENT["components"]["schemas"]["ErrorCode"]["enum"], statuses)

    def test_no_object_is_without_its_members(self):
        """A client that is generated from it is typed: what is free-form is so on purpose."""
        free = {"metadata", "arguments", "input_schema", "messages", "message", "params", "ApiTool", "SpecText",
                "OutputItem", "InputItem", "ContentBlock", "OwnTool"}
        for path, verb, operation in operations():
            for status, response in operation["responses"].items():
                if status.startswith("2"):
                    for media in resolved(response).get("content", {}).values():
                        self.typed(media["schema"], f"{verb} {path}", free)

    def typed(self, schema, where, free, seen=()):
        if schema.get("$ref") in seen:
            return
        seen = (*seen, schema.get("$ref")) if "$ref" in schema else seen
        schema = resolved(schema)
        for part in schema.get("allOf", []) + schema.get("anyOf", []) + schema.get("oneOf", []):
            self.typed(part, where, free, seen)
        kinds = schema.get("type", [])
        name = schema.get("title") or where.rsplit("/", 1)[-1]
        if "object" in kinds and name not in free:
            self.assertIn("properties", schema, where)
        for member, value in schema.get("properties", {}).items():
            self.typed(value, f"{where}/{member}", free, seen)
        if "array" in kinds:
            self.assertIn("items", schema, where)
            if where.rsplit("/", 1)[-1] not in free:
                self.typed(schema["items"], where + "/item", free, seen)


class Answers(FromMcp, unittest.TestCase):
    """Each operation is asked of one stack, and every answer held against its schema."""

    @classmethod
    def setUpClass(cls):
        asking = ROOT / "tests/mcp_conformance"
        cls.dev = Dev(PROGRAM, "--chat", "--script", ROOT / "examples/chat/files.yaml", "--specs", asking, "--python-path", asking)
        cls.dev.__enter__()
        cls.addClassCleanup(cls.dev.__exit__)
        cls.asked = set()

    def ask(self, operation_id, path, body=None, status=200, **headers):
        template, verb, operation = next((p, v, o) for p, v, o in operations() if o["operationId"] == operation_id)
        pattern = re.sub(r"\\\{[a-z]+\\\}", "[^/]+", re.escape(template))
        self.assertRegex(path.partition("?")[0], f"^{pattern}$")
        request = urllib.request.Request(
            self.dev.ready["http"] + path, None if body is None else json.dumps(body).encode(),
            {"Content-Type": "application/json", "Accept": "application/json", "X-Toolway-User": "ann",
             **{name.replace("_", "-"): value for name, value in headers.items()}}, method=verb.upper())
        try:
            answer = urllib.request.urlopen(request, timeout=60)
        except urllib.error.HTTPError as error:
            answer = error
        text = answer.read().decode()
        self.assertEqual(answer.status, status, text)
        media = answer.headers.get_content_type()
        self.declared_headers(operation, answer)
        response = resolved(operation["responses"].get(str(status)) or operation["responses"]["default"])
        self.asked.add(operation_id)
        if "content" not in response:
            return self.assertEqual((text, answer.headers["Content-Type"]), ("", None))
        self.assertIn(media, response["content"], f"{operation_id} {status}")
        if not media.endswith("json") or status == 206:  # a part of a JSON text
            return text
        value = json.loads(text)
        schema = {**response["content"][media]["schema"], "components": DOCUMENT["components"]}
        errors = list(jsonschema.Draft202012Validator(schema).iter_errors(value))
        self.assertEqual(errors, [], f"{operation_id}: {text}")
        self.no_secret_members(response["content"][media]["schema"], value, operation_id)
        return value

    def declared_headers(self, operation, answer):
        """What HTTP itself needs is in every answer; anything else the document names."""
        response = resolved(operation["responses"].get(str(answer.status)) or operation["responses"]["default"])
        declared = {name.lower() for name in response.get("headers", {})} | HEADERS_OF_HTTP
        self.assertLessEqual({name.lower() for name in answer.headers}, declared, f"{operation['operationId']} {answer.status}")

    def follow(self, path, types):
        """A whole stream: each event is as its schema says, and one of each type of `types` is among them."""
        request = urllib.request.Request(self.dev.ready["http"] + path, headers={"X-Toolway-User": "ann", "Accept": "text/event-stream"})
        schema = {"$ref": "#/components/schemas/Event"}
        seen = set()
        with urllib.request.urlopen(request, timeout=60) as stream:
            self.declared_headers(DOCUMENT["paths"]["/v1/calls/{c}/events"]["get"], stream)
            for line in stream:
                if line.startswith(b"data: "):
                    event = json.loads(line[6:])
                    errors = jsonschema.Draft202012Validator({**schema, "components": DOCUMENT["components"]}).iter_errors(event)
                    self.assertEqual(list(errors), [], line)
                    self.no_secret_members(schema, event, "event")
                    seen.add(event["type"])
        self.assertLessEqual(set(types), seen)

    def no_secret_members(self, schema, value, where):
        """What an answer has, its schema names; where schemas stand side by side, one of them."""
        schema = resolved(schema)
        choices = schema.get("anyOf") or schema.get("oneOf")
        if choices:
            fitting = [one for one in choices
                       if jsonschema.Draft202012Validator({**one, "components": DOCUMENT["components"]}).is_valid(value)]
            return self.no_secret_members(fitting[0], value, where)
        if isinstance(value, dict):
            members = self.members(schema)
            if members:
                self.assertLessEqual(set(value), set(members), where)
                for name, inner in value.items():
                    self.no_secret_members(members[name], inner, f"{where}/{name}")
        elif isinstance(value, list) and "items" in schema:
            for inner in value:
                self.no_secret_members(schema["items"], inner, where + "/item")
        return None

    def members(self, schema):
        schema = resolved(schema)
        found = dict(schema.get("properties", {}))
        for part in schema.get("allOf", []):
            found |= self.members(part)
        return found

    def operate(self):
        """What operators may do, with their token."""
        self.ask("listSpecs", "/v1/specs", status=401)
        run = pathlib.Path(self.dev.directory.name) / "data" / "run"
        token = {"Authorization": "Bearer " + (run / "operator-token").read_text().strip()}
        text = "{name: echo, namespace: made, kind: command, version: '%d', input_schema: {type: object}, implementation_config: {argv: [printf, '%d']}}"
        for version in (1, 2):
            put = self.ask("putSpecs", "/v1/specs", {"files": [{"name": "a.yaml", "text": text % (version, version)}], "by": "ann"}, **token)
            self.assertEqual(put["specs"][0]["outcome"], "changed" if version == 2 else "added")
        self.ask("putSpecs", "/v1/specs", {"files": [{"name": "a.yaml", "text": "tools: 5"}]}, 422, **token)
        self.ask("putSpecs", "/v1/specs", {"files": [{"name": "a.yaml", "text": text % (3, 3)}], "rollout": 10}, **token)
        self.ask("listSpecs", "/v1/specs", **token)
        self.ask("getSpecHistory", "/v1/specs/made.echo/history", **token)
        self.ask("diffSpecs", "/v1/specs/made.echo/diff?from=1&to=2", **token)
        self.ask("promoteSpec", "/v1/specs/made.echo/promote", {"by": "ann"}, **token)
        self.ask("promoteSpec", "/v1/specs/made.echo/promote", {}, 404, **token)
        self.ask("rollBackSpec", "/v1/specs/made.echo/rollback", {"to": "1", "note": "it was better"}, **token)
        self.ask("removeSpecs", "/v1/specs:remove", {"names": ["made.echo"]}, **token)
        self.ask("switchOff", "/v1/switches/bench", {"reason": "for a while"}, **token)
        self.ask("switchOff", "/v1/switches/benhc", {}, 404, **token)
        self.ask("listSwitches", "/v1/switches", **token)
        self.ask("listAudit", "/v1/audit", status=401)
        self.ask("listAudit", "/v1/audit?after=1", status=400, **token)
        deadline = time.monotonic() + 30
        while not self.ask("listAudit", "/v1/audit?what=spec_put&user=ann", **token)["records"]:
            self.assertLess(time.monotonic(), deadline, "no record of a spec")
        self.ask("switchOn", "/v1/switches/bench", **token)

    def approve(self):
        """A call that waits for approval, as another user sees it and decides about it."""
        run = pathlib.Path(self.dev.directory.name) / "data" / "run"
        token = {"Authorization": "Bearer " + (run / "operator-token").read_text().strip()}
        text = "{name: guarded, namespace: made, kind: command, requires_approval: true, input_schema: {type: object}, implementation_config: {argv: [printf, a]}}"
        self.ask("putSpecs", "/v1/specs", {"files": [{"name": "a.yaml", "text": text}], "by": "ann"}, **token)
        self.ask("openSession", "/v1/sessions", {"session_id": "guarded", "namespaces": ["made"]}, 201)
        bea = {"X-Toolway-User": "bea"}
        deadline = time.monotonic() + 30
        # Gateways look for new specs every two seconds.
        while "guarded" not in [tool["name"] for tool in self.ask("listSessionTools", "/v1/sessions/guarded/tools")["tools"]]:
            self.assertLess(time.monotonic(), deadline, "the tool does not come")
        held = self.ask("callTool", "/v1/sessions/guarded/calls", {"tool": "made.guarded"}, 202)["call_id"]
        while not any(one["call_id"] == held for one in self.ask("listApprovals", "/v1/approvals", **bea)["approvals"]):
            self.assertLess(time.monotonic(), deadline, "the call is in no list")
        self.ask("approveCall", f"/v1/calls/{held}/approve", {}, 403)
        decided = self.ask("approveCall", f"/v1/calls/{held}/approve", {"reason": "seen"}, **bea)
        self.assertEqual(decided["state"], "approved")
        self.ask("denyCall", f"/v1/calls/{held}/deny", {}, 409, **bea)
        denied = self.ask("callTool", "/v1/sessions/guarded/calls", {"tool": "made.guarded"}, 202)["call_id"]
        self.ask("denyCall", f"/v1/calls/{denied}/deny", {"reason": "not today"}, **bea)
        self.follow(f"/v1/calls/{denied}/events?after=0", ["approval_requested", "approval_decided", "completed"])
        while not any(one["call_id"] == denied for one in self.ask("listApprovals", "/v1/approvals?state=decided", **bea)["approvals"]):
            self.assertLess(time.monotonic(), deadline, "what became of the call is in no list")

    def converse(self):
        """Messages, and the same by the APIs of models."""
        self.ask("openSession", "/v1/sessions", {"session_id": "talk", "namespaces": ["*"]}, 201)
        path = "/v1/sessions/talk"
        self.ask("listMessages", path + "/messages")
        self.ask("exportConversation", path + "/export", status=404)
        self.ask("stopTurn", path + "/stop", {}, 404)
        self.ask("postMessage", path + "/messages", {"content": 5}, 422)
        self.ask("postMessage", path + "/messages", {"content": "hi"}, prefer="wait=30")
        self.ask("postMessage", path + "/messages", {"content": "What files are there?"}, 202)
        self.ask("newConversation", path + "/conversations", {})
        self.ask("postMessage", path + "/messages", {"content": "hi", "options": {"temperature": 0}}, prefer="wait=30")
        self.assertEqual([one["number"] for one in self.ask("listMessages", path + "/messages?limit=1")["messages"]], [1])
        for form in ("toolway", "openai", "openai-responses", "anthropic"):
            self.ask("exportConversation", f"{path}/export?format={form}")
        imported = {"messages": [{"role": "user", "content": "hi"}, {"role": "tool", "tool_call_id": "lost", "content": "5"}]}
        self.ask("importConversation", "/v1/conversations:import?session=talk&format=openai", imported, 422)
        self.ask("importConversation", "/v1/conversations:import?session=talk&format=openai&repair=true", imported)
        user = [{"role": "user", "content": "hi"}]
        self.ask("createChatCompletion", "/v1/chat/completions", {"model": "any", "messages": user})
        self.ask("createChatCompletion", "/v1/chat/completions", {"model": "any", "messages": []}, 400)
        self.ask("createResponse", "/v1/responses", {"model": "any", "input": "hi"})
        self.ask("createMessage", "/v1/messages", {"model": "any", "max_tokens": 10, "messages": user})
        for version in ({}, {"anthropic-version": "2023-06-01"}):
            self.assertEqual([one["id"] for one in self.ask("listModels", "/v1/models", **version)["data"]], ["scripted"])
            self.ask("getModel", "/v1/models/scripted", **version)
            self.ask("getModel", "/v1/models/none", status=404, **version)

    def test_are_as_the_document_says(self):
        sessions = "/v1/sessions"
        self.ask("openSession", sessions, {"session_id": "s", "namespaces": ["time", "bench"]}, 201)
        self.ask("openSession", sessions, {"session_id": "s", "namespaces": ["time", "bench"]})
        self.ask("openSession", sessions, {"session_id": "s", "namespaces": ["time"]}, 409)
        self.ask("openSession", sessions, {"session_id": "none", "namespaces": ["nonexist"]}, 201)
        self.ask("openSession", sessions, {"session_id": "all", "namespaces": ["*"]}, 201)
        self.ask("openSession", sessions, {"session_id": 7}, 422)
        self.ask("getSession", "/v1/sessions/s")
        for form in ("toolway", "openai", "openai-responses", "anthropic", "mcp"):
            self.ask("listSessionTools", f"/v1/sessions/s/tools?format={form}")
        self.ask("listTools", "/v1/tools")
        calls = "/v1/sessions/s/calls"
        now = {"tool": "time.get_current_time"}
        done = self.ask("callTool", calls, now, prefer="wait=30")
        self.ask("callTool", calls, {"tool": "bench.work", "arguments": {"wait_ms": "x"}}, 422)
        self.ask("callTool", calls, {"tool": "time.get_curent_time"}, 404)
        slow = self.ask("callTool", calls, {"tool": "bench.work", "arguments": {"wait_ms": 60000, "chunks": 2}}, 202)["call_id"]
        large = self.ask("callTool", calls, {"tool": "bench.work", "arguments": {"result_bytes": 400000, "chunks": 2}}, prefer="wait=30")
        self.assertIsNotNone(large["result_ref"])
        self.ask("callTools", calls + ":batch", {"calls": [now, {"tool": "nothing"}]}, prefer="wait=30")
        self.ask("callTools", calls + ":batch", {"calls": [now]}, 202)
        self.ask("callTools", calls + ":batch", {"calls": [{"tool": "nothing"}]}, 422)
        message = {"role": "assistant", "tool_calls": [
            {"id": "a", "type": "function", "function": {"name": "bench__work", "arguments": "{}"}},
            {"id": "b", "type": "function", "function": {"name": "nothing", "arguments": "{}"}},
            {"id": "c", "type": "function", "function": {"name": "bench__work", "arguments": "{\"wait_ms\": 30000}"}}]}
        answered = self.ask("runModelMessage", "/v1/sessions/s/tool_calls?format=openai&inline_ms=3000", message)
        self.assertEqual([call["status"] for call in answered["calls"]], ["completed", "refused", "detached"])
        self.ask("runModelMessage", "/v1/sessions/s/tool_calls?format=toolway", {"calls": [{"id": "d", "tool": "bench.work"}, {"id": "e", "tool": "x"}]})
        for call in (done["call_id"], slow):
            self.ask("getCall", "/v1/calls/" + call)
            self.ask("explainCall", f"/v1/calls/{call}/explain")
        self.ask("getCall", "/v1/calls/nothing", status=400)
        self.ask("listCalls", calls)
        self.ask("listUserCalls", "/v1/calls")
        found = self.ask("listUserCalls", "/v1/calls?session=s&tool=time.get_current_time&outcome=succeeded&since=1h&attempts=1&limit=1")
        self.assertEqual([call["tool"] for call in found["calls"]], ["get_current_time"])
        self.ask("listUserCalls", "/v1/calls?since=yesterday", status=422)
        self.ask("listUserCalls", "/v1/calls?session=nothing", status=404)
        self.ask("listSessionEvents", "/v1/sessions/s/events")
        self.ask("cancelCall", f"/v1/calls/{slow}/cancel", {"reason": "enough"}, 202)
        self.ask("cancelCall", f"/v1/calls/{done['call_id']}/cancel", {}, 202)
        self.ask("listCallEvents", f"/v1/calls/{large['call_id']}/events")
        self.follow(f"/v1/calls/{large['call_id']}/events?after=0", ["started", "progress", "completed"])
        self.ask("getCallResult", f"/v1/calls/{large['call_id']}/result")
        self.ask("getCallResult", f"/v1/calls/{large['call_id']}/result", status=206, range="bytes=0-9")
        page = self.ask("listCompletions", "/v1/sessions/s/completions")
        self.assertGreater(len(page["completions"]), 2)
        self.ask("acknowledgeCompletions", "/v1/sessions/s/completions:ack", {"cursor": page["completions"][0]["cursor"]})
        gained = self.ask("addNamespaces", "/v1/sessions/s/namespaces", {"namespaces": ["late"]})
        self.assertIn("late", gained["namespaces"])
        self.ask("addNamespaces", "/v1/sessions/s/namespaces", {"namespaces": []}, 422)
        self.ask("closeSession", "/v1/sessions/s/close", {"pending": "cancel"})
        self.ask("callTool", calls, now, 409)
        self.ask("restoreSession", "/v1/sessions/s/restore", {})
        self.ask("deleteSession", "/v1/sessions/nothing", status=404)
        self.ask("callTool", calls, {"tool": "bench.work", "arguments": {"wait_ms": 60000}}, 202, idempotency_key="k")
        self.ask("callTool", calls, {"tool": "bench.work", "arguments": {"wait_ms": 60000}}, 202, idempotency_key="k")
        self.ask("deleteSession", "/v1/sessions/s", status=409)
        gone = self.ask("deleteSession", "/v1/sessions/s?pending=cancel&timeout_ms=20000")
        self.assertEqual((gone["state"], gone["still_running"]), ("deleted", 0))
        self.ask("getCall", "/v1/calls/" + done["call_id"], status=404)
        self.operate()
        self.converse()
        self.speak_mcp()
        self.answer_a_question()
        self.approve()
        for operation_id, path in (("listSessions", sessions), ("listWorkers", "/v1/workers"),
                                   ("isAlive", "/livez"), ("isReady", "/readyz"), ("getMetrics", "/metrics"), ("getOpenApi", "/openapi.yaml"),
                                   ("getApiPage", "/docs"), ("getFrontPage", "/"), ("getErrorPage", "/errors/accept_unknown")):
            self.ask(operation_id, path)
        everything = {operation["operationId"] for _, _, operation in operations()}
        self.assertEqual(everything - self.asked, set(), "an operation that no test asks for")


if __name__ == "__main__":
    unittest.main()
