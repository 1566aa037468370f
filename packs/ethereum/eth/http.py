"""One HTTP request, with a time-out, a size, and errors that never show the URL: it may hold a key."""
import http.client
import json
import socket
import urllib.error
import urllib.request

from toolway import ToolError

TIMEOUT_SECONDS = 10
MOST_BYTES = 8 * 1024 * 1024


class _NoRedirects(urllib.request.HTTPRedirectHandler):
    """The key must not travel to where an answer says."""

    def redirect_request(self, *_):
        return None


_opener = urllib.request.build_opener(_NoRedirects)


def hidden(text, secrets):
    """`text` without any of these."""
    for secret in secrets:
        if secret:
            text = text.replace(secret, "[secret]")
    return text


def _seconds(header):
    try:
        return min(max(float(header), 0.0), 3600.0)
    except (TypeError, ValueError):
        return None


def _status_error(who, status, headers):
    if status == 429:
        return ToolError("rate_limited", f"{who} asks for fewer requests", True, {"status": status}, _seconds(headers.get("Retry-After")))
    if status >= 500:
        return ToolError("upstream_failed", f"{who} answers with status {status}", True, {"status": status}, _seconds(headers.get("Retry-After")))
    if status in (401, 403):
        return ToolError("upstream_refused", f"{who} refuses the key or the request (status {status})", False, {"status": status})
    return ToolError("upstream_failed", f"{who} answers with status {status}", False, {"status": status})


def ask_json(who, url, body=None):
    """The JSON of the answer. `who`: for messages, instead of the URL.

    Raises ToolError: rate_limited, upstream_failed, upstream_refused, upstream_unreachable, upstream_invalid.
    """
    if not url.startswith(("http://", "https://")):
        raise ToolError("not_configured", f"the URL of {who} does not begin with http:// or https://")
    headers = {"Accept": "application/json", "User-Agent": "toolway-ethereum"}
    if body is not None:
        headers["Content-Type"] = "application/json"
    try:
        request = urllib.request.Request(url, None if body is None else json.dumps(body).encode(), headers)
        with _opener.open(request, timeout=TIMEOUT_SECONDS) as answer:
            text = answer.read(MOST_BYTES + 1)
    except urllib.error.HTTPError as error:
        error.close()
        raise _status_error(who, error.code, error.headers) from None
    except (urllib.error.URLError, socket.timeout, OSError, http.client.HTTPException, ValueError) as error:
        reason = getattr(error, "reason", error)
        kind = "does not answer in time" if isinstance(reason, (socket.timeout, TimeoutError)) else "cannot be reached"
        raise ToolError("upstream_unreachable", f"{who} {kind} ({type(reason).__name__})", True) from None
    if len(text) > MOST_BYTES:
        raise ToolError("upstream_too_large", f"{who} answers with more than {MOST_BYTES >> 20} MiB; ask for less")
    try:
        return json.loads(text)
    except RecursionError:
        raise ToolError("upstream_invalid", f"{who} answers with JSON that is nested too deeply") from None
    except ValueError:
        raise ToolError("upstream_invalid", f"{who} does not answer with JSON", True) from None
