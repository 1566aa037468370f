#include "tools/loaders/load_log.h"

#include <fmt/format.h>
#include <gtest/gtest.h>
#include <spdlog/sinks/ostream_sink.h>
#include <spdlog/spdlog.h>

#include <sstream>

#include "tools/builtin/builtin.h"

namespace toolway::tools::loaders {
namespace {

TEST(LoadLog, CountsTheToolsThatListsShow) {
  const auto registry = builtin::builtin_registry({.root = "/"});
  ASSERT_TRUE(registry);
  std::size_t shown = 0;
  for (const auto* tool : (*registry)->list()) shown += tool->spec().ns == "bench" ? 0 : 1;
  ASSERT_LT(shown, (*registry)->size());
  std::ostringstream log;
  auto usual = spdlog::default_logger();
  spdlog::set_default_logger(std::make_shared<spdlog::logger>(
      "captured", std::make_shared<spdlog::sinks::ostream_sink_mt>(log)));
  LoadLog().changes({.added = {"a.b"}}, **registry);
  spdlog::set_default_logger(std::move(usual));
  EXPECT_NE(log.str().find(fmt::format("specs: 1 added: a.b; {} tools are offered now", shown)),
            std::string::npos)
      << log.str();
}

}  // namespace
}  // namespace toolway::tools::loaders
