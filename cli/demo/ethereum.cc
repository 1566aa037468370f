// The pack `ethereum` against its own server: no key, no chain.

#include "base/try.h"
#include "cli/client/reporting.h"
#include "cli/demo/packs.h"

namespace toolway::cli::demo {
namespace {

constexpr const char* kToken = "0x70997970C51812dc3A010C7d01b50e0d17dc79C8";
constexpr const char* kAnn = "0xf39Fd6e51aad88F6F4ce6aB8827279cffFb92266";
constexpr const char* kBob = "0x3C44CdDdB6a900fa2b585dd299e03d12FA4293BC";

Result<void> prepare(DemoStage& stage) {
  ASSIGN_OR_RETURN(const auto url, stage.serve("ethereum"));
  stage.stack.specs.push_back(stage.packs + "/ethereum/ethereum.yaml");
  stage.stack.python_path.push_back(stage.packs + "/ethereum");
  for (const auto& [name, value] : {std::pair{"ETH_RPC_URL", url},
                                    {"ETHERSCAN_URL", url + "/v2/api"},
                                    {"ETHERSCAN_API_KEY", std::string("any")}}) {
    RETURN_IF_ERROR(stage.secret(name, value));
  }
  return {};
}

OrderedJson member(const OrderedJson& call, const char* name) {
  const auto result = call.value("result", OrderedJson());
  return result.is_object() ? result.value(name, OrderedJson()) : OrderedJson();
}

void show(Tour& tour) {
  tour.heading("The ethereum pack, against a node and an Etherscan on this machine");
  const auto encoded =
      tour.call("ethereum.encode_function_call",
                {{"signature", "transfer(address,uint256)"}, {"arguments", {kBob, "1000000"}}});
  tour.check(member(encoded, "selector") == "0xa9059cbb",
             "a call is encoded as the contract ABI has it");
  const auto balance =
      tour.call("ethereum.get_erc20_balance", {{"token", kToken}, {"holder", kAnn}});
  tour.check(
      member(balance, "balance_decimal") == "1234.56789" && member(balance, "symbol") == "TOY",
      "the account holds 1234.56789 TOY");
  const auto simulated =
      tour.call("ethereum.cast_estimate",
                {{"to", kToken}, {"data", member(encoded, "data")}, {"sender", kToken}});
  const auto revert = member(simulated, "revert");
  tour.check(revert.is_object() && revert.value("reason", "") == "transfer amount exceeds balance",
             "a simulated transfer says why it would revert");
  const auto mistyped = tour.call("ethereum.cast_balance",
                                  {{"address", "0xF39Fd6e51aad88F6F4ce6aB8827279cffFb92266"}});
  tour.remember_as_failed(mistyped);
  tour.check(client::cell(mistyped, "error").find("EIP-55") != std::string::npos,
             "an address with a wrong checksum is refused");
}

}  // namespace

DemoPack ethereum_in_demo() { return {"ethereum", &prepare, &show}; }

}  // namespace toolway::cli::demo
