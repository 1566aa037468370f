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

    def test_says_where(self):
        with tempfile.TemporaryDirectory() as root:
            os.makedirs(os.path.join(root, 'base'))
            with open(os.path.join(root, 'base/up.h'), 'w', encoding='utf-8') as file:
                file.write('#pragma once\n\n#include "bus/bus.h"\n')
            self.assertEqual([line.split(' (')[0] for line in findings(root)],
                             ['base/up.h:3: base must not include bus/bus.h'])


if __name__ == '__main__':
    unittest.main()
