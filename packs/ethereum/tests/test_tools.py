"""The tools against server.py: what they return, and what they say when node or Etherscan misbehave."""
import pathlib
import sys
import threading
import unittest
from http.server import ThreadingHTTPServer

from toolway import ToolError

sys.path.insert(0, str(pathlib.Path(__file__).parent.parent))
import server  # noqa: E402
from eth import cast, contracts, http  # noqa: E402


class Worker:
    """What a tool asks of its context."""

    def __init__(self, **secrets):
        self.secrets = secrets

    def secret(self, name):
        return self.secrets.get(name)


class Against(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.server = ThreadingHTTPServer(("127.0.0.1", 0), server.Handler)
        cls.thread = threading.Thread(target=cls.server.serve_forever, kwargs={"poll_interval": 0.01})
        cls.thread.start()
        cls.url = "http://127.0.0.1:%d" % cls.server.server_address[1]

    @classmethod
    def tearDownClass(cls):
        cls.server.shutdown()
        cls.thread.join()
        cls.server.server_close()

    def worker(self, path="", key="good"):
        return Worker(ETH_RPC_URL=self.url + path, ETHERSCAN_API_KEY=key, ETHERSCAN_URL=self.url + "/v2/api")

    def refused(self, code, function, *arguments, context=None, **named):
        with self.assertRaises(ToolError) as caught:
            function(*arguments, context=context or self.worker(), **named)
        self.assertEqual(caught.exception.code, code, caught.exception.message)
        return caught.exception


class Contracts(Against):
    def test_balance(self):
        found = contracts.get_erc20_balance(server.TOKEN, server.ANN, self.worker())
        self.assertEqual((found["symbol"], found["decimals"], found["balance"], found["balance_decimal"]), ("TOY", 6, "1234567890", "1234.56789"))
        self.assertEqual(found["holder"], "0xf39Fd6e51aad88F6F4ce6aB8827279cffFb92266")
        self.refused("not_a_token", contracts.get_erc20_balance, server.PLAIN, server.ANN)
        self.refused("not_a_token", contracts.get_erc20_balance, server.BOB, server.ANN)

    def test_account(self):
        found = contracts.get_account_info(server.ANN, self.worker())
        self.assertEqual((found["balance_ether"], found["nonce"], found["is_contract"]), ("1.5", 6, False))
        self.assertTrue(contracts.get_account_info(server.TOKEN, self.worker())["is_contract"])

    def test_abi_and_source(self):
        found = contracts.get_contract_abi(server.TOKEN, self.worker())
        self.assertEqual(found["functions"], ["balanceOf(address)(uint256)", "transfer(address,uint256)(bool)"])
        self.assertEqual(found["events"], ["Transfer(address,address,uint256)"])
        found = contracts.get_contract_source(server.TOKEN, self.worker())
        self.assertEqual(sorted(found["files"]), ["contracts/IERC20.sol", "contracts/Toy.sol"])
        self.assertEqual((found["contract_name"], found["optimized"], found["implementation"]), ("Toy", True, None))
        for tool in (contracts.get_contract_abi, contracts.get_contract_source):
            self.refused("not_verified", tool, server.PLAIN)

    def test_transactions_in_pages(self):
        first = contracts.get_account_transactions(server.ANN, self.worker(), page_size=20)
        self.assertEqual((len(first["transactions"]), first["has_more"], first["transactions"][0]["nonce"]), (20, True, 34))
        second = contracts.get_account_transactions(server.ANN, self.worker(), page=2, page_size=20)
        self.assertEqual((len(second["transactions"]), second["has_more"]), (10, False))
        oldest = contracts.get_account_transactions(server.ANN, self.worker(), order="oldest_first")["transactions"]
        self.assertEqual([one["succeeded"] for one in oldest[:2]], [True, False])
        self.assertEqual(contracts.get_account_transactions(server.BOB, self.worker())["transactions"], [])

    def test_etherscan_refuses(self):
        slow = self.refused("rate_limited", contracts.get_contract_abi, server.TOKEN, context=self.worker(key="slow"))
        self.assertTrue(slow.retryable and slow.retry_after)
        bad = self.refused("upstream_refused", contracts.get_contract_abi, server.TOKEN, context=self.worker(key="bad"))
        self.assertFalse(bad.retryable)
        self.assertNotIn("(bad)", bad.message)
        self.refused("not_configured", contracts.get_contract_abi, server.TOKEN, context=Worker())
        self.refused("etherscan_error", contracts.get_contract_abi, server.TOKEN, chain="base")
        self.refused("invalid_arguments", contracts.get_contract_abi, server.TOKEN, chain="nowhere")


class Cast(Against):
    def test_call(self):
        found = cast.cast_call(server.TOKEN, "balanceOf(address)(uint256)", self.worker(), [server.BOB])
        self.assertEqual((found["values"], found["signature"]), (["2500000"], "balanceOf(address)"))
        self.assertEqual(cast.cast_call(server.TOKEN, "name()(string)", self.worker())["values"], ["Toy Token"])
        self.assertIsNone(cast.cast_call(server.TOKEN, "name()", self.worker())["values"])
        self.refused("no_contract", cast.cast_call, server.BOB, "name()(string)")
        self.refused("upstream_invalid", cast.cast_call, server.TOKEN, "totalSupply()(string)")
        self.refused("execution_reverted", cast.cast_call, server.TOKEN, "other()(uint256)")

    def test_estimate(self):
        transfer = "transfer(address,uint256)"
        fine = cast.cast_estimate(server.TOKEN, self.worker(), transfer, [server.BOB, 5], sender=server.ANN)
        self.assertEqual((fine["succeeds"], fine["gas"]), (True, 50000))
        short = cast.cast_estimate(server.TOKEN, self.worker(), transfer, [server.BOB, "99999999999"], sender=server.ANN)
        self.assertEqual((short["succeeds"], short["revert"]["kind"], short["revert"]["reason"]), (False, "error", "transfer amount exceeds balance"))
        panic = cast.cast_estimate(server.TOKEN, self.worker(), data=fine["data"][:-64] + "0" * 64, sender=server.ANN)
        self.assertEqual((panic["revert"]["kind"], panic["revert"]["code"]), ("panic", 0x11))
        self.refused("invalid_arguments", cast.cast_estimate, server.TOKEN, signature=transfer, arguments=[server.BOB, 1], data="0x")
        self.refused("invalid_arguments", cast.cast_estimate, server.TOKEN, value_wei=-1)

    def test_code_balance(self):
        self.assertEqual(cast.cast_code(server.TOKEN, self.worker())["bytes"], 17)
        # The empty hash: no code.
        self.assertTrue(cast.cast_code(server.ANN, self.worker())["keccak256"].startswith("0xc5d24601"))
        self.assertEqual(cast.cast_balance(server.BOB, self.worker())["ether"], "0.000000000000000007")

    def test_transactions_and_blocks(self):
        self.assertEqual([cast.cast_transaction(hash, self.worker())["status"] for hash in (server.MINED, server.FAILED, server.PENDING)],
                         ["succeeded", "reverted", "pending"])
        self.assertEqual(cast.cast_transaction(server.MINED, self.worker())["receipt"]["gas_used"], 50000)
        self.refused("not_found", cast.cast_transaction, "0x" + "d" * 64)
        self.assertEqual([cast.cast_block(self.worker(), block)["number"] for block in ("latest", 17, "0x10", server.BLOCKS[18])], [18, 17, 16, 18])
        self.refused("not_found", cast.cast_block, block=5)

    def test_logs(self):
        event = "Transfer(address indexed from, address indexed to, uint256 value)"
        found = cast.cast_logs(self.worker(), server.TOKEN, event, from_block=16)
        self.assertEqual(found["logs"][0]["values"], {"from": "0xf39Fd6e51aad88F6F4ce6aB8827279cffFb92266",
                                                      "to": "0x3C44CdDdB6a900fa2b585dd299e03d12FA4293BC", "value": "2500000"})
        self.assertEqual(cast.cast_logs(self.worker(), server.TOKEN, from_block=18)["logs"], [])
        self.assertIsNone(cast.cast_logs(self.worker(), event="Transfer(address,address,uint256)", from_block="earliest")["logs"][0]["values"])
        self.assertEqual(len(cast.cast_logs(self.worker(), topics=[None, server.topic(server.ANN)], from_block=17, to_block=17)["logs"]), 1)
        self.refused("invalid_arguments", cast.cast_logs, from_block=0)
        self.refused("invalid_arguments", cast.cast_logs, address=server.TOKEN, from_block=0, to_block=20000)
        self.refused("invalid_arguments", cast.cast_logs, address=server.TOKEN, from_block=9, to_block=8)
        self.refused("invalid_arguments", cast.cast_logs, address=server.TOKEN, topics=["0x1"])


class Misbehaving(Against):
    def test_every_way(self):
        for path, code, retryable in (("/limited", "rate_limited", True), ("/broken", "upstream_failed", True), ("/nonsense", "upstream_invalid", True),
                                      ("/wrong_id", "upstream_invalid", True), ("/huge", "upstream_too_large", False), ("/nested", "upstream_invalid", False),
                                      ("/redirect", "upstream_failed", False), ("/denied", "upstream_refused", False), ("/numbers", "upstream_invalid", True),
                                      ("/error", "rpc_error", False)):
            with self.subTest(path):
                error = self.refused(code, cast.cast_balance, server.ANN, context=self.worker(path + "?key=s3cret"))
                self.assertEqual(error.retryable, retryable, error.message)
                self.assertNotIn("s3cret", error.message + str(error.details))
                self.assertNotIn(self.url, error.message)
        self.assertEqual(self.refused("rate_limited", cast.cast_balance, server.ANN, context=self.worker("/limited")).retry_after, 2)

    def test_code_that_no_chain_allows(self):
        self.refused("upstream_invalid", cast.cast_code, server.TOKEN, context=self.worker("/code"))

    def test_no_server_there_or_not_configured(self):
        closed = self.refused("upstream_unreachable", cast.cast_balance, server.ANN, context=Worker(ETH_RPC_URL="http://127.0.0.1:9/s3cret"))
        self.assertTrue(closed.retryable)
        self.assertNotIn("s3cret", closed.message)
        self.refused("not_configured", cast.cast_balance, server.ANN, context=Worker())
        self.refused("not_configured", cast.cast_balance, server.ANN, context=Worker(ETH_RPC_URL="file:///etc/passwd"))
        missing = self.refused("not_configured", cast.cast_balance, server.ANN, chain="base")
        self.assertIn("ETH_RPC_URL_BASE", missing.message)

    def test_a_node_that_says_nothing(self):
        import socket
        with socket.socket() as silent:
            silent.bind(("127.0.0.1", 0))
            silent.listen()
            before, http.TIMEOUT_SECONDS = http.TIMEOUT_SECONDS, 0.2
            try:
                error = self.refused("upstream_unreachable", cast.cast_balance, server.ANN, context=Worker(ETH_RPC_URL="http://127.0.0.1:%d/" % silent.getsockname()[1]))
            finally:
                http.TIMEOUT_SECONDS = before
        self.assertIn("in time", error.message)


if __name__ == "__main__":
    unittest.main()
