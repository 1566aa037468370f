#include "tools/builtin/builtin.h"

#include <gtest/gtest.h>

#include "tests/unit/tools/builtin/file_tree.h"
#include "tools/builtin/task_tools.h"
#include "tools/model/local_context.h"

namespace toolway::tools::builtin {
namespace {

TEST(Builtin, OffersEveryToolAndOneAloneIsNotIdempotent) {
  FileTree tree;
  const auto registry = builtin_registry({.root = tree.root()});
  ASSERT_TRUE(registry) << registry.error().message;
  std::vector<std::string> names;
  for (const auto* tool : (*registry)->list()) {
    names.push_back(tool->spec().qualified_name() + (tool->spec().multi_step ? "*" : ""));
    EXPECT_EQ(tool->spec().idempotent, names.back() != "bench.work_once*") << names.back();
    EXPECT_FALSE(tool->spec().description.empty()) << names.back();
    EXPECT_FALSE(tool->spec().topic.empty()) << names.back();
  }
  EXPECT_EQ(names, (std::vector<std::string>{
                       "bench.ask*", "bench.echo", "bench.stream*", "bench.work*",
                       "bench.work_once*", "filesystem.find_in_files*", "filesystem.hash_file*",
                       "filesystem.list_directory", "filesystem.read_file", "tasks.cancel_task",
                       "tasks.check_task_status", "time.get_current_time"}));
}

TEST(Builtin, TheRootMustBeADirectory) {
  const auto registry = builtin_registry({.root = "/nonexistent/root"});
  ASSERT_FALSE(registry);
  EXPECT_EQ(registry.error().code, ErrorCode::kNotFound);
}

TEST(Builtin, WhatOnlyReadsSaysSo) {
  FileTree tree;
  const auto registry = *builtin_registry({.root = tree.root()});
  for (const auto& [ns, name] :
       std::initializer_list<std::pair<const char*, const char*>>{{"filesystem", "read_file"},
                                                                  {"filesystem", "list_directory"},
                                                                  {"filesystem", "find_in_files"},
                                                                  {"filesystem", "hash_file"},
                                                                  {"time", "get_current_time"}})
    EXPECT_TRUE(registry->find(ns, name)->tool->spec().read_only) << name;
  for (const auto& tool : task_tools())
    EXPECT_EQ(tool->spec().read_only, tool->spec().name == kCheckTask) << tool->spec().name;
}

TEST(Builtin, EchoGivesItsPayloadBack) {
  FileTree tree;
  const auto registry = *builtin_registry({.root = tree.root()});
  EXPECT_EQ(*registry->execute("bench.echo", R"({"payload": "a\u0000b"})"),
            (Json{{"payload", std::string("a\0b", 3)}}));
  EXPECT_EQ(*registry->execute("bench.echo", "{}"), (Json{{"payload", ""}}));
}

TEST(Builtin, AskNeedsSomeoneToAsk) {
  FileTree tree;
  const auto registry = *builtin_registry({.root = tree.root()});
  const auto asked = registry->execute("bench.ask", "{}");
  ASSERT_FALSE(asked);
  EXPECT_EQ(asked.error().code, "cannot_ask");
}

TEST(Builtin, StreamReportsAsOftenAsItIsTold) {
  FileTree tree;
  const auto registry = *builtin_registry({.root = tree.root()});
  const auto& tool = *registry->find("bench", "stream")->tool;
  model::LocalContext context;
  std::vector<model::ProgressReport> reports;
  model::ProgressTo collect(
      [&](model::ProgressReport report) { reports.push_back(std::move(report)); });
  const auto execution = tool.execute({{"chunks", 3}, {"payload", "p"}}, context, collect);
  ASSERT_TRUE(execution);
  EXPECT_EQ(*execution, (Json{{"chunks", 3}}));
  ASSERT_EQ(reports.size(), 3U);
  EXPECT_EQ(reports[2].progress, 3);
  EXPECT_EQ(reports[2].total, 3);
  EXPECT_EQ(reports[2].data, "p");
  reports.clear();
  EXPECT_EQ(*tool.execute({{"chunks", 0}}, context, collect), (Json{{"chunks", 0}}));
  EXPECT_TRUE(reports.empty());
  EXPECT_EQ(tool.execute({{"chunks", 10001}}, context, collect).error().code, "invalid_arguments");
  context.stop.request_stop();
  EXPECT_EQ(tool.execute({{"chunks", 5}}, context, collect).error().code, "cancelled");
}

TEST(Builtin, WorkTakesAndReturnsAsMuchAsItIsTold) {
  FileTree tree;
  const auto registry = *builtin_registry({.root = tree.root()});
  const auto& tool = *registry->find("bench", "work")->tool;
  model::LocalContext context;
  unsigned reports = 0;
  model::ProgressTo count([&](model::ProgressReport) { ++reports; });
  const auto began = std::chrono::steady_clock::now();
  const auto execution =
      tool.execute({{"wait_ms", 20}, {"result_bytes", 1000}, {"chunks", 4}}, context, count);
  EXPECT_GE(std::chrono::steady_clock::now() - began, std::chrono::milliseconds(20));
  ASSERT_TRUE(execution);
  EXPECT_EQ((*execution)["data"].get<std::string>().size(), 1000U);
  EXPECT_EQ(reports, 4U);
  context.stop.request_stop();
  EXPECT_EQ(tool.execute({{"wait_ms", 3'600'000}}, context, count).error().code, "cancelled");
}

}  // namespace
}  // namespace toolway::tools::builtin
