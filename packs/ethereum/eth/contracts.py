"""Tools: the encoding of calls, and what Etherscan knows of contracts and accounts."""
import json

from toolway import Context, ToolError

from . import abi
from .abi_types import parse_type
from .etherscan import ask_etherscan
from .rpc import Node, Reverted
from .values import address as checked_address
from .values import block_of, decimal_text


def encode_function_call(signature, arguments=None):
    parsed, data = abi.encode_call(signature, arguments if arguments is not None else [])
    return {"signature": parsed.canonical, "selector": "0x" + data[:4].hex(), "data": "0x" + data.hex(), "bytes": len(data)}


def _type_text(parameter):
    """A parameter of a JSON ABI as a signature has it."""
    kind = str(parameter.get("type", ""))
    if kind.startswith("tuple"):
        return "(" + ",".join(map(_type_text, parameter.get("components") or [])) + ")" + kind[len("tuple"):]
    return kind


def _signatures(entries, kind):
    found = []
    for entry in entries:
        if isinstance(entry, dict) and entry.get("type") == kind:
            text = f"{entry.get('name', '')}({','.join(map(_type_text, entry.get('inputs') or []))})"
            if kind == "function":
                text += f"({','.join(map(_type_text, entry.get('outputs') or []))})"
            found.append(text)
    return sorted(found)


def get_contract_abi(address, context: Context, chain="ethereum"):
    where = checked_address(address)
    text = ask_etherscan(context, chain, module="contract", action="getabi", address=where)
    try:
        entries = json.loads(text)
        if not isinstance(entries, list):
            raise ValueError
        return {"address": where, "chain": chain, "functions": _signatures(entries, "function"),
                "events": _signatures(entries, "event"), "abi": entries}
    except (TypeError, ValueError, AttributeError, RecursionError):
        raise ToolError("upstream_invalid", "Etherscan's ABI is not a list of entries") from None


def _files(source, name):
    """Etherscan has one source as it is, and several as the compiler's JSON input, with one more pair of braces."""
    if not source.startswith("{"):
        return {f"{name or 'contract'}.sol": source}
    try:
        parsed = json.loads(source[1:-1] if source.startswith("{{") else source)
        sources = parsed.get("sources", parsed)
        return {path: str(file.get("content", "")) for path, file in sources.items()}
    except (ValueError, AttributeError, RecursionError):
        return {f"{name or 'contract'}.txt": source}


def get_contract_source(address, context: Context, chain="ethereum"):
    where = checked_address(address)
    result = ask_etherscan(context, chain, module="contract", action="getsourcecode", address=where)
    if not isinstance(result, list) or not result or not isinstance(result[0], dict):
        raise ToolError("upstream_invalid", "Etherscan's source is not a list of contracts", True)
    found = {name: str(value) for name, value in result[0].items()}
    if not found.get("SourceCode"):
        raise ToolError("not_verified", "the contract's source code is not verified at Etherscan")
    implementation = found.get("Implementation", "")
    return {"address": where, "chain": chain, "contract_name": found.get("ContractName", ""),
            "compiler_version": found.get("CompilerVersion", ""), "optimized": found.get("OptimizationUsed") == "1",
            "evm_version": found.get("EVMVersion", ""), "license": found.get("LicenseType", ""),
            "is_proxy": found.get("Proxy") == "1", "implementation": implementation or None,
            "files": _files(found["SourceCode"], found.get("ContractName"))}


def _view(node, token, signature, arguments, block):
    """What a view function of a token returns, or None when it has no such function."""
    parsed, data = abi.encode_call(signature, arguments)
    try:
        returned = node.data("eth_call", {"to": token, "data": "0x" + data.hex()}, block)
    except Reverted:
        return None
    return (parsed, returned) if returned else None


def _symbol(node, token, block):
    """Some old tokens return 32 bytes instead of a text."""
    found = _view(node, token, "symbol()(string)", [], block)
    if found is None:
        return None
    returned = found[1]
    if len(returned) == 32:
        return returned.rstrip(b"\0").decode("utf-8", "replace") or None
    try:
        return abi.decode([parse_type("string")], returned)[0][:200]
    except ToolError:
        return None


def get_erc20_balance(token, holder, context: Context, chain="ethereum", block="latest"):
    token, holder, block = checked_address(token, "token"), checked_address(holder, "holder"), block_of(block)
    node = Node(context, chain)
    found = _view(node, token, "balanceOf(address)(uint256)", [holder], block)
    if found is None:
        raise ToolError("not_a_token", f"{token} has no balanceOf(address) on {chain}: it is not an ERC-20 token")
    balance = int(abi.decode(found[0].outputs, found[1])[0])
    scale = _view(node, token, "decimals()(uint8)", [], block)
    decimals = int(abi.decode(scale[0].outputs, scale[1])[0]) if scale else None
    return {"token": token, "holder": holder, "chain": chain, "symbol": _symbol(node, token, block), "decimals": decimals,
            "balance": str(balance), "balance_decimal": decimal_text(balance, decimals) if decimals is not None else None}


def get_account_info(address, context: Context, chain="ethereum", block="latest"):
    where, block = checked_address(address), block_of(block)
    node = Node(context, chain)
    balance = node.quantity("eth_getBalance", where, block)
    nonce = node.quantity("eth_getTransactionCount", where, block)
    code = node.data("eth_getCode", where, block)
    return {"address": where, "chain": chain, "balance_wei": str(balance), "balance_ether": decimal_text(balance, 18),
            "nonce": nonce, "is_contract": bool(code), "code_bytes": len(code)}


def get_account_transactions(address, context: Context, chain="ethereum", page=1, page_size=25, order="newest_first"):
    where = checked_address(address)
    result = ask_etherscan(context, chain, module="account", action="txlist", address=where, startblock=0, endblock=99999999999,
                           page=page, offset=page_size, sort="desc" if order == "newest_first" else "asc")
    if not isinstance(result, list):
        raise ToolError("upstream_invalid", "Etherscan's transactions are not a list", True)
    try:
        transactions = [_transaction(entry) for entry in result]
    except (AttributeError, KeyError, TypeError, ValueError, ToolError):
        raise ToolError("upstream_invalid", "Etherscan's transactions lack what they should have", True) from None
    return {"address": where, "chain": chain, "page": page, "transactions": transactions, "has_more": len(result) >= page_size}


def _transaction(entry):
    to = entry.get("to") or None
    value = int(entry["value"])
    return {"hash": str(entry["hash"]), "block": int(entry["blockNumber"]), "time": int(entry["timeStamp"]),
            "from": checked_address(entry["from"]), "to": checked_address(to) if to else None,
            "value_wei": str(value), "value_ether": decimal_text(value, 18), "nonce": int(entry["nonce"]),
            "succeeded": str(entry.get("isError", "0")) == "0", "method": str(entry.get("functionName", "")) or None}
