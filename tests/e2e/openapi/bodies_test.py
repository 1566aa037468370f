"""A POST may leave out its body, and the type of that, exactly where docs/openapi.yaml says so."""

import http.client
import pathlib
import sys
import unittest
import urllib.parse

import yaml

PROGRAM = sys.argv.pop(1)
ROOT = pathlib.Path(__file__).resolve().parents[3]
sys.path.insert(0, str(ROOT / "tests/e2e/telemetry"))
from dev_stack import Dev  # noqa: E402

DOCUMENT = yaml.safe_load((ROOT / "docs/openapi.yaml").read_text())
IDS = {"{s}": "none", "{c}": "01a210ad-3ffc-7b6e-9748-bae8c8bcea3d", "{name}": "shop.buy"}


class Bodies(unittest.TestCase):
    def test_may_be_left_out_where_the_document_says_so(self):
        with Dev(PROGRAM) as dev:
            gateway = urllib.parse.urlsplit(dev.ready["http"]).netloc
            operator = (pathlib.Path(dev.directory.name) / "data/run/operator-token").read_text().strip()
            posts = {path: item["post"] for path, item in DOCUMENT["paths"].items() if "post" in item and not path.startswith("/mcp")}
            self.assertGreater(len(posts), 15)
            for path, operation in posts.items():
                needed = operation.get("requestBody", {}).get("required", False)
                for name, value in IDS.items():
                    path = path.replace(name, value)
                with self.subTest(path):
                    connection = http.client.HTTPConnection(gateway, timeout=30)
                    connection.request("POST", path, headers={"Authorization": f"Bearer {operator}"} if "/specs" in path else {})
                    answer = connection.getresponse()
                    self.assertEqual(answer.status == 415, needed, answer.read())
                    connection.close()


if __name__ == "__main__":
    unittest.main()
