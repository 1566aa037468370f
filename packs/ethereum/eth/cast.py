"""Tools after the verbs of Foundry's cast: balance, call, estimate, code, transaction, block, logs. Nothing signs or sends."""
from toolway import Context, ToolError

from . import abi
from .abi_types import parse_signature
from .keccak import keccak256
from .rpc import Node, Reverted, data_of, invalid, quantity
from .values import address as checked_address
from .values import block_of, decimal_text, hash_text, hex_bytes, integer, refuse

MOST_BLOCKS = 10_000  # in one range of logs
MOST_LOGS = 1000      # that are returned
MOST_CODE = 1 << 20   # bytes: EIP-170 allows 24,576, and hashing takes a while


def cast_balance(address, context: Context, chain="ethereum", block="latest"):
    where = checked_address(address)
    wei = Node(context, chain).quantity("eth_getBalance", where, block_of(block))
    return {"address": where, "chain": chain, "wei": str(wei), "ether": decimal_text(wei, 18)}


def cast_call(to, signature, context: Context, arguments=None, sender=None, chain="ethereum", block="latest"):
    request, parsed = _request(to, signature, arguments, sender)
    returned = Node(context, chain).data("eth_call", request, block_of(block))
    if not returned and parsed.outputs:
        raise ToolError("no_contract", f"{request['to']} returned nothing: there is no contract on {chain}, or it has no {parsed.canonical}")
    return {"to": request["to"], "chain": chain, "signature": parsed.canonical, "data": request["data"], "raw": "0x" + returned.hex(),
            "values": abi.decode(parsed.outputs, returned) if parsed.outputs is not None else None}


def _request(to, signature, arguments, sender, value=0):
    parsed, data = abi.encode_call(signature, arguments if arguments is not None else [])
    return _transaction_of(to, data, sender, value), parsed


def _transaction_of(to, data, sender, value):
    request = {"to": checked_address(to, "to"), "data": "0x" + data.hex()}
    if sender is not None:
        request["from"] = checked_address(sender, "sender")
    wei = integer(value, "value_wei")
    if not 0 <= wei < 2 ** 256:
        raise refuse("value_wei: must be 0 or more, below 2^256")
    if wei:
        request["value"] = hex(wei)
    return request


def cast_estimate(to, context: Context, signature=None, arguments=None, data=None, sender=None, value_wei=0, chain="ethereum",
                  block="latest"):
    if signature is not None and data is not None:
        raise refuse("give `signature` and `arguments`, or `data`, not both")
    if signature is not None:
        request, _ = _request(to, signature, arguments, sender, value_wei)
    else:
        request = _transaction_of(to, hex_bytes(data or "0x", "data"), sender, value_wei)
    node, at = Node(context, chain), block_of(block)
    found = {"to": request["to"], "chain": chain, "data": request["data"], "succeeds": True, "returned": None, "gas": None, "revert": None}
    try:
        # The call tells why it reverts, which an estimate often does not.
        found["returned"] = "0x" + node.data("eth_call", request, at).hex()
        found["gas"] = node.quantity("eth_estimateGas", request)
    except Reverted as reverted:
        found.update(succeeds=False, revert=reverted.revert)
    return found


def cast_code(address, context: Context, chain="ethereum", block="latest"):
    where = checked_address(address)
    code = Node(context, chain).data("eth_getCode", where, block_of(block))
    if len(code) > MOST_CODE:
        raise invalid(f"code of {len(code)} bytes")
    return {"address": where, "chain": chain, "code": "0x" + code.hex(), "bytes": len(code), "keccak256": "0x" + keccak256(code).hex()}


def _optional_quantity(found, name):
    return None if found.get(name) is None else quantity(found[name], name)


def _object(value, where):
    if not isinstance(value, dict):
        raise invalid(f"{where} is not an object")
    return value


def cast_transaction(hash, context: Context, chain="ethereum"):
    wanted = hash_text(hash)
    node = Node(context, chain)
    answer = node.ask("eth_getTransactionByHash", wanted)
    if answer is None:
        raise ToolError("not_found", f"{chain} has no transaction {wanted}")
    found = _object(answer, "the transaction")
    receipt = node.ask("eth_getTransactionReceipt", wanted) if found.get("blockNumber") is not None else None
    value = quantity(found.get("value"), "value")
    shown = {"hash": wanted, "chain": chain, "status": "pending", "block": _optional_quantity(found, "blockNumber"),
             "from": found.get("from"), "to": found.get("to"), "value_wei": str(value), "value_ether": decimal_text(value, 18),
             "nonce": _optional_quantity(found, "nonce"), "gas_limit": _optional_quantity(found, "gas"),
             "input": "0x" + data_of(found.get("input", "0x"), "input").hex(), "receipt": None}
    if receipt is not None:
        receipt = _object(receipt, "the receipt")
        # Receipts of before Byzantium have no status.
        status = _optional_quantity(receipt, "status")
        shown["status"] = {0: "reverted", 1: "succeeded"}.get(status, "mined")
        price = _optional_quantity(receipt, "effectiveGasPrice")
        logs = receipt.get("logs") if isinstance(receipt.get("logs"), list) else []
        shown["receipt"] = {"gas_used": _optional_quantity(receipt, "gasUsed"), "effective_gas_price_wei": None if price is None else str(price),
                            "contract_address": receipt.get("contractAddress"), "logs": [_log(entry, None) for entry in logs[:MOST_LOGS]]}
    return shown


def cast_block(context: Context, block="latest", chain="ethereum"):
    node = Node(context, chain)
    if isinstance(block, str) and len(block) == 66:
        answer = node.ask("eth_getBlockByHash", hash_text(block), False)
    else:
        answer = node.ask("eth_getBlockByNumber", block_of(block), False)
    if answer is None:
        raise ToolError("not_found", f"{chain} has no block {block}")
    found = _object(answer, "the block")
    transactions = found.get("transactions")
    if not isinstance(transactions, list):
        raise invalid("the block's transactions are not a list")
    base_fee = _optional_quantity(found, "baseFeePerGas")
    return {"chain": chain, "number": _optional_quantity(found, "number"), "hash": found.get("hash"), "parent_hash": found.get("parentHash"),
            "time": _optional_quantity(found, "timestamp"), "miner": found.get("miner"), "gas_used": _optional_quantity(found, "gasUsed"),
            "gas_limit": _optional_quantity(found, "gasLimit"), "base_fee_wei": None if base_fee is None else str(base_fee),
            "transaction_count": len(transactions), "transactions": [str(entry) for entry in transactions]}


def cast_logs(context: Context, address=None, event=None, topics=None, from_block="latest", to_block="latest", chain="ethereum"):
    node = Node(context, chain)
    first, last = block_of(from_block, "from_block"), block_of(to_block, "to_block")
    request = {"fromBlock": first, "toBlock": last}
    if first.startswith("0x") != last.startswith("0x"):
        newest = node.quantity("eth_blockNumber")
        bounds = [int(one, 16) if one.startswith("0x") else {"earliest": 0}.get(one, newest) for one in (first, last)]
    else:
        bounds = [int(one, 16) if one.startswith("0x") else 0 for one in (first, last)]
        if "earliest" == first != last:
            bounds[1] = node.quantity("eth_blockNumber")
    if not 0 <= bounds[1] - bounds[0] < MOST_BLOCKS:
        raise refuse(f"from_block to to_block: must be 1 to {MOST_BLOCKS} blocks, not {bounds[1] - bounds[0] + 1}")
    if address is not None:
        request["address"] = checked_address(address)
    parsed = parse_signature(event) if event is not None else None
    wanted = [None if topic is None else hash_text(topic, "topics") for topic in topics or []]
    if parsed is not None:
        wanted = ["0x" + keccak256(parsed.canonical.encode()).hex()] + wanted
    if len(wanted) > 4:
        raise refuse("topics: a log has at most 4, the event's own included")
    if address is None and not any(wanted):
        raise refuse("give an `address`, an `event` or `topics`: all logs of a chain are too many")
    if wanted:
        request["topics"] = wanted
    answer = node.ask("eth_getLogs", request)
    if not isinstance(answer, list):
        raise invalid("the logs are not a list")
    return {"chain": chain, "logs": [_log(entry, parsed) for entry in answer[:MOST_LOGS]], "truncated": len(answer) > MOST_LOGS}


def _log(entry, event):
    entry = _object(entry, "a log")
    topics = entry.get("topics")
    if not isinstance(topics, list):
        raise invalid("a log's topics are not a list")
    data = data_of(entry.get("data", "0x"), "a log's data")
    shown = {"address": entry.get("address"), "block": _optional_quantity(entry, "blockNumber"), "transaction": entry.get("transactionHash"),
             "index": _optional_quantity(entry, "logIndex"), "topics": topics, "data": "0x" + data.hex()}
    if event is not None:
        shown["values"] = _event_values(event, topics, data)
    return shown


def _event_values(event, topics, data):
    """By name or position; None when the log has other indexed parameters than the signature says."""
    indexed = [part for part in event.inputs if part.indexed]
    if len(topics) != len(indexed) + 1:
        return None
    try:
        plain = iter(abi.decode([part for part in event.inputs if not part.indexed], data))
        hashed = iter(topics[1:])
        values = {}
        for position, part in enumerate(event.inputs):
            name = part.label or str(position)
            if not part.indexed:
                values[name] = next(plain)
            else:
                topic = data_of(next(hashed), "a topic")
                # Of what does not fit into a word, a topic has the hash alone.
                whole = part.dynamic or part.name in ("tuple", "array")
                values[name] = "0x" + topic.hex() if whole else abi.decode([part], topic)[0]
        return values
    except ToolError:
        return None
