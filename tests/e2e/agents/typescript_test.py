"""The agent of examples/agents/typescript, compiled and run by Node against a stack and a scripted model: the tests of the Python ones.

usage: typescript_test.py TOOLWAY MODULES      MODULES: a directory with node_modules of its package-lock.json
"""

import pathlib
import shutil
import subprocess
import sys
import tempfile
import unittest

MODULES = pathlib.Path(sys.argv.pop(2)).resolve() / "node_modules"

import agents_test  # noqa: E402: it takes the program from sys.argv

SOURCES = agents_test.ROOT / "examples/agents/typescript"


def setUpModule():
    directory = tempfile.TemporaryDirectory()
    unittest.addModuleCleanup(directory.cleanup)
    here = pathlib.Path(directory.name) / "typescript"
    shutil.copytree(SOURCES, here, ignore=shutil.ignore_patterns("out", "node_modules"))
    (here / "node_modules").symlink_to(MODULES)
    compiled = subprocess.run([MODULES / ".bin/tsc", "-p", here], capture_output=True, text=True)
    if compiled.returncode != 0:
        raise AssertionError(compiled.stdout)
    agents_test.AGENTS = ("openai_chat",)
    agents_test.command_of = lambda name: ["node", here / f"out/{name}.js"]
    agents_test.setUpModule()


class TypeScriptAgent(agents_test.Agents):
    pass


# Inherited above: not twice.
agents_test.Agents = None

if __name__ == "__main__":
    unittest.main(verbosity=2)
