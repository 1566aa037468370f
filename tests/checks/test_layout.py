"""cmake/check_layout.py finds includes that run up, between folders and between rooms."""
import os
import tempfile
import unittest

from check_layout import findings, objection


class Layout(unittest.TestCase):
    def test_folders(self):
        self.assertIsNone(objection('workers/call/held_call.cc', 'bus/bus.h'))
        self.assertIn('workers must not include gateway/', objection('workers/call/held_call.cc', 'gateway/gateway.h'))
        self.assertIsNone(objection('gateway/live/history.h', 'persistence/store/store_reader.h'))
        self.assertIsNotNone(objection('gateway/live/history.h', 'persistence/store/postgres_reader.h'))
        self.assertIsNone(objection('base/json.cc', 'nlohmann/json.h'))

    def test_rooms(self):
        self.assertIsNone(objection('gateway/calls/submit.h', 'gateway/calls/call_plan.h'))
        self.assertIsNone(objection('gateway/calls/submit.h', 'gateway/wire/problem.h'))
        self.assertIn('above it', objection('gateway/wire/problem.h', 'gateway/calls/submit.h'))
        self.assertIn('above them', objection('workers/worker.h', 'workers/pool/call_worker.h'))
        self.assertIn('no list', objection('gateway/attic/old.h', 'gateway/wire/problem.h'))
        self.assertIsNotNone(objection('bus/jetstream/api.h', 'bus/bus.h'))

    def test_rooms_of_rooms(self):
        self.assertIsNone(objection('cli/bench/load/group_run.h', 'cli/bench/figures/load_record.h'))
        self.assertIsNone(objection('cli/bench/load/group_run.h', 'cli/bench/load/schedule.h'))
        self.assertIsNone(objection('cli/bench/bench.cc', 'cli/bench/run/run_scenario.h'))
        self.assertIn('cli/bench/figures must not include cli/bench/load/', objection(
            'cli/bench/figures/load_record.h', 'cli/bench/load/group_run.h'))
        self.assertIn('cli/bench/run must not include cli/bench/bench.h', objection('cli/bench/run/run_scenario.cc', 'cli/bench/bench.h'))
        self.assertIsNone(objection('tools/executors/mcp_client/server_links.h', 'tools/executors/command/sandbox.h'))
        self.assertIn('above it', objection('tools/executors/command/sandbox.h', 'tools/executors/mcp_client/server_links.h'))
        # The rooms around them still decide.
        self.assertIsNone(objection('cli/bench/options/options.h', 'cli/stack/stack.h'))
        self.assertIsNone(objection('cli/command_line.cc', 'cli/bench/kinds/mcp_server.h'))
        self.assertIn('cli/stack must not include', objection('cli/stack/stack.h', 'cli/bench/options/options.h'))
        self.assertIn('cli/bench/attic is in no list', objection('cli/bench/bench.cc', 'cli/bench/attic/old.h'))
        self.assertIn('workers/log/attic is in no list', objection('workers/log/call_log.h', 'workers/log/attic/old.h'))

    def findings_of(self, path, text):
        with tempfile.TemporaryDirectory() as root:
            os.makedirs(os.path.dirname(os.path.join(root, path)))
            with open(os.path.join(root, path), 'w', encoding='utf-8') as file:
                file.write(text)
            return [line.split(' (')[0] for line in findings(root)]

    def test_says_where(self):
        self.assertEqual(self.findings_of('base/up.h', '#pragma once\n\n#include "bus/bus.h"\n'),
                         ['base/up.h:3: base must not include bus/bus.h'])
        self.assertEqual(self.findings_of('tools/executors/http/up.h', '#include "tools/executors/mcp_client/mcp_kind.h"\n'),
                         ['tools/executors/http/up.h:1: tools/executors/http must not include tools/executors/mcp_client/mcp_kind.h, '
                          'which is above it'])

    def test_a_source_in_no_room(self):
        for path, room in (('bus/attic/old.h', 'bus/attic'), ('cli/bench/attic/old.cc', 'cli/bench/attic'),
                           ('cli/bench/load/attic/old.h', 'cli/bench/load/attic'), ('persistence/old.h', 'persistence/.')):
            self.assertEqual(self.findings_of(path, '#include <string>\n'), [f'{path}: {room} is in no list of rooms'])
        self.assertEqual(self.findings_of('mcp/new.h', '#include <string>\n'), [])


if __name__ == '__main__':
    unittest.main()
