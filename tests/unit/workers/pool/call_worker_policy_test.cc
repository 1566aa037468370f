// How often a worker asks the chain about a call, and what it makes of another policy.
#include "extensions/reader/stored_policy.h"
#include "tests/support/write_entry.h"
#include "tests/unit/workers/worker_bench.h"

namespace toolway::workers::pool {
namespace {

constexpr const char* kRoles =
    "roles: {agent: {permissions: ['call:test.*']}}\ndefault_roles: agent\n";

class CallWorkerPolicy : public test::WorkerBench {
 protected:
  void put(const std::string& text) {
    toolway::test::write_entry(
        *memory_, proto::kPoliciesBucket, std::string(extensions::reader::kPolicyKey),
        extensions::reader::encode(
            {.number = ++number_, .by = "ann", .at = "2026-01-01T00:00:00Z", .text = text}));
  }
  double decisions(std::string_view extension, std::string_view decision) const {
    return metrics_
        ->counter(monitoring::kExtensionDecisions,
                  {{"extension", extension}, {"decision", decision}})
        .value();
  }
  /// One after the other; how the last one ended.
  v1::CallEvent run(int calls) {
    v1::CallEvent last;
    for (int i = 0; i < calls; ++i) {
      submit(call());
      last = completed();
    }
    return last;
  }

  std::uint64_t number_ = 0;
};

TEST_F(CallWorkerPolicy, CountsWhatTheChainDecidesOnceForEachCall) {
  put(kRoles);
  auto worker = this->worker(test::registry_of({}, test::returns(1)));
  EXPECT_EQ(run(10).completed().outcome(), v1::OUTCOME_SUCCEEDED);
  EXPECT_EQ(decisions("permissions", "allow"), 10);
}

TEST_F(CallWorkerPolicy, CountsOnceWhereARuleLooksAtArguments) {
  put(std::string(kRoles) + "rules:\n  - {name: no, when: {pointers: {/n: 1}}, refuse: not so}\n");
  auto worker = this->worker(test::registry_of({}, test::returns(1)));
  EXPECT_EQ(run(10).completed().outcome(), v1::OUTCOME_SUCCEEDED);
  EXPECT_EQ(decisions("permissions", "allow"), 10);
  EXPECT_EQ(decisions("refuse", "allow"), 10);
  auto refused = call();
  refused.set_arguments(R"({"n":1})");
  submit(refused);
  EXPECT_EQ(completed().completed().error().code(), "permission_denied");
  EXPECT_EQ(decisions("refuse", "refuse"), 1);
}

TEST_F(CallWorkerPolicy, CountsARefusalOnce) {
  put(std::string(kRoles) + "rules:\n  - {name: no, refuse: never}\n");
  auto worker = this->worker(test::registry_of({}, test::returns(1)));
  EXPECT_EQ(run(5).completed().error().code(), "permission_denied");
  EXPECT_EQ(decisions("refuse", "refuse"), 5);
}

/// What was said before a call got its thread counts no more: whether it starts is looked at once
/// more, or, where its start is in its log already, the chain is asked on that thread.
TEST_F(CallWorkerPolicy, AnotherPolicyIsAskedBeforeTheToolRuns) {
  for (const bool idempotent : {true, false}) {
    put(kRoles);
    test::Signal begins, go;
    std::atomic<int> runs{0};
    auto worker = this->worker(
        test::registry_of({.idempotent = idempotent},
                          [&](const Json&, tools::model::ToolContext&, tools::model::Progress&) {
                            ++runs;
                            return tools::model::Execution(1);
                          }),
        {.worker_id = "w", .slots = 4, .spawner = [&](std::function<void()> body) {
           return threads::spawn_thread([&, body = std::move(body)] {
             begins.give();
             EXPECT_TRUE(go.wait());
             body();
           });
         }});
    submit(call());
    ASSERT_TRUE(begins.wait());
    put("rules:\n  - {name: no, refuse: never}\n");
    memory_->quiesce();
    go.give();
    EXPECT_EQ(completed().completed().error().code(), "permission_denied") << idempotent;
    EXPECT_EQ(runs, 0) << idempotent;
  }
}

}  // namespace
}  // namespace toolway::workers::pool
