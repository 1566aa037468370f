"""Etherscan's API, version 2 (docs.etherscan.io): one endpoint for all chains, told apart by chainid."""
import urllib.parse

from toolway import ToolError

from .chains import chain_id
from .http import ask_json, hidden

WHO = "Etherscan"
URL = "https://api.etherscan.io/v2/api"


def ask_etherscan(context, chain, **parameters):
    """The `result` of an answer whose status is 1; an empty list when nothing was found.

    Raises ToolError: those of ask_json, not_configured, not_verified, rate_limited, upstream_refused, etherscan_error.
    """
    key = context.secret("ETHERSCAN_API_KEY")
    if not key:
        raise ToolError("not_configured", "the worker has no secret ETHERSCAN_API_KEY: a key of etherscan.io")
    base = context.secret("ETHERSCAN_URL") or URL
    query = urllib.parse.urlencode({"chainid": chain_id(chain), **parameters, "apikey": key})
    answer = ask_json(WHO, f"{base}?{query}")
    if not isinstance(answer, dict) or "result" not in answer:
        raise ToolError("upstream_invalid", "Etherscan sent an invalid answer: no result", True)
    if str(answer.get("status")) == "1":
        return answer["result"]
    result = answer["result"]
    said = result if isinstance(result, str) else str(answer.get("message", ""))
    said = hidden(said[:300], [key, base])
    if str(answer.get("message", "")).startswith("No ") and result in ([], None, ""):
        return []
    lower = said.lower()
    if "rate limit" in lower:
        raise ToolError("rate_limited", f"Etherscan asks for fewer requests: {said}", True, retry_after=1)
    if "api key" in lower:
        raise ToolError("upstream_refused", f"Etherscan refuses the key: {said}")
    if "not verified" in lower:
        raise ToolError("not_verified", "the contract's source code is not verified at Etherscan, so its ABI is not known")
    raise ToolError("etherscan_error", f"Etherscan refuses: {said}")
