// Tools that break, block or flood: one call ends, and nothing else does.
#include "tests/unit/tools/executors/python/python_fixture.h"

namespace toolway::tools::executors::python {
namespace {

using Steady = std::chrono::steady_clock;

class PythonHarm : public PythonTest {
 protected:
  /// Cancels the call as soon as it has reported; how it ended, and how long that took.
  std::string cancelled(const std::string& function, std::chrono::milliseconds* took = nullptr) {
    model::LocalContext local;
    Steady::time_point since;
    on_report_ = [&](const model::ProgressReport&) {
      if (local.stop.request_stop()) since = Steady::now();
    };
    const auto end = run(tool(spec(function)), Json::object(), local);
    on_report_ = {};
    const auto passed =
        std::chrono::duration_cast<std::chrono::milliseconds>(Steady::now() - since);
    EXPECT_LT(passed.count(), 1900);
    if (took != nullptr) *took = passed;
    return said(end);
  }
  /// Cancels it as soon as it has printed something.
  std::string cancelled_when_it_prints(const std::shared_ptr<const model::Tool>& made,
                                       const Json& arguments = Json::object()) {
    model::LocalContext local;
    Steady::time_point since;
    std::jthread stop([&](std::stop_token over) {
      while (local.logged().empty() && !over.stop_requested()) std::this_thread::yield();
      since = Steady::now();
      local.stop.request_stop();
    });
    const auto end = run(made, arguments, local);
    const auto now = Steady::now();
    stop.request_stop();
    stop.join();
    EXPECT_LT(now - since, std::chrono::milliseconds(1900));
    return said(end);
  }
};

TEST_F(PythonHarm, EndsOneCallWhenTheProcessEnds) {
  EXPECT_EQ(said(run("exits", {{"how", "sys"}, {"status", 3}})),
            "tool_crashed: the tool called sys.exit(3)");
  EXPECT_EQ(said(run("exits", {{"how", "os"}, {"status", 4}})),
            "tool_crashed: the tool's Python process ended with status 4");
  EXPECT_EQ(said(run("exits", {{"how", "kill"}, {"status", 0}})),
            "tool_crashed: the tool's Python process was killed by signal 9 (SIGKILL)");
  EXPECT_EQ(said(run("exits", {{"how", "crash"}, {"status", 0}})),
            "tool_crashed: the tool's Python process was killed by signal 11 (SIGSEGV)");
  EXPECT_NE(log().find("Segmentation fault"), std::string::npos) << log();
  EXPECT_EQ(said(run("noop")), "null");
}

TEST_F(PythonHarm, AsksBeforeItKills) {
  std::chrono::milliseconds took{};
  EXPECT_EQ(cancelled("waits_until_cancelled", &took), R"({"cancelled":true})");
  EXPECT_LT(took.count(), 300);
  EXPECT_EQ(cancelled("sleeps_async", &took), "cancelled: the tool stopped when it was asked to");
  EXPECT_LT(took.count(), 300);
  EXPECT_EQ(log(), "1 was cancelled\n");
  EXPECT_EQ(cancelled("yields_for_ever", &took),
            "cancelled: the tool stopped when it was asked to");
  EXPECT_LT(took.count(), 300);
}

TEST_F(PythonHarm, DoesNotCancelTheNextCall) {
  PythonOptions with = options();
  with.warm = with.processes = 1;
  use(with);
  const auto first = run("process");
  for (int i = 0; i < 20; ++i) {
    EXPECT_EQ(cancelled("waits_until_cancelled"), R"({"cancelled":true})");
    EXPECT_EQ(said(run("process")), said(first));
  }
}

TEST_F(PythonHarm, StopsEndlessLoops) {
  const std::string stopped = "cancelled: the tool stopped when it was asked to";
  const std::string killed =
      "cancelled: the tool did not stop when asked, so its process was killed";
  EXPECT_EQ(cancelled_when_it_prints(tool(spec("spins"))), stopped);
  EXPECT_EQ(cancelled_when_it_prints(tool(spec("spins")), {{"swallow", true}}), killed);
  EXPECT_EQ(cancelled_when_it_prints(tool(spec("blocks_in_c"))), killed);
  EXPECT_EQ(cancelled_when_it_prints(tool(spec("f", "spinning_module"))), stopped);
  EXPECT_EQ(said(run("noop")), "null");
}

TEST_F(PythonHarm, KillsWhatIgnoresEverySignalAndItsChildren) {
  EXPECT_EQ(cancelled("ignores_signals"),
            "cancelled: the tool did not stop when asked, so its process was killed");
  ASSERT_FALSE(reports_.empty());
  EXPECT_TRUE(ends(reports_[0].data["pid"]));
  EXPECT_TRUE(ends(reports_[0].data["child"]));
}

TEST_F(PythonHarm, BoundsMemoryAndDepth) {
  PythonOptions with = options();
  with.memory_limit = std::size_t{256} << 20;
  use(with);
  EXPECT_EQ(said(run("allocates", {{"mebibytes", 1024}})), "python_exception: MemoryError");
  EXPECT_EQ(said(run("allocates", {{"mebibytes", 16}})), "16777216");
  EXPECT_EQ(said(run("recurses")).substr(0, 32), "python_exception: RecursionError");
  EXPECT_EQ(said(run("noop")), "null");
}

TEST_F(PythonHarm, DrainsAFloodWithoutKeepingIt) {
  EXPECT_EQ(said(run("floods", {{"mebibytes", 20}})),
            "python_exception: ValueError: after the flood");
  EXPECT_LT(logged_.size(), 2000U);
  EXPECT_NE(log().find("of the tool's output were left out"), std::string::npos);
  EXPECT_NE(log().find("Traceback"), std::string::npos);
}

TEST_F(PythonHarm, TakesNothingButFramesForAnAnswer) {
  for (const char* how : {"kind", "size", "text"}) {
    EXPECT_EQ(said(run("garbage", {{"how", how}})),
              "tool_crashed: the tool wrote to the file that controls its process");
  }
  PythonOptions with = options();
  with.warm = with.processes = 1;
  use(with);
  const auto first = said(run("process"));
  EXPECT_EQ(said(run("false_frame")).substr(0, 13), "tool_crashed:");
  EXPECT_NE(said(run("process")), first);
  EXPECT_EQ(said(run("forks_and_returns")), R"("the parent's")");
  EXPECT_EQ(said(run("add", {{"a", 1}})), "11");
}

TEST_F(PythonHarm, AsksForSecretsAndDoesNotReadTheAnswers) {
  PythonOptions with = options();
  with.warm = with.processes = 1;
  use(with);
  model::LocalContext local;
  local.secrets = {{"token", std::string(4'000, 's')}};
  EXPECT_EQ(said(run(tool(spec("asks_and_does_not_read")), Json::object(), local)),
            "tool_crashed: the tool's process asks for secrets but does not read the answers");
  EXPECT_EQ(said(run("noop")), "null");
}

TEST_F(PythonHarm, LeavesNothingRunning) {
  PythonOptions with = options();
  with.warm = with.processes = 1;
  use(with);
  const auto task = run("leaves_task");
  EXPECT_EQ(said(run("process")), said(task));  // that much is tidied up
  const auto thread = run("leaves_thread");
  ASSERT_TRUE(thread) << said(thread);
  EXPECT_TRUE(ends(*thread));
  const auto child = run("leaves_child");
  ASSERT_TRUE(child) << said(child);
  for (const auto& pid : *child) EXPECT_TRUE(ends(pid)) << pid;
  const auto last = run("process");
  ASSERT_TRUE(last) << said(last);
  kind_.reset();
  EXPECT_FALSE(alive(*last));
  EXPECT_EQ(children(), "");
}

}  // namespace
}  // namespace toolway::tools::executors::python
