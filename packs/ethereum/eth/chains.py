"""The chains that a call may name, and the secrets that say where they are."""
from .values import refuse, shown

IDS = {"ethereum": 1, "sepolia": 11155111, "optimism": 10, "bnb": 56, "gnosis": 100, "polygon": 137, "base": 8453,
       "arbitrum": 42161}


def chain_id(chain):
    """The number of EIP-155. Etherscan knows chains by it."""
    if chain not in IDS:
        raise refuse(f"chain: {shown(chain)} is not one of {', '.join(IDS)}")
    return IDS[chain]


def rpc_secret(chain):
    """`ETH_RPC_URL` is Ethereum's; the others have their name after it: ETH_RPC_URL_BASE."""
    chain_id(chain)
    return "ETH_RPC_URL" if chain == "ethereum" else "ETH_RPC_URL_" + chain.upper()
