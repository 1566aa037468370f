// A tool that says a secret of its arguments, or what the policy's patterns match, in every way
// that it has: no event, no stored result and no label of a metric holds it.
#include <thread>

#include "base/base64.h"
#include "base/text.h"
#include "extensions/reader/stored_policy.h"
#include "tests/support/write_entry.h"
#include "tests/unit/workers/worker_bench.h"

namespace toolway::workers::call {
namespace {

using tools::model::ContentBlock;
using tools::model::Execution;
using tools::model::Progress;
using tools::model::ToolContext;
using tools::model::ToolError;

const std::string kPassword = "hunter2/\"long\"";
const std::string kToken = "sk-1234567890";
constexpr const char* kPolicy = "patterns: ['sk-[0-9]{6,}']";

struct Leak {
  const char* name;
  test::Body body;
};

/// Fails with an error that `leak` made worse.
template <typename Make>
test::Body fails_with(Make make) {
  return [make](const Json&, ToolContext&, Progress&) -> Execution {
    ToolError error("tool_failed", "no");
    make(error);
    return tl::unexpected(std::move(error));
  };
}

template <typename Make>
test::Body reports(Make make) {
  return [make](const Json&, ToolContext&, Progress& progress) -> Execution {
    tools::model::ProgressReport report{.progress = 1, .message = "at work", .data = 1};
    make(report);
    progress.report(std::move(report));
    return Json("done");
  };
}

test::Body shows(ContentBlock block) {
  return [block](const Json&, ToolContext& context, Progress&) -> Execution {
    context.add_content(block);
    return Json("done");
  };
}

const std::string kBoth = "it is " + kPassword + " or " + kToken + ".";

std::vector<Leak> leaks() {
  return {
      {"ResultText", test::returns(kBoth)},
      {"ResultItself", test::returns(kPassword)},
      {"ResultInside", test::returns(Json{{"a", {1, {{"b", kBoth}}}}})},
      {"ResultName", test::returns(Json{{kPassword, 1}, {kToken, 2}})},
      {"ResultNumber", test::returns(Json{{"pin", 918273}})},
      {"ResultPercentEncoded", test::returns("?q=" + percent_encoded(kPassword))},
      {"ResultBase64", test::returns(base64(kPassword))},
      {"ResultJsonInText", test::returns(to_text(Json{{"p", kPassword}}))},
      {"ResultTwice", test::returns(kToken + kPassword + kPassword + kToken)},
      {"LargeResult", test::returns(std::string(300'000, 'x') + kBoth)},
      {"ErrorMessage", fails_with([](ToolError& error) { error.message = kBoth; })},
      {"ErrorCode", fails_with([](ToolError& error) { error.code = kToken; })},
      {"ErrorDetails", fails_with([](ToolError& error) { error.details = {{kToken, kBoth}}; })},
      {"Exception",
       [](const Json&, ToolContext&, Progress&) -> Execution { throw std::runtime_error(kBoth); }},
      {"ProgressMessage", reports([](auto& report) { report.message = kBoth; })},
      {"ProgressStep", reports([](auto& report) { report.step = kBoth; })},
      {"ProgressData", reports([](auto& report) { report.data = {{kToken, kBoth}}; })},
      {"LogLine",
       [](const Json&, ToolContext& context, Progress&) -> Execution {
         context.log(tools::model::LogLevel::kInfo, kBoth);
         return Json("done");
       }},
      {"LogLineOfAThread",
       [](const Json&, ToolContext& context, Progress&) -> Execution {
         std::jthread([&] { context.log(tools::model::LogLevel::kError, kBoth); }).join();
         return Json("done");
       }},
      {"ContentText", shows({.type = "text", .text = kBoth})},
      {"ContentUri", shows({.type = "resource_link", .uri = "file:///" + kToken})},
      {"ContentName", shows({.type = "resource_link", .name = kBoth})},
      {"ContentType", shows({.type = "resource", .mime_type = "text/" + kToken})},
      {"ContentData", shows({.type = "resource", .data = kBoth})},
  };
}

class CallSecrets : public test::WorkerBench, public testing::WithParamInterface<Leak> {
 protected:
  void put_policy() {
    toolway::test::write_entry(
        *memory_, proto::kPoliciesBucket, std::string(extensions::reader::kPolicyKey),
        extensions::reader::encode(
            {.number = 1, .by = "ann", .at = "2026-01-01T00:00:00Z", .text = kPolicy}));
  }
  v1::CallRequest secret_call() {
    auto request = call();
    request.set_arguments(to_text(Json{{"password", kPassword}, {"pin", 918273}, {"n", 1}}));
    for (const char* place : {"/password", "/pin"}) request.add_secret_places(place);
    return request;
  }
  /// All that is stored of calls.
  std::string stored() {
    std::string all;
    for (const auto& [stream, subjects] :
         {std::pair(proto::kEventsStream, "event.>"), std::pair(proto::kBlobsStream, "blob.>")}) {
      for (std::uint64_t next = 1;;) {
        toolway::test::Awaited<Result<bus::StoredMessage>> got;
        memory_->next_message(stream, subjects, next, bus::ReadFrom::kLeader, got.callback());
        const auto message = got.next();
        if (!message || !*message) break;
        next = (*message)->sequence + 1;
        all += (*message)->payload;
      }
    }
    return all;
  }
};

TEST_P(CallSecrets, AreShownToNoReader) {
  put_policy();
  auto worker = this->worker(test::registry_of({.multi_step = true}, GetParam().body));
  submit(secret_call());
  const auto end = completed();
  ASSERT_TRUE(end.has_completed());
  expect_all_acked();
  const auto all = stored();
  const auto metrics = metrics_->scrape();
  EXPECT_NE(all.find("[secret]"), std::string::npos) << "it did say something";
  for (const std::string& secret :
       {kPassword, kToken, percent_encoded(kPassword), base64(kPassword), std::string("918273"),
        std::string("hunter2"), std::string("sk-12")}) {
    EXPECT_EQ(all.find(secret), std::string::npos) << secret << " in " << end.ShortDebugString();
    EXPECT_EQ(metrics.find(secret), std::string::npos) << secret;
  }
}

INSTANTIATE_TEST_SUITE_P(Leaks, CallSecrets, testing::ValuesIn(leaks()),
                         [](const auto& info) { return info.param.name; });

class CallSecretsOff : public CallSecrets {};

TEST_F(CallSecretsOff, WithoutAnyEverythingIsShownAsItIs) {
  auto worker = this->worker(test::registry_of({}, test::returns(Json{{"t", kBoth}})));
  submit(call());
  EXPECT_EQ(Json::parse(completed().completed().result())["t"], kBoth);
}

}  // namespace
}  // namespace toolway::workers::call
