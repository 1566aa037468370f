#include "gateway/endpoints/models_handler.h"

#include <gtest/gtest.h>

#include "gateway/endpoints/face_error.h"

namespace toolway::gateway::endpoints {
namespace {

constexpr std::int64_t kSecondUs = 1'000'000;

struct ModelsHandler : testing::Test {
  void add(const std::vector<std::string>& models, std::int64_t since_s = 5,
           bool draining = false) {
    auto worker = std::make_shared<admission::HeardWorker>();
    worker->said.mutable_models()->Assign(models.begin(), models.end());
    worker->said.set_started_at_us(since_s * kSecondUs);
    worker->said.set_draining(draining);
    chat.push_back(std::move(worker));
  }
  /// The answer to `target`, or the refusal of it.
  Json ask(std::string_view text, std::string id = {}) {
    const wire::Request request{.target = text, .head = &head};
    const auto target = *wire::Target::parse(text);
    const wire::Caller caller;
    const wire::RoutedRequest routed{
        .request = request, .target = target, .caller = caller, .id = std::move(id)};
    auto answer = routed.id.empty() ? list_models(chat, routed) : show_model(chat, routed);
    const auto said = answer ? *std::move(answer) : refusal(answer.error(), request);
    EXPECT_EQ(said.content_type, "application/json");
    status = said.status;
    return *parse_json(said.body);
  }
  std::vector<std::string> page(std::string_view text) {
    std::vector<std::string> ids;
    const auto answer = ask(text);
    for (const auto& one : answer["data"]) ids.push_back(one["id"]);
    if (answer["has_more"] == true) ids.emplace_back("more");
    return ids;
  }

  wire::RequestHead head;
  std::vector<admission::HeardWorkerPtr> chat;
  unsigned status = 0;
};

TEST_F(ModelsHandler, AreThoseOfAllChatProcessesByName) {
  add({"large", "small"}, 9);
  add({"large", "medium"}, 7);
  add({"old"}, 1, true);
  const auto list = ask("/v1/models");
  EXPECT_EQ(list["object"], "list");
  ASSERT_EQ(list["data"].size(), 3U) << list;
  EXPECT_EQ(list["data"][0],
            (Json{{"id", "large"}, {"object", "model"}, {"created", 7}, {"owned_by", "toolway"}}));
  EXPECT_EQ(list["data"][1]["id"], "medium");
  EXPECT_EQ(list["data"][2]["id"], "small");
}

TEST_F(ModelsHandler, HaveTheFormOfTheMessagesApiForItsClients) {
  head.lines.push_back({"anthropic-version", "2023-06-01"});
  EXPECT_EQ(ask("/v1/models"), (Json{{"data", Json::array()},
                                     {"has_more", false},
                                     {"first_id", nullptr},
                                     {"last_id", nullptr}}));
  add({"b", "a", "c"});
  const auto list = ask("/v1/models");
  EXPECT_EQ(list["data"][0], (Json{{"type", "model"},
                                   {"id", "a"},
                                   {"display_name", "a"},
                                   {"created_at", "1970-01-01T00:00:05.000000Z"}}));
  EXPECT_EQ(list["first_id"], "a");
  EXPECT_EQ(list["last_id"], "c");
  using Page = std::vector<std::string>;
  EXPECT_EQ(page("/v1/models?limit=2"), (Page{"a", "b", "more"}));
  EXPECT_EQ(page("/v1/models?limit=2&after_id=b"), Page{"c"});
  EXPECT_EQ(page("/v1/models?limit=1&before_id=c"), (Page{"b", "more"}));
  EXPECT_EQ(page("/v1/models?limit=1&after_id=c"), Page{});
  EXPECT_EQ(ask("/v1/models?limit=0")["type"], "error");
  EXPECT_EQ(ask("/v1/models/a", "a")["display_name"], "a");
}

TEST_F(ModelsHandler, AreNoneWithoutAChatProcess) {
  EXPECT_EQ(ask("/v1/models"), (Json{{"object", "list"}, {"data", Json::array()}}));
  EXPECT_EQ(ask("/v1/models/a", "a")["error"]["message"], "no chat process that has a model runs");
  EXPECT_EQ(status, 404U);
}

TEST_F(ModelsHandler, OneIsFoundByItsName) {
  add({"qwen3:8b", "small"});
  EXPECT_EQ(ask("/v1/models/qwen3%3A8b", "qwen3:8b")["id"], "qwen3:8b");
  const auto refused = ask("/v1/models/smal", "smal");
  EXPECT_EQ(status, 404U);
  EXPECT_EQ(refused["error"]["type"], "not_found_error");
  EXPECT_EQ(refused["error"]["message"],
            "no chat process has this model; there are: qwen3:8b, small");
  ask("/v1/models?limit=2");
  EXPECT_EQ(status, 400U) << "of the Messages API alone";
}

}  // namespace
}  // namespace toolway::gateway::endpoints
