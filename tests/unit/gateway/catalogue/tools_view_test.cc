#include "gateway/catalogue/tools_view.h"

#include <gtest/gtest.h>

#include <chrono>
#include <cstdio>

#include "base/json.h"
#include "tests/support/gated_tool.h"
#include "tests/unit/gateway/viewed_tools.h"
#include "tools/model/kinds.h"

namespace toolway::gateway::catalogue {
namespace {

using tools::exports::Format;
using tools::model::Kind;
using tools::model::Spec;

tools::model::RegisteredToolPtr tool(Spec spec) {
  if (spec.input_schema.is_null()) spec.input_schema = {{"type", "object"}};
  return *tools::model::register_tool(tools::model::declared_tool(std::move(spec)));
}

std::shared_ptr<const tools::model::Registry> registry() {
  return *tools::model::Registry::of(
      {tool({.name = "sum", .description = "Adds Numbers.", .category = "math"}),
       tool({.name = "read",
             .ns = "files",
             .description = "Reads a file.",
             .kind = Kind::kPython,
             .category = "files"}),
       tool({.name = "delete",
             .ns = "files",
             .description = "Deletes a file.",
             .kind = Kind::kCommand,
             .category = "files"})});
}

wire::HttpResult<ToolFilter> filter(const std::string& query) {
  return parse_tool_filter(*wire::Target::parse("/v1/tools" + query));
}

std::vector<std::string> found(ViewedTools& view, const std::string& query) {
  const auto wanted = filter(query);
  EXPECT_TRUE(wanted) << query;
  std::vector<std::string> names;
  for (const auto& one : Json::parse(view.all(Format::kAnthropic, *wanted)->json))
    names.push_back(one["name"]);
  return names;
}

TEST(ToolFilter, FindsByKindNamespaceCategoryAndWords) {
  tools::model::LiveRegistry live(registry());
  ViewedTools view(live);
  using Names = std::vector<std::string>;
  EXPECT_EQ(found(view, ""), (Names{"sum", "files__delete", "files__read"}));
  EXPECT_EQ(found(view, "?kind=python"), (Names{"files__read"}));
  EXPECT_EQ(found(view, "?namespace=files"), (Names{"files__delete", "files__read"}));
  EXPECT_EQ(found(view, "?namespace=none"), (Names{}));
  EXPECT_EQ(found(view, "?category=math"), (Names{"sum"}));
  EXPECT_EQ(found(view, "?q=FILE"), (Names{"files__delete", "files__read"}));
  EXPECT_EQ(found(view, "?q=numbers+"), (Names{}));  // a + is a +
  EXPECT_EQ(found(view, "?q=numbers%20add"), (Names{"sum"}));
  EXPECT_EQ(found(view, "?q=file%20%20reads"), (Names{"files__read"}));
  EXPECT_EQ(found(view, "?q=%20"), (Names{"sum", "files__delete", "files__read"}));
  EXPECT_EQ(found(view, "?kind=command&q=reads"), (Names{}));
}

TEST(ToolFilter, RefusesValuesThatNothingCouldHave) {
  for (const char* bad :
       {"?kind=Python", "?kind=", "?namespace=a.b", "?namespace=", "?category="}) {
    EXPECT_FALSE(filter(bad)) << bad;
  }
  EXPECT_FALSE(filter("?q=" + std::string(257, 'x')));
  EXPECT_FALSE(parse_tool_format(*wire::Target::parse("/x?format=gemini")));
  EXPECT_EQ(*parse_tool_format(*wire::Target::parse("/x")), Format::kToolway);
}

/// Those who may do the same share a list; what is not granted is in none.
TEST(ToolsView, ShowsWhatIsGranted) {
  tools::model::LiveRegistry live(registry());
  ViewedTools view(live);
  const std::vector<std::string> every{"*"};
  const auto granted = [](const char* permission, const char* user) {
    extensions::Policy policy;
    policy.roles.emplace()["r"] = {permission};
    policy.default_roles = {"r"};
    policy.digest = permission;
    return extensions::grants_of(std::make_shared<const extensions::Policy>(policy),
                                 {.user_id = user});
  };
  const auto whole = view.of(every);
  EXPECT_EQ(Json::parse(whole->json).size(), 3U);
  const auto files = view.of(every, Format::kMcp, granted("call:files.*", "ann"));
  EXPECT_EQ(Json::parse(files->json).size(), 2U);
  EXPECT_EQ(files->json.find("sum"), std::string::npos) << files->json;
  EXPECT_NE(files->digest, whole->digest);
  EXPECT_EQ(view.of(every, Format::kMcp, granted("call:files.*", "bob")), files) << "made once";
  EXPECT_EQ(
      Json::parse(view.of(every, Format::kMcp, granted("call:files.read", "ann"))->json).size(),
      1U);
  EXPECT_EQ(view.of(every), whole);
}

TEST(ToolsView, ShowsOneSetOfToolsInEveryFormatUnderOneDigest) {
  tools::model::LiveRegistry live(registry());
  ViewedTools view(live);
  const std::vector<std::string> files{"files"};
  const auto plain = view.of(files);
  for (const auto format :
       {Format::kOpenAi, Format::kOpenAiResponses, Format::kAnthropic, Format::kMcp}) {
    const auto list = view.of(files, format);
    EXPECT_EQ(list->digest, plain->digest);
    EXPECT_NE(list->json, plain->json);
    EXPECT_EQ(list, view.of(files, format));  // made once
  }
  EXPECT_NE(view.all(Format::kToolway)->digest, plain->digest);
  EXPECT_EQ(view.of(std::vector<std::string>{})->json, "[]");
  EXPECT_EQ(*view.names(files).resolve("files__read"), "files.read");
  EXPECT_FALSE(view.names(files).resolve("sum"));
}

TEST(ToolsView, FollowsTheRegistry) {
  tools::model::LiveRegistry live(registry());
  ViewedTools view(live);
  const std::vector<std::string> files{"files"};
  const auto before = view.of(files);
  live.replace(*tools::model::Registry::of({tool({.name = "list", .ns = "files"})}));
  EXPECT_NE(view.of(files)->digest, before->digest);
  EXPECT_EQ(Json::parse(view.of(files)->json).size(), 1U);
  EXPECT_FALSE(view.names(files).resolve("files__read"));
}

TEST(ToolsView, OffersNoModelWhatIsSwitchedOffAndShowsOperatorsWhy) {
  tools::model::LiveRegistry live(registry());
  auto switches = nothing_is_off();
  ViewedTools view(live, [&switches] { return switches; });
  const std::vector<std::string> files{"files"};
  const auto before = view.of(files);
  const auto name_before = view.names(files).of((*registry()).find("files", "read")->spec());
  auto off = std::make_shared<proto::Switches>();
  off->take("files.delete", R"({"reason":"too dangerous","by":"ann","at":"2026-01-01T00:00:00Z"})");
  switches = off;
  for (const auto format : {Format::kToolway, Format::kOpenAi, Format::kOpenAiResponses,
                            Format::kAnthropic, Format::kMcp}) {
    const auto list = view.of(files, format);
    EXPECT_EQ(Json::parse(list->json).size(), 1U);
    EXPECT_NE(list->digest, before->digest);
    EXPECT_EQ(Json::parse(view.all(format)->json).size(), format == Format::kToolway ? 3U : 2U);
    EXPECT_EQ(view.all(format)->digest, view.all(Format::kToolway)->digest);
  }
  // What a model is still told by its old name is that it is off, not that there is none.
  EXPECT_EQ(*view.names(files).resolve("files__delete"), "files.delete");
  EXPECT_EQ(view.names(files).of((*registry()).find("files", "read")->spec()), name_before);
  const auto all = Json::parse(view.all(Format::kToolway, *filter("?namespace=files"))->json);
  ASSERT_EQ(all.size(), 2U);
  EXPECT_EQ(all[0]["disabled"],
            (Json{{"reason", "too dangerous"}, {"by", "ann"}, {"at", "2026-01-01T00:00:00Z"}}));
  EXPECT_FALSE(all[1].contains("disabled"));
  switches = nothing_is_off();
  EXPECT_EQ(view.of(files)->digest, before->digest);
}

/// The tools of `registry()` and one whose spec is large.
std::shared_ptr<const tools::model::Registry> with_large(std::shared_ptr<test::SpecGate> gate) {
  return *tools::model::Registry::of(
      {tool({.name = "sum"}), test::large_gated_tool(std::move(gate))});
}

TEST(ToolsView, LargeListsAreMadeWhileTheLoopRuns) {
  const auto gate = std::make_shared<test::SpecGate>();
  tools::model::LiveRegistry live(with_large(gate));
  ViewedTools view(live);
  gate->close();
  const auto list = view.start(view.view().all(Format::kOpenAi));
  view.io().poll();
  ASSERT_TRUE(gate->await_reader());
  bool went_on = false;
  asio::post(view.io(), [&went_on] { went_on = true; });
  view.io().poll();
  EXPECT_TRUE(went_on);
  EXPECT_FALSE(list->has_value());
  EXPECT_FALSE(gate->gave_up());
  gate->open();
  EXPECT_EQ(Json::parse(view.await(list)->json).size(), 2U);
}

TEST(ToolsView, AllWhoAskWhileAListIsMadeGetThatOne) {
  const auto gate = std::make_shared<test::SpecGate>();
  tools::model::LiveRegistry live(with_large(gate));
  ViewedTools view(live);
  gate->close();
  const auto first = view.start(view.view().all(Format::kMcp));
  view.io().poll();
  ASSERT_TRUE(gate->await_reader());
  const auto second = view.start(view.view().all(Format::kMcp));
  view.io().poll();
  // A version that comes now is another list, for those who ask from now on.
  live.replace(*tools::model::Registry::of({tool({.name = "sum"})}));
  EXPECT_EQ(Json::parse(view.all(Format::kMcp)->json).size(), 1U);
  EXPECT_FALSE(gate->gave_up());
  gate->open();
  EXPECT_EQ(view.await(first), view.await(second));
  EXPECT_EQ(Json::parse(view.await(first)->json).size(), 2U);
}

TEST(ToolsView, NothingThatCostsMuchIsDoneOnTheLoop) {
  const std::vector<std::string> every{"*"};
  for (const auto format : {Format::kToolway, Format::kOpenAi, Format::kOpenAiResponses,
                            Format::kAnthropic, Format::kMcp}) {
    const auto gate = std::make_shared<test::SpecGate>();
    tools::model::LiveRegistry live(with_large(gate));
    ViewedTools view(live);
    const auto before = gate->reads_by(std::this_thread::get_id());
    EXPECT_EQ(Json::parse(view.of(every, format)->json).size(), 2U);
    EXPECT_EQ(Json::parse(view.all(format)->json).size(), 2U);
    EXPECT_EQ(Json::parse(view.all(format, *filter("?q=large"))->json).size(), 1U);
    EXPECT_TRUE(view.names(every).resolve("gated__large"));
    EXPECT_EQ(gate->reads_by(std::this_thread::get_id()), before) << static_cast<int>(format);
  }
}

/// A spec as large as real ones are.
Spec large_spec(std::size_t i) {
  Spec spec{.name = "tool_" + std::to_string(i),
            .ns = "ns" + std::to_string(i / 20),
            .description = "Searches the archive number " + std::to_string(i) +
                           " for what the user asked, and says where it was found."};
  OrderedJson properties = OrderedJson::object();
  for (int p = 0; p < 6; ++p) {
    properties["parameter_" + std::to_string(p)] = {
        {"type", "string"}, {"description", "What this parameter is for, in a sentence."}};
  }
  spec.input_schema = {
      {"type", "object"}, {"properties", properties}, {"required", {"parameter_0"}}};
  return spec;
}

TEST(ToolsView, TwentyToolsAmongTenThousandCostAsMuchAsTwenty) {
  using std::chrono::steady_clock;
  std::vector<tools::model::RegisteredToolPtr> many;
  for (std::size_t i = 0; i < 10'000; ++i) many.push_back(tool(large_spec(i)));
  const auto all = *tools::model::Registry::of(std::move(many));
  tools::model::LiveRegistry live(all);
  ViewedTools view(live);
  const auto timed = [](const char* what, const auto& run) {
    const auto begun = steady_clock::now();
    run();
    const auto took =
        std::chrono::duration_cast<std::chrono::microseconds>(steady_clock::now() - begun);
    std::printf("%-28s %lld us\n", what, static_cast<long long>(took.count()));
    return took;
  };
  const std::vector<std::string> one{"ns123"};
  auto best = std::chrono::microseconds::max();
  for (int round = 0; round < 5; ++round) {
    live.replace(std::make_shared<const tools::model::Registry>(*all));
    best = std::min(best, timed("first of a new registry", [&] {
                      EXPECT_GT(view.of(one, Format::kOpenAi)->json.size(), 10'000U);
                    }));
    timed("again", [&] { view.of(one, Format::kOpenAi); });
  }
  const auto all_of_them = timed("all 10,000, first", [&] { view.all(Format::kToolway); });
  EXPECT_LT(best * 20, all_of_them);
  timed("all 10,000, again", [&] { view.all(Format::kToolway); });
  const auto words = *filter("?q=archive%20number%209999");
  timed("words among 10,000",
        [&] { EXPECT_EQ(Json::parse(view.all(Format::kMcp, words)->json).size(), 1U); });
}

}  // namespace
}  // namespace toolway::gateway::catalogue
