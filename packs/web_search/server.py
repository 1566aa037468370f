"""Speaks Brave's Search API with canned data: for tests, the demo, and trying the pack without a key.

    python3 server.py [--port 0] [--token TOKEN] [--per-second N] [--ready-file FILE]

Prints the address that it listens on, and writes it to FILE. Answers /res/v1/web/search and /res/v1/news/search. As Brave's: without
X-Subscription-Token 401, with a wrong one 422 SUBSCRIPTION_TOKEN_INVALID, parameters out of range 422 VALIDATION,
and over the rate 429 RATE_LIMITED with X-RateLimit-* headers. GET /asked lists the queries, without tokens.
"""
import argparse
import json
import os
import re
import threading
import time
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from urllib.parse import parse_qs, urlsplit

PAGES = [
    {"title": "NATS JetStream: streams and consumers", "url": "https://docs.example/nats/jetstream",
     "description": "What a stream keeps, and how durable consumers read it.", "age": "March 3, 2026", "language": "en"},
    {"title": "Durable execution for LLM agents", "url": "https://blog.example/durable-agents",
     "description": "Why a tool call should survive the process that runs it.", "age": "May 12, 2026", "language": "en"},
    {"title": "PostgreSQL partitioning", "url": "https://docs.example/postgres/partitions",
     "description": "Range partitions by time, and dropping the old ones.", "age": "January 20, 2026", "language": "en"},
    {"title": "Rain in the afternoon", "url": "https://weather.example/today",
     "description": "Clouds from the west, and rain after three.", "age": "November 20, 2026", "language": "en"},
]
MORE = {"family_friendly": True, "type": "search_result", "subtype": "generic", "is_live": False,
        "profile": {"name": "Example", "img": "https://imgs.example/x.png"}, "meta_url": {"scheme": "https", "path": "/"}}
FRESHNESS = re.compile(r"^(p[dwmy]|\d{4}-\d\d-\d\dto\d{4}-\d\d-\d\d)$")


def found(query):
    """Pages by how many of the query's words they have; all of them for a query that none has."""
    words = [word.strip('"').lower() for word in query.split()]

    def score(page):
        return sum(word in (page["title"] + page["description"]).lower() for word in words)

    return sorted(filter(score, PAGES), key=score, reverse=True) or PAGES


class Refused(Exception):
    def __init__(self, status, code, detail, headers=None):
        super().__init__(detail)
        self.status, self.code, self.detail, self.headers = status, code, detail, headers or {}


class Limiter:
    """Allows a number of requests in each second."""

    def __init__(self, per_second):
        self.per_second, self.lock, self.second, self.used = per_second, threading.Lock(), 0, 0

    def take(self):
        with self.lock:
            second = int(time.time())
            if second != self.second:
                self.second, self.used = second, 0
            self.used += 1
            left = self.per_second - self.used
        headers = {"X-RateLimit-Limit": f"{self.per_second}, 15000", "X-RateLimit-Policy": f"{self.per_second};w=1, 15000;w=2592000",
                   "X-RateLimit-Remaining": f"{max(0, left)}, 14000", "X-RateLimit-Reset": "1, 1419704"}
        if left < 0:
            raise Refused(429, "RATE_LIMITED", "Request rate limit exceeded for plan.", headers)
        return headers


def number(query, name, low, high, default):
    text = query.get(name, [str(default)])[0]
    if not re.fullmatch(r"\d+", text) or not low <= int(text) <= high:
        raise Refused(422, "VALIDATION", f"{name}: Input should be from {low} to {high}")
    return int(text)


def search(path, query):
    term = query.get("q", [""])[0]
    if not term or len(term) > 400 or len(term.split()) > 50:
        raise Refused(422, "VALIDATION", "q: must have 1 to 400 characters and at most 50 words")
    if query.get("safesearch", ["moderate"])[0] not in ("off", "moderate", "strict"):
        raise Refused(422, "VALIDATION", "safesearch: must be off, moderate or strict")
    if "freshness" in query and not FRESHNESS.match(query["freshness"][0]):
        raise Refused(422, "VALIDATION", "freshness: must be pd, pw, pm, py or a span of dates")
    count, offset = number(query, "count", 1, 20, 20), number(query, "offset", 0, 9, 0)
    hits = found(term)
    results = [page | MORE for page in hits[offset * count:(offset + 1) * count]]
    about = {"original": term, "more_results_available": len(hits) > (offset + 1) * count, "country": "us", "bad_results": False}
    if path.startswith("/res/v1/news"):
        for result in results:
            result["meta_url"] = result["meta_url"] | {"hostname": urlsplit(result["url"]).hostname}
        return {"type": "news", "query": about, "results": results}
    return {"type": "search", "query": about, "mixed": {"type": "mixed", "main": []}, "web": {"type": "search", "results": results}}


class Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"

    def do_GET(self):
        try:
            self.answer(200, *self.serve())
        except Refused as refused:
            self.answer(refused.status, {"type": "ErrorResponse", "time": int(time.time()), "error": {
                "id": "00000000-0000-0000-0000-000000000000", "status": refused.status, "code": refused.code, "detail": refused.detail,
                "meta": {}}}, refused.headers)

    def serve(self):
        url = urlsplit(self.path)
        if url.path == "/asked":
            return {"asked": list(self.server.asked)}, {}
        if url.path not in ("/res/v1/web/search", "/res/v1/news/search"):
            raise Refused(404, "NOT_FOUND", "no such resource")
        token = self.headers.get("X-Subscription-Token")
        if not token:
            raise Refused(401, "UNAUTHORIZED", "The x-subscription-token header is missing.")
        if token != self.server.token:
            raise Refused(422, "SUBSCRIPTION_TOKEN_INVALID", "The provided subscription token is invalid.")
        headers = self.server.limiter.take()
        query = parse_qs(url.query, keep_blank_values=True)
        self.server.asked.append({"path": url.path, "query": query})
        return search(url.path, query), headers

    def answer(self, status, body, headers):
        data = json.dumps(body).encode()
        self.send_response(status)
        for name, value in ({"Content-Type": "application/json", "Content-Length": str(len(data))} | headers).items():
            self.send_header(name, value)
        self.end_headers()
        self.wfile.write(data)

    def log_message(self, *_):
        pass


def main():
    options = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    options.add_argument("--port", type=int, default=0)
    options.add_argument("--token", default="test-token")
    options.add_argument("--per-second", type=int, default=50)
    options.add_argument("--ready-file")
    chosen = options.parse_args()
    server = ThreadingHTTPServer(("127.0.0.1", chosen.port), Handler)
    server.daemon_threads = True
    server.token, server.limiter, server.asked = chosen.token, Limiter(chosen.per_second), []
    url = f"http://127.0.0.1:{server.server_port}"
    print(url, flush=True)
    if chosen.ready_file:
        with open(chosen.ready_file + ".new", "w", encoding="ascii") as file:
            file.write(url)
        os.rename(chosen.ready_file + ".new", chosen.ready_file)  # there at once, and whole
    server.serve_forever()


if __name__ == "__main__":
    main()
