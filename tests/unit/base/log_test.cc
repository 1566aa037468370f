#include "base/log.h"

#include <gtest/gtest.h>
#include <unistd.h>

namespace toolway {
namespace {

class LogTest : public testing::Test {
 protected:
  ~LogTest() override { start_logging("test", "info"); }
  static std::string written(LogFormat format, void (*log)()) {
    testing::internal::CaptureStderr();
    start_logging("gateway", "info", format);
    log();
    spdlog::default_logger()->flush();
    return testing::internal::GetCapturedStderr();
  }
};

void log_and_record() {
  spdlog::warn("user \"a\"\nsaid\x1b[2J");
  log_record(spdlog::level::info, "call_refused", {{"user", "ann\n"}, {"ms", 1.5}});
}

TEST_F(LogTest, TextHasNoRecords) {
  const auto text = written(LogFormat::kText, log_and_record);
  EXPECT_FALSE(logs_records());
  EXPECT_EQ(std::count(text.begin(), text.end(), '\n'), 1) << text;
  EXPECT_EQ(text.find('\x1b'), std::string::npos);
  EXPECT_NE(text.find("warning gateway: user \"a\"\\nsaid\\u001b[2J\n"), std::string::npos) << text;
}

TEST_F(LogTest, JsonIsAnObjectALine) {
  const auto text = written(LogFormat::kJson, log_and_record);
  EXPECT_TRUE(logs_records());
  const auto end = text.find('\n');
  const auto first = OrderedJson::parse(text.substr(0, end));
  EXPECT_EQ(first["level"], "warning");
  EXPECT_EQ(first["process"], "gateway");
  EXPECT_EQ(first["message"], "user \"a\"\\nsaid\\u001b[2J");
  EXPECT_EQ(first["time"].get<std::string>().size(), 27U) << first["time"];
  const auto second = OrderedJson::parse(text.substr(end + 1));
  EXPECT_EQ(second["event"], "call_refused");
  EXPECT_EQ(second["user"], "ann\\n");
  EXPECT_EQ(second["ms"], 1.5);
  EXPECT_EQ(second["process"], "gateway");
}

}  // namespace
}  // namespace toolway
