#!/usr/bin/env python3
"""Builds the container image for real, with buildah on a base of this machine's Debian, and runs what is in it.

image_test.py STORAGE PRESET: PRESET is the one that this machine's build used, whose compiler cache then serves.
"""
import json
import pathlib
import re
import subprocess
import sys
import unittest

ROOT = pathlib.Path(__file__).resolve().parents[2]
STORAGE, PRESET = sys.argv[1:3]
TAG = "toolway:test"


def text_of(*command) -> str:
    ran = subprocess.run(command, check=False, capture_output=True, text=True)
    if ran.returncode != 0:
        raise AssertionError(f"{command} ended with {ran.returncode}: {ran.stdout[-6000:]}{ran.stderr[-6000:]}")
    return ran.stdout.strip()


def buildah(*arguments) -> str:
    driver = pathlib.Path(STORAGE, "driver").read_text().strip()
    return text_of("buildah", "--root", f"{STORAGE}/images", "--runroot", f"{STORAGE}/run", "--storage-driver", driver, *arguments)


class Image(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        codename = re.search(r"^VERSION_CODENAME=(\w+)", pathlib.Path("/etc/os-release").read_text(), re.M).group(1)
        built = text_of("nice", str(ROOT / "k8s/image.sh"), "--base", codename, "--preset", PRESET, "--tag", TAG,
                        "--storage", STORAGE, "--ccache", text_of("ccache", "--get-config", "cache_dir"))
        print("\n".join(line for line in built.splitlines() if re.search("Hits:|Misses:", line)), file=sys.stderr)
        cls.container = buildah("from", "--pull=never", *pathlib.Path(STORAGE, "limits").read_text().split(), TAG)
        cls.root = pathlib.Path(buildah("mount", cls.container))

    @classmethod
    def tearDownClass(cls):
        buildah("rm", cls.container)

    def run_in(self, *command) -> str:
        return buildah("run", "--isolation", "chroot", "--volume", f"{ROOT}/examples/tools:/tools:ro", self.container, "--", *command)

    def run_tool(self, tool, arguments):
        return json.loads(self.run_in("toolway", "tools", "run", tool, json.dumps(arguments), "--specs", "/tools/python.yaml",
                                      "--python-path", "/tools", "--output", "json"))["result"]

    def test_the_program_runs_and_not_as_root(self):
        self.assertRegex(self.run_in("toolway", "--version"), r"^toolway \d+\.\d+\.\d+$")
        for process in ("gateway", "worker", "collector", "migrate"):
            self.assertIn("--log-level", self.run_in("toolway", process, "--help"))
        self.assertEqual(self.run_in("id", "-u"), "10001")

    def test_tools_run_in_it(self):
        self.assertEqual(self.run_tool("examples.calculate_sum", {"numbers": [19, 23]}), 42)
        self.assertIn("+09:00", json.dumps(self.run_tool("time.get_current_time", {"timezone": "Asia/Tokyo"})))

    def test_it_has_what_tools_need_and_no_compiler(self):
        for needed in ("usr/bin/bwrap", "usr/bin/python3", "usr/share/zoneinfo/Asia/Tokyo", "etc/ssl/certs/ca-certificates.crt"):
            self.assertTrue((self.root / needed).exists(), needed)
        for program in ("g++", "cmake", "ninja", "ccache", "nats-server"):
            self.assertFalse((self.root / "usr/bin" / program).exists(), program)
        self.assertFalse((self.root / "usr/lib/postgresql").exists())
        self.assertFalse((self.root / str(ROOT).lstrip("/")).exists(), "no sources")

    def test_it_says_what_it_is(self):
        config = json.loads(buildah("inspect", "--type", "image", TAG))["OCIv1"]["config"]
        self.assertEqual(config["User"], "10001:10001")
        self.assertEqual(config["Entrypoint"], ["/usr/bin/toolway"])
        self.assertEqual(config["Labels"]["org.opencontainers.image.title"], "toolway")

    def test_it_is_small(self):
        megabytes = int(text_of("du", "--summarize", "--block-size=1M", str(self.root)).split()[0])
        print(f"the image has {megabytes} MB", file=sys.stderr)
        self.assertLess(megabytes, 400)


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1])
