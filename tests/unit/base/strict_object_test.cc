#include "base/strict_object.h"

#include <gtest/gtest.h>

namespace toolway {
namespace {

std::vector<std::string> told(Mistakes mistakes) {
  std::vector<std::string> texts;
  for (const auto& mistake : std::move(mistakes).take()) {
    texts.push_back(mistake.keyword.empty() ? mistake.text()
                                            : mistake.text() + " (" + mistake.keyword + ")");
  }
  return texts;
}

using Texts = std::vector<std::string>;

TEST(StrictObject, ReadsWhatARequestHas) {
  const Json body = {{"name", "x"}, {"limits", {{"run", 5}}}, {"list", {1, 2}}};
  Mistakes mistakes;
  StrictObject reader(body, mistakes);
  reader.only({"name", "limits", "list"});
  ASSERT_NE(reader.text("name"), nullptr);
  EXPECT_EQ(*reader.text("name"), "x");
  EXPECT_EQ(reader.text("nothing"), nullptr);
  ASSERT_NE(reader.list("list"), nullptr);
  EXPECT_EQ(reader.list("list")->size(), 2U);
  StrictObject inner(*reader.map("limits"), mistakes, reader.at("limits"));
  unsigned run = 0;
  inner.whole("run", run, {1, 10});
  EXPECT_EQ(run, 5U);
  EXPECT_EQ(told(std::move(mistakes)), Texts{});
}

TEST(StrictObject, TellsTheMistakesOfARequestAsASchemaDoes) {
  const Json body = {{"a/b~", 1},
                     {"flag", "yes"},
                     {"limits", {{"run", 0}, {"queue", "x"}, {"share", 5}, {"part", "x"}}},
                     {"list", "no"},
                     {"map", 1},
                     {"name", nullptr},
                     {"texts", 1}};
  Mistakes mistakes;
  StrictObject reader(body, mistakes, "/calls/0");
  reader.only({"flag", "limits", "list", "map", "name", "texts"});
  bool flag = true;
  reader.flag("flag", flag);
  EXPECT_EQ(reader.list("list"), nullptr);
  EXPECT_EQ(reader.map("map"), nullptr);
  EXPECT_EQ(reader.text("name"), nullptr);
  Texts texts{"kept"};
  reader.texts("texts", texts);
  StrictObject inner(*reader.map("limits"), mistakes, reader.at("limits"));
  unsigned run = 7;
  inner.whole("run", run, {1, 10});
  inner.whole("queue", run, {1, 10});
  double share = 0.5;
  inner.number("share", share, {0, 2});
  inner.number("part", share, {0.5, 2});
  EXPECT_TRUE(flag);
  EXPECT_EQ(run, 7U);
  EXPECT_EQ(share, 0.5);
  EXPECT_EQ(texts, Texts{"kept"});
  EXPECT_EQ(told(std::move(mistakes)),
            (Texts{"/calls/0/a~1b~0: no such field (additionalProperties)",
                   "/calls/0/flag: expected boolean, found string (type)",
                   "/calls/0/list: expected array, found string (type)",
                   "/calls/0/map: expected object, found number (type)",
                   "/calls/0/name: expected string, found null (type)",
                   "/calls/0/texts: expected array, found number (type)",
                   "/calls/0/limits/run: expected a whole number from 1 to 10 (range)",
                   "/calls/0/limits/queue: expected a whole number from 1 to 10 (type)",
                   "/calls/0/limits/share: expected a number from 0 to 2 (range)",
                   "/calls/0/limits/part: expected a number from 0.5 to 2 (type)"}));
}

TEST(StrictObject, TellsAFewUnknownFieldsOfARequestAndCutsTheirNames) {
  Json body = Json::object();
  for (int i = 0; i < 30; ++i) body[fmt::format("{:x>63}é{}", "", i)] = 1;
  Mistakes mistakes;
  StrictObject(body, mistakes).only({});
  const auto texts = told(std::move(mistakes));
  ASSERT_EQ(texts.size(), 20U);
  EXPECT_EQ(texts[0], "/" + std::string(63, 'x') + ": no such field (additionalProperties)");
}

TEST(StrictObject, IsEmptyWhenItIsNotAnObject) {
  const Json body = {1, 2};
  const OrderedJson config = "text";
  Mistakes mistakes;
  StrictObject request(body, mistakes, "/calls/1");
  StrictObject configuration(config, "a policy", mistakes, "/retries");
  EXPECT_EQ(request.text("name"), nullptr);
  EXPECT_EQ(configuration.text("name"), nullptr);
  configuration.nothing_else();
  EXPECT_EQ(told(std::move(mistakes)), (Texts{"/calls/1: expected object, found array (type)",
                                              "/retries: a policy must be an object"}));
}

TEST(StrictObject, ReadsAConfiguration) {
  const auto config = *parse_ordered_json(
      R"({"name": "n", "on": true, "delay_ms": 5, "factor": 1.5, "as": "text", "codes": ["a", "b"],
          "most": 4294967295, "nothing": null})");
  Mistakes mistakes;
  StrictObject fields(config, "a policy", mistakes, "/retries");
  std::string name, nothing = "kept";
  bool on = false;
  std::chrono::milliseconds delay{1};
  double factor = 0;
  Texts codes;
  std::uint64_t most = 0;
  fields.required_text("name", name);
  fields.flag("on", on);
  fields.milliseconds("delay_ms", delay, {0, 10});
  fields.number("factor", factor, {1, 2});
  EXPECT_EQ(fields.choice("as", {"json", "text"}), "text");
  EXPECT_EQ(fields.choice("data", {"json", "text"}), "json");
  fields.texts("codes", codes);
  fields.whole("most", most, {});
  fields.text("nothing", nothing);
  fields.nothing_else();
  EXPECT_EQ(name, "n");
  EXPECT_TRUE(on);
  EXPECT_EQ(delay.count(), 5);
  EXPECT_EQ(factor, 1.5);
  EXPECT_EQ(codes, (Texts{"a", "b"}));
  EXPECT_EQ(most, 4294967295U);
  EXPECT_EQ(nothing, "kept");
  EXPECT_EQ(told(std::move(mistakes)), Texts{});
}

TEST(StrictObject, TellsTheMistakesOfAConfiguration) {
  const auto config = *parse_ordered_json(
      R"({"empty": "", "version": 1.1, "delay_ms": 11, "least": -1, "big": 4294967296, "factor": 3,
          "as": "xml", "codes": ["a", 5], "verion": 1, "zzz": null})");
  Mistakes mistakes;
  StrictObject fields(config, "a policy", mistakes, "/retries");
  std::string name, version = "kept";
  std::chrono::milliseconds delay{1};
  unsigned whole = 3;
  double factor = 1;
  Texts codes;
  fields.required_text("name", name);
  fields.text("empty", name);
  fields.text("version", version);
  fields.milliseconds("delay_ms", delay, {0, 10});
  fields.whole("least", whole, {.least = 1}, "bytes");
  fields.whole("big", whole, {});
  fields.number("factor", factor, {1, 2});
  EXPECT_EQ(fields.choice("as", {"json", "text"}), "json");
  fields.texts("codes", codes);
  fields.nothing_else();
  EXPECT_EQ(version, "kept");
  EXPECT_EQ(delay.count(), 1);
  EXPECT_EQ(whole, 3U);
  EXPECT_EQ(factor, 1);
  EXPECT_EQ(codes, Texts{});
  EXPECT_EQ(
      told(std::move(mistakes)),
      (Texts{"/retries: a policy has no `name`", "/retries/empty: `empty` must be text",
             "/retries/version: `version` must be text: write it in quotes",
             "/retries/delay_ms: `delay_ms` must be whole milliseconds from 0 to 10",
             "/retries/least: `least` must be whole bytes at least 1",
             "/retries/big: `big` must be a whole number at least 0",
             "/retries/factor: `factor` must be a number from 1 to 2",
             "/retries/as: \"xml\" is not one of json, text (enum)",
             "/retries/codes: each of `codes` must be text: write it in quotes",
             "/retries/verion: unknown field `verion`; did you mean `version`?",
             "/retries/zzz: unknown field `zzz`; a policy can have name, empty, version, delay_ms, "
             "least, big, factor, as, codes"}));
}

}  // namespace
}  // namespace toolway
