#include "cli/mcp_serve/answer_reader.h"

#include <gtest/gtest.h>
#include <spdlog/sinks/ostream_sink.h>
#include <spdlog/spdlog.h>

#include <sstream>
#include <vector>

namespace toolway::cli::mcp_serve {
namespace {

using Want = AnswerReader::Want;

class AnswerReaderTest : public testing::Test {
 protected:
  AnswerReader reader(std::optional<mcp::RequestId> id = mcp::RequestId(1)) {
    return {std::move(id), said_, {.write = [this](const std::string& line) {
              lines_.push_back(line);
            }}};
  }
  static tools::http::HttpHead head(int status, std::string type) {
    return {.status = status,
            .headers = {{"Content-Type", std::move(type)}, {"Mcp-Session-Id", "s"}}};
  }

  SaidBefore said_;
  std::vector<std::string> lines_;
};

TEST_F(AnswerReaderTest, AStreamMayBeCutAnywhere) {
  auto read = reader();
  read.on_head(head(200, "text/event-stream; charset=utf-8"));
  const std::string text =
      ": comment\n\nevent: message\ndata: {\"jsonrpc\":\"2.0\",\"id\":1,\ndata: \"result\":{}}\n\n";
  for (const char c : text) read.on_body(std::string_view(&c, 1));
  EXPECT_TRUE(read.answered());
  EXPECT_EQ(read.session(), "s");
  EXPECT_EQ(lines_, (std::vector<std::string>{"{\"jsonrpc\":\"2.0\",\"id\":1, \"result\":{}}"}));
}

TEST_F(AnswerReaderTest, AnEventWithoutDataIsPassedOver) {
  std::ostringstream log;
  auto usual = spdlog::default_logger();
  spdlog::set_default_logger(std::make_shared<spdlog::logger>(
      "captured", std::make_shared<spdlog::sinks::ostream_sink_mt>(log)));
  auto read = reader();
  read.on_head(head(200, "text/event-stream"));
  read.on_body("id: 1-0\ndata:\n\n");
  EXPECT_EQ(log.str(), "") << "the first event of a stream that can be resumed";
  read.on_body("id: 1-1\ndata: {\n\n");
  EXPECT_NE(log.str().find("the gateway sent no message"), std::string::npos) << log.str();
  spdlog::set_default_logger(std::move(usual));
  EXPECT_TRUE(lines_.empty());
}

TEST_F(AnswerReaderTest, NothingFollowsTheAnswer) {
  auto read = reader();
  read.on_head(head(200, "text/event-stream"));
  EXPECT_EQ(read.on_body("data: {\"jsonrpc\":\"2.0\",\"id\":1,\"result\":{}}\n\n"), Want::kNoMore);
}

TEST_F(AnswerReaderTest, AMessageThatIsTooLargeIsNotKept) {
  for (const char* type : {"application/json", "text/event-stream"}) {
    auto read = reader();
    read.on_head(head(200, type));
    const std::string piece(1 << 20, 'x');
    read.on_body("data: ");
    auto want = Want::kMore;
    for (int mib = 0; mib < 70 && want == Want::kMore; ++mib) want = read.on_body(piece);
    EXPECT_EQ(want, Want::kNoMore) << type;
    EXPECT_TRUE(read.too_large());
    read.end();
    EXPECT_FALSE(read.answered());
  }
  EXPECT_TRUE(lines_.empty());
}

TEST_F(AnswerReaderTest, OfANotificationNothingIsWritten) {
  auto read = reader(std::nullopt);
  read.on_head(head(400, "application/json"));
  read.on_body(R"({"jsonrpc":"2.0","id":null,"error":{"code":-32600,"message":"m"}})");
  read.end();
  EXPECT_TRUE(lines_.empty());
}

TEST_F(AnswerReaderTest, ASubscriptionThatBeginsAgainTellsOfWhatItMayHaveMissed) {
  const auto event = [](const std::string& method, const std::string& notifications) {
    return R"({"jsonrpc":"2.0","method":")" + method +
           R"(","params":{"_meta":{"io.modelcontextprotocol/subscriptionId":1})" + notifications +
           "}}";
  };
  const auto acknowledged =
      event("notifications/subscriptions/acknowledged",
            R"(,"notifications":{"toolsListChanged":true,"promptsListChanged":false})");
  const auto changed = event("notifications/tools/list_changed", "");
  for (int time = 0; time < 2; ++time) {
    auto read = reader();
    read.on_head(head(200, "text/event-stream"));
    for (const auto& message : {acknowledged, changed, changed})
      read.on_body("data: " + message + "\n\n");
  }
  ASSERT_EQ(lines_.size(), 6U);
  EXPECT_EQ(lines_[0], acknowledged);
  for (std::size_t i = 1; i < 6; ++i)
    EXPECT_EQ(*parse_json(lines_[i]), *parse_json(changed)) << lines_[i];
}

}  // namespace
}  // namespace toolway::cli::mcp_serve
