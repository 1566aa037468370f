// The interpreters themselves: shared out, replaced, reloaded.
#include <atomic>
#include <filesystem>

#include "tests/unit/tools/executors/python/python_fixture.h"
#include "tools/executors/python/interpreter_keeper.h"

namespace toolway::tools::executors::python {
namespace {

class PythonPool : public PythonTest {};

template <typename Condition>
bool eventually(Condition&& condition) {
  const auto until = std::chrono::steady_clock::now() + test::kPatience;
  while (!condition()) {
    if (std::chrono::steady_clock::now() > until) return false;
    std::this_thread::yield();
  }
  return true;
}

TEST_F(PythonPool, GrowsOnDemandAndNoFurther) {
  PythonOptions with = options();
  with.warm = 1;
  with.processes = 3;
  auto pool = InterpreterKeeper::start(with);
  ASSERT_TRUE(pool) << pool.error().message;
  EXPECT_EQ((*pool)->counts().idle, 1U);
  EXPECT_EQ((*pool)->version().substr(0, 2), "3.");
  std::vector<std::unique_ptr<Interpreter>> taken;
  for (int i = 0; i < 3; ++i) {
    auto one = (*pool)->take({});
    ASSERT_TRUE(one);
    taken.push_back(std::move(*one));
  }
  std::stop_source stop;
  std::jthread cancel([&] { stop.request_stop(); });
  const auto fourth = (*pool)->take(stop.get_token());
  ASSERT_FALSE(fourth);
  EXPECT_EQ(fourth.error().code, "cancelled");
  EXPECT_EQ((*pool)->counts().started, 3U);
  for (auto& one : taken) (*pool)->bring_back(std::move(one), PythonCallEnd::Interpreter::kGood);
  EXPECT_EQ((*pool)->counts().idle, 3U);
}

TEST_F(PythonPool, ImportsNothingFromWhereTheWorkerIs) {
  test::TempDir directory;
  for (const auto* name : {"os.py", "json.py", "pathlib.py", "importlib.py", "sys.py"})
    std::ofstream(directory.path() / name) << "raise SystemExit('not this one')\n";
  const auto before = std::filesystem::current_path();
  std::filesystem::current_path(directory.path());
  auto pool = InterpreterKeeper::start(options());
  std::filesystem::current_path(before);
  EXPECT_TRUE(pool) << pool.error().message;
}

TEST_F(PythonPool, ReplacesWhatIsLostBeforeItIsNeeded) {
  PythonOptions with = options();
  with.warm = with.processes = 2;
  auto pool = InterpreterKeeper::start(with);
  ASSERT_TRUE(pool) << pool.error().message;
  auto one = (*pool)->take({});
  ASSERT_TRUE(one);
  (*pool)->bring_back(std::move(*one), PythonCallEnd::Interpreter::kSpent);
  EXPECT_TRUE(eventually([&] { return (*pool)->counts().idle == 2; }));
  EXPECT_EQ((*pool)->counts().started, 3U);
}

TEST_F(PythonPool, ReplacesAfterALimitOfCallsAndWhenMemoryGrows) {
  PythonOptions with = options();
  with.warm = with.processes = 1;
  with.calls_per_process = 3;
  use(with);
  std::vector<std::string> processes;
  for (int i = 0; i < 6; ++i) processes.push_back(said(run("process")));
  EXPECT_EQ(processes[0], processes[2]);
  EXPECT_NE(processes[2], processes[3]);
  EXPECT_EQ(processes[3], processes[5]);
  with.calls_per_process = 1000;
  with.recycle_above = std::size_t{64} << 20;
  use(with);
  const auto small = said(run("keeps", {{"mebibytes", 1}}));
  EXPECT_EQ(said(run("keeps", {{"mebibytes", 80}})), small);
  EXPECT_NE(said(run("process")), small);
}

TEST_F(PythonPool, LoadsChangedFilesAgain) {
  const test::TempDir directory;
  const auto write = [&](const std::string& name, const std::string& text) {
    std::ofstream(directory / name) << text;
  };
  write("inner.py", "VALUE = 'old'\n");
  write("changing.py", "import inner\ndef value():\n    return inner.VALUE\n");
  PythonOptions with = options();
  with.path = {directory.path().string()};
  use(with);
  const auto made = tool(spec("value", "changing"));
  EXPECT_EQ(said(run(made)), R"("old")");
  write("inner.py", "VALUE = 'new'\n");
  EXPECT_TRUE(eventually([&] {
    const auto now = said(run(made));
    EXPECT_TRUE(now == R"("old")" || now == R"("new")") << now;
    return now == R"("new")";
  }));
  for (int i = 0; i < 5; ++i) EXPECT_EQ(said(run(made)), R"("new")");
  write("changing.py", "def value(:\n");
  EXPECT_TRUE(eventually([&] { return said(run(made)).find("SyntaxError") != std::string::npos; }));
  write("changing.py", "def value():\n    return 'repaired'\n");
  EXPECT_TRUE(eventually([&] { return said(run(made)) == R"("repaired")"; }));
}

TEST_F(PythonPool, GivesEachCallItsOwnResult) {
  PythonOptions with = options();
  with.processes = 4;
  use(with);
  const auto echo = tool(spec("echo"));
  const auto slow = tool(spec("add_async"));
  const auto count = tool(spec("count"));
  const auto exits = tool(spec("exits"));
  const auto raises = tool(spec("raises"));
  std::atomic<int> wrong = 0;
  std::vector<std::jthread> threads;
  for (int thread = 0; thread < 8; ++thread) {
    threads.emplace_back([&, thread] {
      for (int i = 0; i < 60; ++i) {
        model::LocalContext local;
        local.call = "call-" + std::to_string(thread * 1000 + i);
        std::size_t reports = 0;
        model::ProgressTo progress([&](const model::ProgressReport&) { ++reports; });
        const auto is = [&](const model::Execution& execution, const std::string& expected) {
          if (said(execution) == expected) return;
          ++wrong;
          ADD_FAILURE() << said(execution) << " instead of " << expected;
        };
        switch ((i + thread) % 6) {
          case 0:
            is(echo->execute({{"value", local.call}}, local, progress), to_text(Json(local.call)));
            break;
          case 1:
            is(slow->execute({{"a", thread}, {"b", i}}, local, progress),
               std::to_string(thread + i));
            break;
          case 2:
            is(count->execute({{"to", i % 4}}, local, progress),
               to_text(Json{{"counted", i % 4}, {"call", local.call}}));
            if (reports != static_cast<std::size_t>(i % 4)) ++wrong;
            break;
          case 3:
            is(raises->execute({{"message", local.call}}, local, progress),
               "python_exception: ValueError: " + local.call);
            break;
          case 4:
            is(echo->execute({{"value", std::string(static_cast<std::size_t>(i) * 1000, 'x')}},
                             local, progress),
               to_text(Json(std::string(static_cast<std::size_t>(i) * 1000, 'x'))));
            break;
          default:
            if (i % 12 > 6) break;
            is(exits->execute({{"how", "os"}, {"status", 7}}, local, progress),
               "tool_crashed: the tool's Python process ended with status 7");
        }
      }
    });
  }
  threads.clear();
  EXPECT_EQ(wrong, 0);
  kind_.reset();
}

TEST_F(PythonPool, LeavesNoProcess) {
  {
    PythonOptions with = options();
    with.warm = 3;
    use(with);
    EXPECT_EQ(said(run("noop")), "null");
  }
  EXPECT_NE(children(), "");
  kind_.reset();
  EXPECT_EQ(children(), "");
}

}  // namespace
}  // namespace toolway::tools::executors::python
