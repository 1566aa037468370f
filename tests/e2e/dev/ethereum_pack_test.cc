#include <gtest/gtest.h>

#include <csignal>
#include <filesystem>
#include <fstream>

#include "tests/e2e/dev/dev_stack.h"
#include "tests/paths.h"

namespace toolway::cli {
namespace {

constexpr const char* kPack = TOOLWAY_SOURCE_DIR "/packs/ethereum";
constexpr const char* kToken = "0x70997970C51812dc3A010C7d01b50e0d17dc79C8";
constexpr const char* kAnn = "0xf39Fd6e51aad88F6F4ce6aB8827279cffFb92266";
constexpr const char* kBob = "0x3C44CdDdB6a900fa2b585dd299e03d12FA4293BC";

/// The pack as its README has it started, against its own server.
class EthereumPack : public testing::Test {
 protected:
  static void SetUpTestSuite() {
    dir_ = new test::TempDir;
    server_ = std::move(
        *local::ChildProcess::start({.argv = {"python3", std::string(kPack) + "/server.py",
                                              "--port", "0", "--ready-file", *dir_ / "server.url"},
                                     .log_file = *dir_ / "server.log"}));
    ASSERT_TRUE(wait_for([] { return std::filesystem::exists(*dir_ / "server.url"); }))
        << text_of(*dir_ / "server.log");
    const auto url = text_of(*dir_ / "server.url");
    std::filesystem::create_directory(*dir_ / "secrets");
    secret("ETH_RPC_URL", url);
    secret("ETHERSCAN_URL", url + "/v2/api");
    secret("ETHERSCAN_API_KEY", "s3cret-key");
    dev_ = new Dev(*dir_, {"--specs", std::string(kPack) + "/ethereum.yaml", "--python-path", kPack,
                           "--secrets", *dir_ / "secrets"});
  }
  static void TearDownTestSuite() {
    delete dev_;
    server_->signal(SIGINT);
    server_.reset();
    delete dir_;
  }
  static void secret(const std::string& name, const std::string& value) {
    std::ofstream(*dir_ / ("secrets/" + name)) << value;
  }

  OrderedJson call(const std::string& tool, const OrderedJson& arguments) {
    const auto ran = run_toolway(*dir_,
                                 {"call", "ethereum." + tool, to_text(arguments), "--session",
                                  "eth", "--wait", "-o", "json"},
                                 {{"TOOLWAY_URL", dev_->url()}, {"TOOLWAY_USER", "ann"}});
    EXPECT_TRUE(ran.json().is_object()) << ran.output;
    return ran.json();
  }
  /// The result of a call that succeeds.
  OrderedJson result(const std::string& tool, const OrderedJson& arguments) {
    const auto called = call(tool, arguments);
    EXPECT_EQ(called["outcome"], "succeeded") << tool << ": " << called;
    return called.value("result", OrderedJson::object());
  }

  static inline test::TempDir* dir_ = nullptr;
  static inline std::unique_ptr<local::ChildProcess> server_;
  static inline Dev* dev_ = nullptr;
};

TEST_F(EthereumPack, ItsOwnTestsPass) {
  auto child = local::ChildProcess::start(
      {.argv = {"python3", "-B", "-W", "error", "-m", "unittest", "discover", "-s",
                std::string(kPack) + "/tests"},
       .environment = {{"PYTHONPATH", std::string(kPack) + ":" + TOOLWAY_SOURCE_DIR +
                                          "/tools/executors/python/host"}},
       .log_file = *dir_ / "unittest.log"});
  ASSERT_TRUE(child);
  EXPECT_EQ((*child)->wait(std::chrono::seconds(240)), 0) << text_of(*dir_ / "unittest.log");
  EXPECT_NE(text_of(*dir_ / "unittest.log").find("\nOK"), std::string::npos)
      << text_of(*dir_ / "unittest.log");
}

TEST_F(EthereumPack, EveryToolAnswersByItsSchema) {
  EXPECT_EQ(result("encode_function_call",
                   {{"signature", "baz(uint32,bool)"}, {"arguments", {69, true}}})["selector"],
            "0xcdcd77c0");
  // Longer than what a schema's `pattern` may be applied to.
  EXPECT_EQ(result("encode_function_call",
                   {{"signature", "f(string)"}, {"arguments", {std::string(5000, 'x')}}})["bytes"],
            4 + 32 + 32 + 5024);
  EXPECT_EQ(result("get_contract_abi", {{"address", kToken}})["functions"][1],
            "transfer(address,uint256)(bool)");
  EXPECT_EQ(result("get_contract_source", {{"address", kToken}})["contract_name"], "Toy");
  EXPECT_EQ(result("get_erc20_balance", {{"token", kToken}, {"holder", kAnn}})["balance_decimal"],
            "1234.56789");
  EXPECT_EQ(result("get_account_info", {{"address", kAnn}})["balance_ether"], "1.5");
  EXPECT_EQ(
      result("get_account_transactions", {{"address", kAnn}, {"page_size", 5}})["transactions"]
          .size(),
      5U);
  EXPECT_EQ(result("cast_balance", {{"address", kBob}})["wei"], "7");
  EXPECT_EQ(result("cast_call", {{"to", kToken},
                                 {"signature", "balanceOf(address)(uint256)"},
                                 {"arguments", {kBob}}})["values"][0],
            "2500000");
  const auto reverted = result("cast_estimate", {{"to", kToken},
                                                 {"signature", "transfer(address,uint256)"},
                                                 {"arguments", {kAnn, "99999999999"}},
                                                 {"sender", kBob}});
  EXPECT_EQ(reverted["revert"]["reason"], "transfer amount exceeds balance");
  EXPECT_EQ(result("cast_code", {{"address", kToken}})["bytes"], 17);
  EXPECT_EQ(result("cast_transaction", {{"hash", "0x" + std::string(64, 'a')}})["status"],
            "succeeded");
  EXPECT_EQ(result("cast_block", {{"block", 17}})["transaction_count"], 1);
  EXPECT_EQ(result("cast_logs",
                   {{"address", kToken},
                    {"from_block", 16},
                    {"event", "Transfer(address indexed from, address indexed to, uint256 value)"}})
                ["logs"][0]["values"]["value"],
            "2500000");
}

TEST_F(EthereumPack, WhatGoesWrongIsSaidWithoutTheKey) {
  const auto mistyped =
      call("cast_balance", {{"address", "0xF39Fd6e51aad88F6F4ce6aB8827279cffFb92266"}});
  EXPECT_EQ(mistyped["error"]["code"], "invalid_arguments") << mistyped;
  EXPECT_NE(mistyped["error"]["message"].get<std::string>().find("EIP-55"), std::string::npos)
      << mistyped;
  const auto missing = call("cast_balance", {{"address", kAnn}, {"chain", "base"}});
  EXPECT_EQ(missing["error"]["code"], "not_configured") << missing;
  EXPECT_NE(missing["error"]["message"].get<std::string>().find("ETH_RPC_URL_BASE"),
            std::string::npos)
      << missing;
  const auto url = text_of(*dir_ / "server.url");
  secret("ETH_RPC_URL_SEPOLIA", url + "/broken?key=s3cret-key");
  const auto broken = call("cast_balance", {{"address", kAnn}, {"chain", "sepolia"}});
  EXPECT_EQ(broken["error"]["code"], "upstream_failed") << broken;
  EXPECT_EQ(to_text(broken).find("s3cret"), std::string::npos) << broken;
  // It was tried three times, as its spec says.
  const auto shown = run_toolway(*dir_, {"explain", broken["call_id"], "-o", "json"},
                                 {{"TOOLWAY_URL", dev_->url()}, {"TOOLWAY_USER", "ann"}});
  EXPECT_EQ(shown.json()["attempts"].size(), 3U) << shown.output;
  EXPECT_EQ(text_of(*dir_ / "data/logs/worker-0.log").find("s3cret"), std::string::npos);
}

}  // namespace
}  // namespace toolway::cli
