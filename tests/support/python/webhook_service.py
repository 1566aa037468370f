#!/usr/bin/env python3
"""A service that Toolway asks about calls, on a real HTTP server: webhook_service.py PORT_FILE SECRET

Checks each signature by itself (RFC 2104 and Standard Webhooks, with Python's own library), and decides by the tool's name: `hash_file` is refused,
everything else may run. A wrong or old signature gets 401. Writes its port into PORT_FILE."""

import base64
import hashlib
import hmac
import http.server
import json
import os
import sys
import time

PORT_FILE, SECRET = sys.argv[1:3]
KEY = base64.b64decode(SECRET.removeprefix("whsec_"))


class Service(http.server.BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"

    def do_POST(self):
        body = self.rfile.read(int(self.headers["Content-Length"]))
        at = self.headers["webhook-timestamp"]
        signed = f"{self.headers['webhook-id']}.{at}.".encode() + body
        wanted = "v1," + base64.b64encode(hmac.new(KEY, signed, hashlib.sha256).digest()).decode()
        right = any(hmac.compare_digest(wanted, one) for one in self.headers["webhook-signature"].split())
        if not right or abs(time.time() - int(at)) > 300:
            return self.answer(401, {})
        data = json.loads(body)["data"]
        if data["tool"]["name"] == "hash_file":
            return self.answer(200, {"decision": "refuse", "message": f"not for {data['caller']['user']}"})
        return self.answer(200, {"decision": "allow"})

    def answer(self, status, value):
        text = json.dumps(value).encode()
        self.send_response(status)
        self.send_header("Content-Type", "application/json")
        self.send_header("Content-Length", str(len(text)))
        self.end_headers()
        self.wfile.write(text)

    def log_message(self, *_):
        pass


server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Service)
with open(PORT_FILE + ".new", "w", encoding="ascii") as file:
    file.write(str(server.server_port))
os.rename(PORT_FILE + ".new", PORT_FILE)
server.serve_forever()
