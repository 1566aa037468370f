"""Read-only Ethereum: the ABI, a JSON-RPC node, Etherscan. Standard library only, Python 3.9 or later."""
