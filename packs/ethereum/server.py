#!/usr/bin/env python3
"""A JSON-RPC node (POST /) and Etherscan's API (GET /v2/api) with canned data, on this machine: to try the pack
without a key, for the demo and the tests.

A small ERC-20 token `TOY` (6 decimals), two accounts, three blocks, three transactions. What it answers is written out
in hex here, without the pack's own encoder, so that a mistake there shows.

Paths of POST that misbehave: /limited (429 with Retry-After), /broken (500), /nonsense, /wrong_id, /huge, /nested,
/redirect, /denied, /numbers, /code (2 MiB of it), /error (which repeats the request's path). The API key `slow` exceeds
its rate, `bad` is refused.
"""
import argparse
import json
import os
import sys
import urllib.parse
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

TOKEN = "0x70997970c51812dc3a010c7d01b50e0d17dc79c8"
ANN = "0xf39fd6e51aad88f6f4ce6ab8827279cfffb92266"
BOB = "0x3c44cdddb6a900fa2b585dd299e03d12fa4293bc"
PLAIN = "0x90f79bf6eb2c4f870365e785982e1f101e93b906"  # a contract that is not a token
TRANSFER_TOPIC = "0xddf252ad1be2c89b69c2b068fc378daa952ba7f163c4a11628f55a4df523b3ef"
CODE = "0x6080604052348015600f57600080fd5b50"
MINED, FAILED, PENDING = ("0x" + digit * 64 for digit in "abc")
BLOCKS = {number: "0x" + f"{number:02x}" * 32 for number in (16, 17, 18)}


def word(number):
    return f"{number % (1 << 256):064x}"


def text(value):
    data = value.encode()
    return word(32) + word(len(data)) + data.hex().ljust((len(data) + 31) // 32 * 64, "0")


def topic(address):
    return "0x" + address[2:].rjust(64, "0")


BALANCES = {ANN: 1_234_567_890, BOB: 2_500_000}
ETHER = {ANN: 10 ** 18 + 5 * 10 ** 17, BOB: 7}


def revert(data, message="execution reverted"):
    return {"code": 3, "message": message, "data": data}


def token_call(data, sender):
    """What the token returns for call data, or an error."""
    selector, arguments = data[2:10], data[10:]
    if selector == "70a08231":  # balanceOf(address)
        return "0x" + word(BALANCES.get("0x" + arguments[24:64], 0))
    if selector == "313ce567":  # decimals()
        return "0x" + word(6)
    if selector == "95d89b41":  # symbol()
        return "0x" + text("TOY")
    if selector == "06fdde03":  # name()
        return "0x" + text("Toy Token")
    if selector == "18160ddd":  # totalSupply()
        return "0x" + word(sum(BALANCES.values()))
    if selector == "a9059cbb":  # transfer(address,uint256)
        amount = int(arguments[64:128], 16)
        if amount == 0:
            return revert("0x4e487b71" + word(0x11))  # Panic(uint256)
        if amount > BALANCES.get(sender, 0):
            return revert("0x08c379a0" + text("transfer amount exceeds balance"), "execution reverted: transfer amount exceeds balance")
        return "0x" + word(1)
    return revert("0x")


def transaction(hash):
    common = {"hash": hash, "from": ANN, "to": TOKEN, "value": "0x0", "nonce": "0x5", "gas": "0x15f90",
              "input": "0xa9059cbb" + word(int(BOB, 16)) + word(2_500_000)}
    if hash == PENDING:
        return {**common, "blockNumber": None, "value": hex(10 ** 18), "to": BOB, "input": "0x"}
    return {**common, "blockNumber": "0x11" if hash == MINED else "0x12"} if hash in (MINED, FAILED) else None


def log():
    return {"address": TOKEN, "topics": [TRANSFER_TOPIC, topic(ANN), topic(BOB)], "data": "0x" + word(2_500_000),
            "blockNumber": "0x11", "transactionHash": MINED, "logIndex": "0x0"}


def receipt(hash):
    if hash not in (MINED, FAILED):
        return None
    return {"status": "0x1" if hash == MINED else "0x0", "gasUsed": "0xc350", "effectiveGasPrice": hex(2 * 10 ** 9),
            "contractAddress": None, "logs": [log()] if hash == MINED else []}


def block(number):
    if number not in BLOCKS:
        return None
    return {"number": hex(number), "hash": BLOCKS[number], "parentHash": BLOCKS.get(number - 1, "0x" + "00" * 32),
            "timestamp": hex(1_760_000_000 + 12 * number), "miner": BOB, "gasUsed": "0xc350", "gasLimit": "0x1c9c380",
            "baseFeePerGas": hex(10 ** 9), "transactions": {17: [MINED], 18: [FAILED]}.get(number, [])}


def number_of(tag):
    return {"earliest": 16}.get(tag, 18) if not tag.startswith("0x") else int(tag, 16)


def logs(request):
    wanted = request.get("topics") or []
    found = log()
    fits = number_of(request["fromBlock"]) <= 17 <= number_of(request["toBlock"])
    fits = fits and request.get("address", TOKEN).lower() == TOKEN
    fits = fits and all(one is None or index < 3 and one == found["topics"][index] for index, one in enumerate(wanted))
    return [found] if fits else []


def answer_rpc(method, params):
    """The result, or an error as a dict with a code."""
    where = params[0].lower() if params and isinstance(params[0], str) else None
    if method == "eth_blockNumber":
        return "0x12"
    if method == "eth_getBalance":
        return hex(ETHER.get(where, 0))
    if method == "eth_getTransactionCount":
        return "0x6" if where == ANN else "0x0"
    if method == "eth_getCode":
        return CODE if where in (TOKEN, PLAIN) else "0x"
    if method in ("eth_call", "eth_estimateGas"):
        request = params[0]
        to = request["to"].lower()
        found = token_call(request["data"], request.get("from", "").lower()) if to == TOKEN else revert("0x") if to == PLAIN else "0x"
        return found if isinstance(found, dict) or method == "eth_call" else "0xc350"
    if method == "eth_getTransactionByHash":
        return transaction(where)
    if method == "eth_getTransactionReceipt":
        return receipt(where)
    if method == "eth_getBlockByNumber":
        return block(number_of(params[0]))
    if method == "eth_getBlockByHash":
        return next((block(number) for number, hash in BLOCKS.items() if hash == where), None)
    if method == "eth_getLogs":
        return logs(params[0])
    return {"code": -32601, "message": f"the method {method} does not exist"}


ABI = [{"type": "function", "name": "transfer", "stateMutability": "nonpayable",
        "inputs": [{"name": "to", "type": "address"}, {"name": "amount", "type": "uint256"}], "outputs": [{"name": "", "type": "bool"}]},
       {"type": "function", "name": "balanceOf", "stateMutability": "view", "inputs": [{"name": "who", "type": "address"}],
        "outputs": [{"name": "", "type": "uint256"}]},
       {"type": "event", "name": "Transfer", "inputs": [{"name": "from", "type": "address", "indexed": True},
                                                       {"name": "to", "type": "address", "indexed": True},
                                                       {"name": "value", "type": "uint256", "indexed": False}]}]


def listed(number):
    hash = {0: MINED, 1: FAILED}.get(number, "0x" + f"{number:064x}")
    return {"blockNumber": str(17 + number), "timeStamp": str(1_760_000_204 + 12 * number), "hash": hash, "nonce": str(5 + number),
            "from": ANN, "to": TOKEN, "value": "0", "isError": "1" if hash == FAILED else "0",
            "functionName": "transfer(address to, uint256 amount)"}


def answer_etherscan(query):
    refused = {"status": "0", "message": "NOTOK"}
    key, address = query.get("apikey", ""), query.get("address", "").lower()
    if key == "slow":
        return {**refused, "result": "Max calls per sec rate limit reached (5/sec)"}
    if key in ("", "bad"):
        return {**refused, "result": f"Invalid API Key ({key})"}
    if query.get("chainid") != "1":
        return {**refused, "result": "Missing or unsupported chainid parameter (required for v2 api)"}
    fine = {"status": "1", "message": "OK"}
    action = query.get("action")
    if action == "getabi":
        return {**fine, "result": json.dumps(ABI)} if address == TOKEN else {**refused, "result": "Contract source code not verified"}
    if action == "getsourcecode":
        found = {"SourceCode": "", "ABI": "Contract source code not verified", "ContractName": ""}
        if address == TOKEN:
            source = {"language": "Solidity", "sources": {"contracts/Toy.sol": {"content": "contract Toy {}"},
                                                          "contracts/IERC20.sol": {"content": "interface IERC20 {}"}}}
            found = {"SourceCode": "{" + json.dumps(source) + "}", "ContractName": "Toy", "CompilerVersion": "v0.8.30+commit.73712a01",
                     "OptimizationUsed": "1", "EVMVersion": "cancun", "LicenseType": "MIT", "Proxy": "0", "Implementation": ""}
        return {**fine, "result": [found]}
    if action == "txlist":
        if address != ANN:
            return {"status": "0", "message": "No transactions found", "result": []}
        page, offset = int(query.get("page", 1)), int(query.get("offset", 10))
        every = sorted(map(listed, range(30)), key=lambda one: int(one["nonce"]), reverse=query.get("sort") == "desc")
        return {**fine, "result": every[(page - 1) * offset:page * offset]}
    return {**refused, "result": "Error! Missing Or invalid Action name"}


class Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"

    def log_message(self, *_):
        pass

    def reply(self, body, status=200, headers=()):
        data = body if isinstance(body, bytes) else json.dumps(body).encode()
        self.send_response(status)
        for name, value in (("Content-Type", "application/json"), ("Content-Length", str(len(data))), *headers):
            self.send_header(name, value)
        self.end_headers()
        self.wfile.write(data)

    def do_GET(self):
        url = urllib.parse.urlsplit(self.path)
        if url.path != "/v2/api":
            return self.reply({"error": "not here"}, 404)
        self.reply(answer_etherscan(dict(urllib.parse.parse_qsl(url.query))))

    def do_POST(self):
        request = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
        whole = {"jsonrpc": "2.0", "id": request["id"]}
        odd = {"/limited": (b"", 429, [("Retry-After", "2")]), "/broken": (b"oops", 500), "/nonsense": (b"<html>nonsense</html>",),
               "/wrong_id": ({**whole, "id": 99, "result": "0x1"},), "/huge": (b" " * (9 << 20),), "/nested": (b"[" * 200_000,),
               "/redirect": (b"", 307, [("Location", "/")]), "/denied": (b"", 401), "/numbers": ({**whole, "result": 5},),
               "/code": ({**whole, "result": "0x" + "00" * (2 << 20)},),
               "/error": ({**whole, "error": {"code": -32000, "message": f"bad key at http://{self.headers['Host']}{self.path}"}},)}
        path = self.path.split("?")[0]
        if path in odd:
            return self.reply(*odd[path])
        found = answer_rpc(request["method"], request["params"])
        self.reply({**whole, "error" if isinstance(found, dict) and "code" in found else "result": found})


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n\n")[0])
    parser.add_argument("--port", type=int, default=8545, help="0: any")
    parser.add_argument("--ready-file", help="gets the URL when it answers")
    options = parser.parse_args()
    server = ThreadingHTTPServer(("127.0.0.1", options.port), Handler)
    url = f"http://127.0.0.1:{server.server_address[1]}"
    if options.ready_file:
        with open(options.ready_file + ".new", "w") as file:
            file.write(url)
        os.rename(options.ready_file + ".new", options.ready_file)
    print(f"JSON-RPC at {url}, Etherscan at {url}/v2/api", flush=True)
    try:
        server.serve_forever()
    except KeyboardInterrupt:
        sys.exit(0)


if __name__ == "__main__":
    main()
