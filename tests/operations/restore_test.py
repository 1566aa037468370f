"""Backup and restore as docs/operations.md has them, on a whole stack: what was recorded is there, mailboxes and sessions go on.

    TOOLWAY_PROGRAM=build/toolway python3 -m unittest discover --start-directory tests/operations --pattern '*_test.py'
"""
import os
import shutil
import subprocess
import unittest

from fleet import Fleet, give, postgres, postgres_program, temporary, wait_for


class Restore(unittest.TestCase):
    def setUp(self):
        directory = temporary()
        self.addCleanup(directory.cleanup)
        self.fleet = Fleet(directory.name)
        self.addCleanup(self.fleet.stop)
        self.fleet.start()
        self.fleet.open("chat")
        self.calls = []
        self.make_calls(30)
        # The first ten are read, the others are not.
        page = self.fleet.must("GET", "/v1/sessions/chat/completions?limit=10")
        self.cursor = page["next"]
        self.fleet.must("POST", "/v1/sessions/chat/completions:ack", {"cursor": self.cursor})
        wait_for(lambda: self.fleet.sql("SELECT read_xid || '-' || read_number FROM sessions") == self.cursor, "the cursor is recorded")

    def make_calls(self, count):
        self.calls += [self.fleet.call("chat", f"payload {len(self.calls) + i}") for i in range(count)]
        wait_for(lambda: self.fleet.count("completions") == len(self.calls), "every completion is recorded")

    def after_restore(self):
        return self.fleet.run("migrate", "--after-restore")

    def expect_everything(self):
        """Every call with its result; the mailbox continues after what was read, and new completions come into it."""
        fleet = self.fleet
        wait_for(lambda: fleet.count("completions") == len(self.calls), "what was in the streams is recorded")
        for number, call in enumerate(self.calls):
            shown = fleet.must("GET", f"/v1/calls/{call}")
            self.assertEqual((shown["outcome"], shown["result"]), ("succeeded", {"payload": f"payload {number}"}))
        unread, _ = wait_for(lambda: (lambda box: box if len(box[0]) == len(self.calls) - 10 else None)(fleet.mailbox("chat")), "the mailbox")
        self.assertEqual(sorted(unread), sorted(self.calls[10:]))
        self.make_calls(5)
        _, last = fleet.mailbox("chat")
        fleet.must("POST", "/v1/sessions/chat/completions:ack", {"cursor": last})
        self.make_calls(1)
        self.assertEqual(fleet.mailbox("chat")[0], self.calls[-1:], "a new completion comes after every cursor that was given")

    def lose_postgres(self, backup=None):
        """Stops everything, and has `backup` instead of the cluster; none: an empty one."""
        data, owner = self.fleet.postgres_data()
        self.fleet.stop()
        shutil.rmtree(data)
        if backup:
            shutil.copytree(backup, data)
            give(data, owner)
            os.chmod(data, 0o700)

    def test_a_base_backup_and_what_the_streams_have(self):
        # A cluster of `toolway dev` has neither replicas nor backups, and so no senders.
        self.fleet.sql("ALTER SYSTEM SET wal_level = 'replica'")
        self.fleet.sql("ALTER SYSTEM SET max_wal_senders = 4")
        self.fleet.stop()
        self.fleet.start()
        backup = self.fleet.directory / "base"
        subprocess.run([postgres_program("pg_basebackup"), "-D", str(backup), "-X", "stream", "-c", "fast"], check=True,
                       env=postgres(self.fleet.ready["postgres"]))
        self.make_calls(10)  # after the backup: in Postgres they are lost, in the streams they are not
        self.lose_postgres(backup)
        self.fleet.start()
        self.assertEqual(self.fleet.count("completions"), 30)
        self.after_restore()
        self.expect_everything()

    def test_a_dump_into_a_new_cluster(self):
        # An older cluster than the one that it is put into: its transaction ids are larger.
        self.fleet.sql("DO $$ BEGIN FOR i IN 1..20000 LOOP PERFORM pg_current_xact_id(); COMMIT; END LOOP; END $$")
        self.make_calls(10)
        dump = str(self.fleet.directory / "dump")
        subprocess.run(["pg_dump", "-Fc", "-f", dump], check=True, env=postgres(self.fleet.ready["postgres"]))
        self.make_calls(10)
        self.lose_postgres()
        self.fleet.start()
        # The new stack has made its tables already; the dump brings its own.
        self.fleet.sql("DROP SCHEMA public CASCADE; CREATE SCHEMA public")
        subprocess.run(["pg_restore", "-d", "toolway", "--single-transaction", dump], check=True, env=postgres(self.fleet.ready["postgres"]))
        self.assertEqual(self.fleet.count("completions"), 40)
        self.assertLess(len(self.fleet.mailbox("chat")[0]), 30, "without the step after a restore the newest completions are not shown")
        self.after_restore()
        self.expect_everything()

    def test_nats_is_lost_and_postgres_is_not(self):
        self.fleet.open("used")
        wait_for(lambda: self.fleet.sql("SELECT count(*) FROM sessions") == "2", "both sessions are recorded")
        self.fleet.stop()
        shutil.rmtree(self.fleet.data / "nats")
        self.fleet.start()
        self.assertEqual(self.fleet.ask("GET", "/v1/sessions/used")[0], 200, "a session that is used comes back by itself")
        said = self.after_restore()
        self.assertIn("1 sessions put back", said)
        self.expect_everything()
        # Events of before and after the loss, in one order.
        page = self.fleet.must("GET", "/v1/sessions/chat/events?after=0&limit=1000", headers={"Accept": "application/json"})
        completed = [event["call_id"] for event in page["events"] if event["type"] == "completed"]
        self.assertEqual(completed, self.calls)

    def test_the_file_store_of_nats_moves_to_another_place(self):
        self.fleet.stop()
        moved = self.fleet.directory / "moved"
        shutil.copytree(self.fleet.data / "nats", moved)
        shutil.rmtree(self.fleet.data / "nats")
        shutil.copytree(moved, self.fleet.data / "nats")
        self.fleet.start()
        self.expect_everything()

    def test_the_step_after_a_restore_does_no_harm_without_one(self):
        for _ in range(2):
            self.assertIn("0 sessions put back", self.after_restore())
        self.expect_everything()


if __name__ == "__main__":
    unittest.main()
