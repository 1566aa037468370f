"""What bad input gets: a message with the next step, the documented exit status, and both within 3 s.

A message is `error: …` on standard error. It speaks of verbs and options, not of HTTP, and says nothing twice. With `-o json` it is a problem
document. Statuses: docs/cli.md, `toolway help exit-status`.
"""

import json
import os
import pathlib
import re
import shutil
import signal
import subprocess
import sys
import time
import unittest

PROGRAM = str(pathlib.Path(sys.argv.pop(1)).resolve())
HERE = pathlib.Path(__file__).resolve().parent
sys.path[:0] = [str(HERE), str(HERE.parents[1] / "e2e/telemetry")]
from dev_stack import Dev  # noqa: E402
from other_programs import programs  # noqa: E402

USAGE, REFUSED, AWAY = 2, 3, 4
IN_TIME = 3.0 * float(os.environ.get("TOOLWAY_TIME_SCALE", "1"))
OF_HTTP = re.compile(r"(?m)\b(POST|GET|PUT|DELETE|HTTP/1|422|Bearer)\b|/v1/|\{s\}|\{c\}|^error: [?/][a-z_]+: ")
FULL = "/dev/full"

FILES = {
    "other.json": '{"mcpServers": {"a": {"command": "ls"}}}',
    "none.yaml": "{}\n",
    "prompts.yaml": """\
prompts:
  - {name: greet, namespace: text, description: A greeting, messages: [{role: user, content: {type: text, text: Hello}}]}
resources:
  - {uri: "text://a", name: a, namespace: text, description: A, text: a}
  - {uri: "text://b", name: b, namespace: text, description: B, text: b}
""",
}

# What was typed, the status, and what the message must say.
WRONG = [
    # verbs and options
    ("bogus", USAGE, r"unknown verb 'bogus'.*see: toolway --help"),
    ("sesion list", USAGE, r"did you mean 'session'\?"),
    ("session lst", USAGE, r"did you mean 'list'\?"),
    ("tools --namspace x", USAGE, r"did you mean '--namespace'\?"),
    ("help outptu", USAGE, r"did you mean 'output'\?"),
    ("session", 0, r""),
    # types
    ("calls list --state done", USAGE, r"'done' is not one of held, queued"),
    ("calls list --outcome faild", USAGE, r"did you mean 'failed'\?"),
    ("calls list --limit abc", USAGE, r"--limit: 'abc' is not a number"),
    ("calls list --attempts x", USAGE, r"--attempts: 'x' is not a number from 1 to 1000"),
    ("calls list --since yesterday", USAGE, r"--since: .*15m"),
    ("calls list --since 1h --until 2h", USAGE, r"--until: "),
    ("calls list --min-duration x", USAGE, r"--min-duration: .*250ms"),
    ("call get_current_time --wait --timeout soon", USAGE, r"--timeout: 'soon' is not a number"),
    ("call bench.work wait_ms=soon", USAGE, r"wait_ms=soon: the tool wants an integer"),
    ("call get_current_time timezone:=42", REFUSED, r"timezone: expected string.*toolway tools show get_current_time"),
    ("call get_current_time zone=UTC", USAGE, r"no argument 'zone'; did you mean 'timezone'\?"),
    ("workers --color", USAGE, r"--color needs a value"),
    ("session list --limit 0", USAGE, r"--limit: '0' is not a number from 1 to 1000000"),
    ("approvals list --limit -1", USAGE, r"--limit: '-1' is not a number from 1"),
    ("call get_current_time --wait --timeout -1", USAGE, r"--timeout: must be at least 0, and is -1"),
    ("dev --workers 0", USAGE, r"--workers: '0' is not a number from 1 to 1000 "),
    ("tools --session a --session b", USAGE, r"--session is given twice"),
    ("session open x --metadata x", USAGE, r"--metadata: "),
    # values that are not there
    ("session list --user=", USAGE, r"--user: needs a value that is not empty"),
    ("session list --user {empty}", USAGE, r"--user: needs a value that is not empty"),
    ("session open {empty}", USAGE, r"session: needs a value that is not empty"),
    ("call get_current_time --idempotency-key {empty} --wait", USAGE, r"--idempotency-key: needs a value that is not empty"),
    ("dev --data {empty}", USAGE, r"--data: needs a value that is not empty"),
    ("replay chat --against mock", USAGE, r"--against mock: neither a gateway's URL nor mocks; did you mean 'mocks'\?"),
    # URLs
    ("tools --url ftp://x", USAGE, r"is not http://HOST:PORT"),
    ("tools --url http://nohost.invalid", AWAY, r"no address found for nohost.invalid.*--url or TOOLWAY_URL"),
    ("tools --url http://127.0.0.1:1", AWAY, r"cannot reach http://127.0.0.1:1: .*toolway dev"),
    ("watch chat --url http://127.0.0.1:1", AWAY, r"cannot reach http://127.0.0.1:1"),
    ("logs chat --url http://127.0.0.1:1", AWAY, r"cannot reach http://127.0.0.1:1"),
    ("tools --ca-file /nope --url https://127.0.0.1:1", USAGE, r"--ca-file"),
    # sessions
    ("session show chta", REFUSED, r"session 'chta' was not found.*did you mean 'chat'\?.*toolway session open chta"),
    ("watch chta", REFUSED, r"did you mean 'chat'\?"),
    ("logs chta", REFUSED, r"session 'chta' was not found.*did you mean 'chat'\?"),
    ("logs chta --once", REFUSED, r"did you mean 'chat'\?"),
    ("calls list chta", REFUSED, r"session 'chta' was not found.*did you mean 'chat'\?"),
    ("session open chat -n text", REFUSED, r"exists with namespaces time.*toolway session add-namespaces chat"),
    ("session open all -n time,text", REFUSED, r"'all' exists with namespaces \*, which include those you name open it with the namespaces that it has"),
    ("session open two -n time", REFUSED, r"exists with namespaces text, time, which include .*or choose another id"),
    ("session open bad/name", USAGE, r"session_id: expected 1 to 128 characters"),
    ("session open ..", USAGE, r"session_id: .*not \. or \.\."),
    # tools, pools, namespaces, calls
    ("call get_curent_time", REFUSED, r"did you mean 'time.get_current_time'\?"),
    ("tools show get_curent_time", REFUSED, r"did you mean 'time.get_current_time'\?.*list the tools: toolway tools"),
    ("tools disable time.get_curent_time --data {data}", REFUSED, r"did you mean 'time.get_current_time'\?"),
    ("tools -n tme", REFUSED, r"did you mean 'time'\?"),
    ("workers --pool pythn", REFUSED, r"did you mean 'python'\?"),
    ("calls list --tool get_curent_time", 0, r"warning: .*'get_curent_time'.*did you mean 'time.get_current_time'"),
    ("calls list -n tme", 0, r"warning: .*'tme'.*did you mean 'time'"),
    ("calls list --error tool_faild", 0, r"warning: .*'tool_faild'.*did you mean 'tool_failed'"),
    ("logs --tool get_curent_time --once", 0, r"warning: .*did you mean 'time.get_current_time'"),
    ("calls show 01a21", REFUSED, r"too short.*at least 8"),
    ("calls show ffffffff", REFUSED, r"no recent call.*toolway calls list"),
    ("specs rollback nope --to 1 --data {data}", USAGE, r"'nope'.*NAMESPACE.NAME"),
    ("specs show nope.nope --data {data}", REFUSED, r"toolway specs list|toolway tools"),
    ("specs list", REFUSED, r"permission specs:read.*--key-file FILE or TOOLWAY_API_KEY"),
    # files and JSON
    ("call get_current_time {zone", USAGE, r"ARGUMENTS must be a JSON object"),
    ("call get_current_time @/nope", USAGE, r"cannot read /nope: No such file"),
    ("specs check /nope", USAGE, r"/nope.*no such file"),
    ("specs put /nope", USAGE, r"/nope.*no such file"),
    ("mock check /nope", USAGE, r"/nope"),
    ("mcp check /nope", USAGE, r"cannot read .*/nope: No such file"),
    ("mcp check other.json", USAGE, r"'mcpServers' has neither `command` nor `url`.*remove that outer key$"),
    ("mcp check none.yaml", 0, r"no servers in none.yaml"),
    ("specs check prompts.yaml", 0, r"prompts.yaml: 1 prompt, 2 resources$"),
    ("extensions check /nope", USAGE, r"cannot read /nope: No such file"),
    ("tools --token-file /nope", USAGE, r"cannot read the token file /nope"),
    # no permission to write, a full disk
    ("man --into /proc/nope", 1, r"cannot write /proc/nope/.*: No such file"),
    ("calls result {call} -O /proc/nope", 1, r"cannot write /proc/nope: No such file"),
    (f"calls result {{call}} -O {FULL}", 1, r"cannot write /dev/full: No space left"),
    ("dev --data /proc/nope", USAGE, r"cannot create /proc/nope"),
    # `dev` finds out before it starts anything
    ("dev --data {new} --specs /nope", USAGE, r"/nope.*no such file"),
    ("dev --data {new} --set mcp.servers=/nope", USAGE, r"cannot read .*/nope"),
    ("dev --data {new} --pool native=x", USAGE, r"'native=x'"),
    ("dev --data {new} --http localhost", USAGE, r"is not HOST:PORT"),
    ("demo", USAGE, r"no example tools in 'examples/tools', and no packs in 'packs': run it where the repository is, or give --examples DIR and --packs DIR"),
]


class BadInput(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.dev = Dev(PROGRAM).__enter__()
        cls.addClassCleanup(cls.dev.__exit__)
        for name, content in FILES.items():
            (pathlib.Path(cls.dev.directory.name) / name).write_text(content)
        for session, namespaces in (("chat", "time"), ("all", "*"), ("two", "time,text")):
            cls.dev.toolway("session", "open", session, "-n", namespaces)
        _, listed, _ = cls.dev.toolway("call", "get_current_time", "--session", "chat", "--wait", "-o", "json")
        cls.call = json.loads(listed)["call_id"]

    def run_one(self, words, url=None, more=(), **environment):
        """Status, both streams, and how long it took."""
        root = pathlib.Path(self.dev.directory.name)
        argv = [word.format(call=self.call, new=root / "new", data=root / "data", empty="") if word.startswith("{") and word.endswith("}") else word for word in words.split()]
        begun = time.monotonic()
        ran = subprocess.run([PROGRAM, *argv, *more], capture_output=True, text=True, timeout=60, cwd=self.dev.directory.name, stdin=subprocess.DEVNULL,
                             env={**os.environ, "TOOLWAY_URL": url or self.dev.ready["http"], **environment})
        return ran.returncode, ran.stdout, ran.stderr, time.monotonic() - begun

    def check(self, words, expected, says, ran):
        status, out, err, took = ran
        self.assertEqual(status, expected, out + err)
        self.assertLess(took, IN_TIME, err)
        if not says:
            return
        everything = out + err
        self.assertRegex(" ".join(everything.split()), says)
        if status:
            self.assertRegex(err, r"(?m)^error: ", everything)
        self.assertIsNone(OF_HTTP.search(err), err)
        lines = [line.strip() for line in err.splitlines()]
        self.assertEqual(len(lines), len(set(lines)), err)

    def test_gets_a_message_a_step_and_a_status(self):
        for words, expected, says in WRONG:
            with self.subTest(words):
                self.check(words, expected, says, self.run_one(words))

    def test_is_a_problem_document_for_a_program(self):
        for words, expected, _ in WRONG:
            # A list of mistakes is what `check` prints, in either form.
            if expected == 0 or words.split()[0] in ("call", "help", "man", "dev", "demo") or "--color" in words or " check " in words:
                continue
            with self.subTest(words):
                status, _, err, _ = self.run_one(words, more=("-o", "json"))
                self.assertEqual(status, expected, err)
                self.assertTrue(json.loads(err)["code"], err)

    def test_another_program_is_recognized(self):
        verbs = ("tools", "call get_current_time --wait", "calls list", "calls show ffffffff", "session list", "session open x", "workers", "top --once",
                 "watch chat", "logs chat", "mailbox chat", "tools disable time.get_current_time", "specs list", "approvals list")
        for what, program in programs().items():
            for words in verbs:
                with self.subTest(what, words=words):
                    status, out, err, took = self.run_one(words, url=program.url, TOOLWAY_TOKEN="t")
                    self.assertLess(took, IN_TIME, err)
                    self.assertIn(status, (REFUSED, AWAY), out + err)
                    self.assertEqual(out, "")
                    self.assertRegex(err, r"(?m)^error: ")
                    self.assertRegex(err, r"--url|TOOLWAY_URL|version", err)
            program.close()

    def test_a_stopped_gateway_is_not_waited_for_in_silence(self):
        gateway = self.dev.pid_of("gateway")
        os.kill(gateway, signal.SIGSTOP)
        try:
            self.check("tools", AWAY, r"takes connections and does not answer", self.run_one("tools"))
        finally:
            os.kill(gateway, signal.SIGCONT)

    def test_a_closed_pipe_ends_a_verb_without_a_word(self):
        for words in ("tools", "tools -o json", "calls list", "session list", "keys list", "help", "man call", "completion bash"):
            with self.subTest(words):
                ran = subprocess.Popen([PROGRAM, *words.split()], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True,
                                       env={**os.environ, "TOOLWAY_URL": self.dev.ready["http"], "TOOLWAY_NATS_URL": self.dev.ready["nats"]})
                ran.stdout.close()
                self.assertEqual(ran.stderr.read(), "")
                ran.stderr.close()
                self.assertIn(ran.wait(10), (0, -signal.SIGPIPE, 141))

    def test_a_full_disk_is_an_error(self):
        for words in ("tools", "calls list", "calls show {call}", "session list", "workers", "help call", "man call", "completion zsh", "version"):
            with self.subTest(words), open(FULL, "w") as full:
                argv = words.format(call=self.call).split()
                ran = subprocess.run([PROGRAM, *argv], stdout=full, stderr=subprocess.PIPE, text=True, timeout=30,
                                     env={**os.environ, "TOOLWAY_URL": self.dev.ready["http"]})
                self.assertEqual((ran.returncode, ran.stderr), (1, "error: cannot write to standard output: No space left on device\n"))

    def test_ctrl_c_ends_every_wait(self):
        for words in ("call bench.work wait_ms=20000 --wait", "call bench.work wait_ms=20000 --follow", "watch chat", "logs chat", "logs --tool bench.work",
                      "calls list --watch", "approvals watch"):
            with self.subTest(words):
                # A shell that runs the test in the background has it ignore Ctrl-C.
                ran = subprocess.Popen([PROGRAM, *words.split()], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True,
                                       env={**os.environ, "TOOLWAY_URL": self.dev.ready["http"]},
                                       preexec_fn=lambda: signal.signal(signal.SIGINT, signal.SIG_DFL))
                time.sleep(0.7)
                begun = time.monotonic()
                ran.send_signal(signal.SIGINT)
                _, err = ran.communicate(timeout=30)
                self.assertLess(time.monotonic() - begun, IN_TIME)
                self.assertIn(ran.returncode, (130, -signal.SIGINT), err)
                if words.startswith("call "):
                    self.assertRegex(err, r"toolway calls cancel [0-9a-f-]{36}")

    def test_dev_shows_the_logs_of_this_start_alone(self):
        for interpreter in ("/no-first", "/no-second"):
            begun = time.monotonic()
            ran = subprocess.run([PROGRAM, "dev", "--data", pathlib.Path(self.dev.directory.name) / "twice", "--http", "127.0.0.1:0", "--python", interpreter],
                                 capture_output=True, text=True, timeout=60, cwd=self.dev.directory.name)
            took = time.monotonic() - begun
        self.assertEqual(ran.returncode, USAGE, ran.stderr)
        self.assertIn("/no-second", ran.stderr)
        self.assertNotIn("/no-first", ran.stderr)
        self.assertLess(took, IN_TIME)

    def test_no_permission_to_write_is_said(self):
        if os.geteuid() != 0:
            self.skipTest("takes root, to be another user")
        closed = pathlib.Path(self.dev.directory.name) / "closed"
        closed.mkdir(mode=0o755)
        # Another user may not reach this checkout, such as one below /root.
        program = pathlib.Path(self.dev.directory.name) / "toolway"
        shutil.copy(PROGRAM, program)
        for words in (f"man --into {closed}", f"tools new shout --into {closed}", f"dev --data {closed}/data"):
            with self.subTest(words):
                ran = subprocess.run([program, *words.split()], capture_output=True, text=True, timeout=30, user=65534, group=65534, extra_groups=[], cwd="/", stdin=subprocess.DEVNULL)
                self.assertIn(ran.returncode, (1, USAGE), ran.stderr)
                self.assertRegex(ran.stderr, r"^error: .*Permission denied", ran.stderr)


class Keys(unittest.TestCase):
    """A token that is missing, wrong or revoked. Expired ones: integration tests of the gateway."""

    def test_get_a_next_step(self):
        with Dev(PROGRAM, "--auth", "keys") as dev:
            data = pathlib.Path(dev.directory.name) / "data"

            def create(*more):
                status, out, err = dev.toolway("keys", "create", "--user", "ann", "--data", data, "-o", "json", *more)
                self.assertEqual(status, 0, err)
                return json.loads(out)
            key = create()
            status, _, err = dev.toolway("tools", TOOLWAY_API_KEY=key["key"])
            self.assertEqual(status, 0, err)
            self.assertEqual(dev.toolway("keys", "revoke", key["id"], "--data", data)[0], 0)
            deadline = time.monotonic() + 20
            while dev.toolway("tools", TOOLWAY_API_KEY=key["key"])[0] == 0 and time.monotonic() < deadline:
                time.sleep(0.1)
            for what, environment in {"missing": {"TOOLWAY_API_KEY": ""}, "wrong": {"TOOLWAY_API_KEY": "tw_nonsense"},
                                      "revoked": {"TOOLWAY_API_KEY": key["key"]}}.items():
                with self.subTest(what):
                    begun = time.monotonic()
                    status, _, err = dev.toolway("tools", **environment)
                    self.assertLess(time.monotonic() - begun, IN_TIME)
                    self.assertEqual(status, REFUSED, err)
                    self.assertRegex(err, r"(?s)^error: .*--key-file FILE or TOOLWAY_API_KEY")
                    self.assertIsNone(OF_HTTP.search(err), err)


if __name__ == "__main__":
    unittest.main()
