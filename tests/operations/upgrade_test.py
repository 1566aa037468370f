"""An upgrade as docs/operations.md has it: a database of an older schema, with rows, is migrated, and all of it is read.

The older schema is made of the first migrations alone; its rows come from a stack of today, without the columns that
came later. What a program of that age would have written beyond that is not tried here.
"""
import json
import os
import pathlib
import subprocess
import unittest
import urllib.request

from fleet import PROGRAM, Fleet, postgres, temporary, wait_for

MIGRATIONS = sorted((pathlib.Path(__file__).parents[2] / "persistence" / "migrations").glob("[0-9]*_*.sql"))
# 5: before mailboxes, retries and candidates, the newest that have changed tables that existed.
OLDER = 5


def checksum(text):
    """FNV-1a, 64 bits, as schema_migrations has it."""
    value = 0xCBF29CE484222325
    for byte in text:
        value = ((value ^ byte) * 0x100000001B3) % 2**64
    return f"{value:016x}"


class Upgrade(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.directory = temporary()
        cls.addClassCleanup(cls.directory.cleanup)
        cls.fleet = fleet = Fleet(cls.directory.name)
        cls.addClassCleanup(fleet.stop)
        fleet.start()
        fleet.open("chat")
        cls.calls = [fleet.call("chat", f"payload {i}") for i in range(25)]
        wait_for(lambda: fleet.count("completions") == 25 and fleet.count("sessions") == 1, "every completion is recorded")
        cls.older = cls.make_older()

    @classmethod
    def make_older(cls):
        fleet = cls.fleet
        base, query = (fleet.ready["postgres"].split("?") + [""])[:2]
        older = base.rsplit("/", 1)[0] + "/older" + ("?" + query if query else "")
        fleet.sql("CREATE DATABASE older")
        for number, path in enumerate(MIGRATIONS[:OLDER], 1):
            fleet.sql(path.read_text(), older)
            fleet.sql("CREATE TABLE IF NOT EXISTS schema_migrations (version integer PRIMARY KEY, name text NOT NULL, applied_at timestamptz NOT NULL "
                      f"DEFAULT now(), checksum text NOT NULL); INSERT INTO schema_migrations VALUES ({number}, '{path.stem}', now(), "
                      f"'{checksum(path.read_bytes())}')", older)
        for table in ("calls", "call_events", "completions", "sessions"):
            columns = fleet.sql(f"SELECT string_agg(quote_ident(column_name), ', ' ORDER BY ordinal_position) FROM information_schema.columns "
                                f"WHERE table_name = '{table}'", older)
            copied = subprocess.run(["psql", "-qXc", f"COPY (SELECT {columns} FROM {table}) TO STDOUT"], capture_output=True, check=True,
                                    env=postgres(fleet.ready["postgres"]))
            subprocess.run(["psql", "-qXc", f"COPY {table} ({columns}) FROM STDIN"], input=copied.stdout, check=True, env=postgres(older))
        return older

    def stream_limit(self, stream):
        with urllib.request.urlopen(self.fleet.ready["metrics"]["gateway"][0]) as answer:
            lines = answer.read().decode().splitlines()
        return next((float(line.split()[-1]) for line in lines if line.startswith(f'toolway_stream_limit_bytes{{stream="{stream}"}}')), None)

    def migrate(self, url, *more):
        return subprocess.run([PROGRAM, "migrate", *more], capture_output=True, text=True, check=False,
                              env={**os.environ, "TOOLWAY_POSTGRES_URL": url, "TOOLWAY_NATS_URL": self.fleet.ready["nats"]})

    def test_rows_of_an_older_schema_are_read_after_migrate(self):
        before = {table: self.fleet.count(table, self.older) for table in ("calls", "completions", "sessions")}
        self.assertEqual(before, {"calls": 25, "completions": 25, "sessions": 1})
        first = self.migrate(self.older)
        self.assertEqual(first.returncode, 0, first.stderr)
        for path in MIGRATIONS[OLDER:]:
            self.assertIn(f"applied {path.stem}", first.stderr)
        again = self.migrate(self.older)
        self.assertEqual((again.returncode, "applied" in again.stderr), (0, False), again.stderr)
        self.assertEqual(before, {table: self.fleet.count(table, self.older) for table in before})
        # A gateway that reads the migrated database.
        ready = self.fleet.directory / "gateway.json"
        gateway = subprocess.Popen([PROGRAM, "gateway", "--http", "127.0.0.1:0", "--trust-user-header", "loopback", "--ready-file", str(ready),
                                    "--log-level", "error"], env={**os.environ, "TOOLWAY_POSTGRES_URL": self.older,
                                                                      "TOOLWAY_NATS_URL": self.fleet.ready["nats"]})
        try:
            wait_for(lambda: ready.exists() or gateway.poll() is not None, "the gateway")
            reader = Fleet(self.directory.name)
            reader.ready_file = ready
            for number, call in enumerate(self.calls):
                self.assertEqual(reader.must("GET", f"/v1/calls/{call}")["result"], {"payload": f"payload {number}"})
            self.assertEqual(sorted(reader.mailbox("chat")[0]), sorted(self.calls))
        finally:
            gateway.terminate()
            gateway.wait(60)

    def test_what_migrate_is_not_told_stays_as_it_is(self):
        """Streams that shrink lose what they keep, so a bare `migrate`, also after a restore, leaves them as they are."""
        self.fleet.sql("CREATE DATABASE sized")
        url = self.older.replace("/older", "/sized")
        unknown = self.migrate(url, "--after-restore")
        self.assertNotEqual(unknown.returncode, 0)
        self.assertIn("--window-gib", unknown.stderr)
        first = self.migrate(url, "--window-gib", "2", "--partitions", "native=4")
        self.assertEqual(first.returncode, 0, first.stderr)
        layout = self.fleet.sql("SELECT layout FROM stream_layout", url)
        self.assertEqual(json.loads(layout)["max_bytes"], 2 << 30)
        for more in ((), ("--after-restore",), ("--pool", "gpu")):
            again = self.migrate(url, *more)
            self.assertEqual(again.returncode, 0, again.stderr)
            after = json.loads(self.fleet.sql("SELECT layout FROM stream_layout", url))
            self.assertEqual((after["max_bytes"], {pool["name"]: pool["partitions"] for pool in after["pools"]}["native"]), (2 << 30, 4))
        wait_for(lambda: self.stream_limit("CALLS") == 2 << 30, "the gateway shows the stream's limit")

    def test_a_program_of_before_refuses_a_schema_that_it_does_not_know(self):
        """Rolling back a program over a newer schema: `migrate` says so, and changes nothing."""
        self.fleet.sql("CREATE DATABASE newer TEMPLATE template0")
        newer = self.older.replace("/older", "/newer")
        self.assertEqual(self.migrate(newer).returncode, 0)
        count = len(MIGRATIONS) + 1
        self.fleet.sql(f"INSERT INTO schema_migrations VALUES ({count}, '{count:04}_of_the_future', now(), '0')", newer)
        refused = self.migrate(newer)
        self.assertNotEqual(refused.returncode, 0)
        self.assertIn("newer", refused.stderr)


if __name__ == "__main__":
    unittest.main()
