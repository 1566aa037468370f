"""A Python client that is generated from docs/openapi.yaml is whole, and works against a gateway."""

import asyncio
import importlib
import pathlib
import subprocess
import sys
import tempfile
import time
import unittest

import yaml

PROGRAM = sys.argv.pop(1)
ROOT = pathlib.Path(__file__).resolve().parents[3]
sys.path.insert(0, str(ROOT / "tests/e2e/telemetry"))
from dev_stack import Dev  # noqa: E402

DOCUMENT = ROOT / "docs/openapi.yaml"


class AGeneratedClient(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        directory = tempfile.TemporaryDirectory()
        cls.addClassCleanup(directory.cleanup)
        cls.generated = subprocess.run(
            [sys.executable, "-m", "openapi_python_client", "generate", "--path", DOCUMENT, "--meta", "none", "--fail-on-warning",
             "--config", ROOT / "tests/e2e/openapi/client_config.yaml", "--output-path", pathlib.Path(directory.name) / "toolway_client"],
            capture_output=True, text=True)
        sys.path.insert(0, directory.name)
        cls.addClassCleanup(sys.path.remove, directory.name)

    def test_is_generated_without_a_warning(self):
        self.assertEqual(self.generated.returncode, 0, self.generated.stdout + self.generated.stderr)

    def test_has_a_function_for_every_operation(self):
        for item in yaml.safe_load(DOCUMENT.read_text())["paths"].values():
            for operation in (part for part in item.values() if isinstance(part, dict)):
                name = "".join("_" + c.lower() if c.isupper() else c for c in operation["operationId"])
                module = importlib.import_module(f"toolway_client.api.{operation['tags'][0]}.{name}")
                self.assertTrue(callable(module.sync_detailed), name)

    def test_calls_a_tool_and_finds_it_in_the_list(self):
        from toolway_client import Client
        from toolway_client.api.calls import call_tool, list_user_calls
        from toolway_client.api.sessions import open_session
        from toolway_client.models import Call, OpenSessionBody, WaitedCall

        with Dev(PROGRAM) as dev, Client(base_url=dev.ready["http"], headers={"X-Toolway-User": "ann"}) as client:
            opened = open_session.sync(client=client, body=OpenSessionBody(session_id="generated", namespaces=["time"]))
            self.assertEqual(opened.session_id, "generated")
            done = call_tool.sync("generated", client=client, body=Call(tool="get_current_time"), prefer="wait=30")
            self.assertIsInstance(done, WaitedCall)
            self.assertEqual(done.outcome, "succeeded")
            deadline = time.monotonic() + 30
            page = list_user_calls.sync(client=client, tool="time.get_current_time")
            while not page.calls and time.monotonic() < deadline:  # it lists what is recorded, which takes a moment
                time.sleep(0.05)
                page = list_user_calls.sync(client=client, tool="time.get_current_time")
            self.assertEqual([call.call_id for call in page.calls], [done.call_id])
            self.assertGreaterEqual(page.calls[0].ran_ms, 0)
            refused = asyncio.run(list_user_calls.asyncio(client=client, since="yesterday"))
            self.assertEqual(refused.code, "invalid_request")


if __name__ == "__main__":
    unittest.main()
