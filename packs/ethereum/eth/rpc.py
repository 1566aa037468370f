"""A node by JSON-RPC (ethereum.org, "Ethereum JSON-RPC Specification"). Only methods that read."""
import re

from toolway import ToolError

from . import abi
from .abi_types import parse_type
from .chains import rpc_secret
from .http import ask_json, hidden

WHO = "the JSON-RPC node"
_QUANTITY = re.compile(r"0x[0-9a-fA-F]{1,64}\Z")
_DATA = re.compile(r"0x(?:[0-9a-fA-F]{2})*\Z")
_READS = ("eth_blockNumber", "eth_call", "eth_estimateGas", "eth_getBalance", "eth_getBlockByHash", "eth_getBlockByNumber",
          "eth_getCode", "eth_getLogs", "eth_getTransactionByHash", "eth_getTransactionCount", "eth_getTransactionReceipt")
ERROR_STRING = abi.selector("Error(string)")
PANIC = abi.selector("Panic(uint256)")
# docs.soliditylang.org, "Panic via assert and Error via require".
PANICS = {0x00: "generic panic", 0x01: "assertion failed", 0x11: "arithmetic overflow or underflow", 0x12: "division by zero",
          0x21: "value is not a member of the enum", 0x22: "storage byte array is incorrectly encoded", 0x31: "pop on an empty array",
          0x32: "index out of bounds", 0x41: "too much memory", 0x51: "call of an uninitialised internal function"}


def invalid(what):
    return ToolError("upstream_invalid", f"{WHO} sent an invalid answer: {what}", True)


def revert_of(data):
    """What a revert's data says: {kind, reason, data}."""
    said = {"kind": "custom" if data else "empty", "reason": None, "data": "0x" + data.hex()}
    try:
        if data[:4] == ERROR_STRING:
            said.update(kind="error", reason=abi.decode([parse_type("string")], data[4:])[0])
        elif data[:4] == PANIC:
            code = int(abi.decode([parse_type("uint256")], data[4:])[0])
            said.update(kind="panic", code=code, reason=PANICS.get(code, "panic 0x%x" % code))
    except ToolError:
        pass  # begins like one of these, and is not
    return said


class Reverted(ToolError):
    def __init__(self, revert):
        reason = revert["reason"] or ("without a reason" if revert["kind"] == "empty" else f"with {revert['data'][:74]}")
        super().__init__("execution_reverted", f"the contract reverted: {reason}", details=revert)
        self.revert = revert


class Node:
    """The node of one chain; for one call of a tool."""

    def __init__(self, context, chain):
        name = rpc_secret(chain)
        self._url = context.secret(name)
        if not self._url:
            raise ToolError("not_configured", f"the worker has no secret {name}: the URL of a JSON-RPC node of {chain}")
        self._id = 0

    def ask(self, method, *params):
        """The result. Raises ToolError: those of ask_json, execution_reverted, rpc_error."""
        assert method in _READS, method
        self._id += 1
        answer = ask_json(WHO, self._url, {"jsonrpc": "2.0", "id": self._id, "method": method, "params": list(params)})
        if not isinstance(answer, dict) or ("result" not in answer) == ("error" not in answer):
            raise invalid("neither a result nor an error")
        if answer.get("id") != self._id and not (answer.get("id") is None and "error" in answer):
            raise invalid("an answer to another request")
        if "error" in answer and answer["error"] is not None:
            raise self._error(answer["error"])
        return answer.get("result")

    def _error(self, error):
        if not isinstance(error, dict):
            return invalid("an error that is not an object")
        code, data = error.get("code"), error.get("data")
        message = hidden(str(error.get("message", ""))[:500], [self._url])
        if isinstance(data, dict):  # some nodes wrap it
            data = data.get("data")
        reverted = code == 3 or "revert" in message.lower()
        if reverted:
            raw = data if isinstance(data, str) and _DATA.match(data) else "0x"
            return Reverted(revert_of(bytes.fromhex(raw[2:])))
        if code == -32005 or "rate limit" in message.lower() or "too many requests" in message.lower():
            return ToolError("rate_limited", f"{WHO} asks for fewer requests: {message}", True, {"rpc_code": code})
        return ToolError("rpc_error", f"{WHO} refuses: {message}", code == -32603, {"rpc_code": code if isinstance(code, int) else None})

    def quantity(self, method, *params):
        return quantity(self.ask(method, *params), method)

    def data(self, method, *params):
        return data_of(self.ask(method, *params), method)


def quantity(value, where):
    """A number as JSON-RPC has it."""
    if not isinstance(value, str) or not _QUANTITY.match(value):
        raise invalid(f"{where} is not a number in hex")
    return int(value, 16)


def data_of(value, where):
    if not isinstance(value, str) or not _DATA.match(value):
        raise invalid(f"{where} is not bytes in hex")
    return bytes.fromhex(value[2:])
