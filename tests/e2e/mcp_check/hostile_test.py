"""`toolway mcp check` of servers that do everything wrong: it says what, soon, and keeps no other server waiting."""

import json
import pathlib
import subprocess
import sys
import tempfile
import time
import unittest

PROGRAM = sys.argv.pop(1)

ANSWER = """
import json, sys
for line in sys.stdin:
    message = json.loads(line)
    {body}
"""
# Answers server/discover as a server of before 2026-07-28 does, and says that it has tools.
OLD = """method = message.get("method")
    def answer(**what): print(json.dumps({"jsonrpc": "2.0", "id": message["id"], **what}), flush=True)
    if method == "server/discover": answer(error={"code": -32601, "message": "unknown"})
    elif method == "initialize": answer(result={"protocolVersion": "2025-11-25", "capabilities": {"tools": {}}})
"""


def python(code, **more):
    return {"command": [sys.executable, "-c", code], **more}


def answering(body, **more):
    return python(ANSWER.replace("{body}", body), **more)


def old(body, **more):
    return answering(OLD + body, **more)


HOSTILE = {
    "exits": (python("import sys; print('Error: DB_URL is not set', file=sys.stderr); sys.exit(3)"),
              "it exited with status 3", ["Error: DB_URL is not set"]),
    "missing": ({"command": ["no-such-program"]}, "No such file or directory in its PATH=/usr/local/bin:/usr/bin:/bin", []),
    "nowhere": (python("", cwd="/no/such/directory"), "`cwd` /no/such/directory is not a directory", []),
    "greets": (python("import time; print('Listening on port 3000', flush=True); time.sleep(60)", start_timeout_ms=1500),
               "it did not answer initialize within 1500 ms (start_timeout_ms); a line that is not a message: Listening on port 3000", []),
    "silent": (python("import sys, time; print('loading', file=sys.stderr, flush=True); time.sleep(60)", start_timeout_ms=1500),
               "it did not answer initialize within 1500 ms", ["loading"]),
    "wrong": (answering("print(json.dumps({'id': message['id'], 'result': {}}), flush=True)"),
              'its answer to initialize is not a message: `jsonrpc` must be "2.0"', []),
    "broken": (answering("print('{\"jsonrpc\": \"2.0\", \"id\": %d, \"result\": ]}' % message['id'], flush=True)"),
               "its answer to initialize is not a message", []),
    "huge": (answering("print(json.dumps({'id': message['id'], 'result': 'x' * 9000}), flush=True)", max_message_bytes=4096),
             "the limit is 4096 (max_message_bytes)", []),
    "closes": (python("import os, time; os.close(1); os.write(2, b'no output any more'); time.sleep(60)"),
               "it closed its standard output", ["no output any more"]),
    "ancient": (answering("print(json.dumps({'jsonrpc': '2.0', 'id': message['id'], 'result': {'protocolVersion': '2024-10-07'}}), flush=True)"),
                "the server speaks 2024-10-07", []),
    "list_refused": (old("    elif method == 'tools/list': answer(error={'code': -32603, 'message': 'no licence'})"), "no licence", []),
    "list_broken": (old("    elif method == 'tools/list': print('{\"id\": %d, \"result\": 5}' % message['id'], flush=True)"),
                    "its answer is not a message", []),
    "list_silent": (old("", start_timeout_ms=1500), "no answer within 1500 ms", []),
    "away": ({"url": "http://127.0.0.1:9/mcp", "allow_addresses": ["127.0.0.1"]}, "no connection to http://127.0.0.1:9", []),
    "sandbox": ({**python(""), "sandbox": "no-such-profile"}, "there is no sandbox profile 'no-such-profile'", []),
}
GOOD = old("    elif method == 'tools/list': answer(result={'tools': [{'name': 'a', 'inputSchema': {'type': 'object'}}]})")


class Check(unittest.TestCase):
    def check(self, servers, *options):
        with tempfile.TemporaryDirectory(prefix="toolway-mcp-check-") as directory:
            path = pathlib.Path(directory) / "mcp.yaml"
            path.write_text(json.dumps(servers))  # which is YAML, too
            begun = time.monotonic()
            done = subprocess.run([PROGRAM, "mcp", "check", path, *options], capture_output=True, text=True, timeout=120)
            return done, time.monotonic() - begun

    def test_each_is_told_with_its_reason_and_its_last_lines(self):
        done, took = self.check({**{name: server for name, (server, _, _) in HOSTILE.items()}, "good": GOOD}, "-o", "json")
        self.assertEqual(done.returncode, 2, done.stderr)
        checked = {one["server"]: one for one in json.loads(done.stdout)["servers"]}
        for name, (_, why, lines) in HOSTILE.items():
            with self.subTest(server=name):
                self.assertIn(why, checked[name]["error"])
                self.assertEqual(checked[name]["stderr"], lines)
        self.assertIsNone(checked["good"]["error"])
        self.assertEqual([tool["tool"] for tool in checked["good"]["tools"]], ["good.a"])
        self.assertLess(took, 20, "no server waits for another")

    def test_one_after_which_waiting_cannot_help_is_told_at_once(self):
        slow_to_tell = {"greets", "silent", "list_silent"}  # nothing but time tells
        quick = {name: server for name, (server, _, _) in HOSTILE.items() if name not in slow_to_tell}
        done, took = self.check(quick)
        self.assertEqual(done.stdout.count("failed "), len(quick), done.stdout)
        self.assertLess(took, 15)
        self.assertNotIn("is starting", done.stderr)

    def test_each_is_printed_when_it_has_answered(self):
        done, _ = self.check({"silent": HOSTILE["silent"][0], "good": GOOD})
        self.assertLess(done.stdout.index("ok     good"), done.stdout.index("failed silent"), "though it is second in the file")


if __name__ == "__main__":
    unittest.main(verbosity=2)
