#include "tools/exports/api_names.h"

#include <gtest/gtest.h>

#include <random>
#include <set>

#include "base/ids.h"
#include "tests/unit/tools/exports/export_specs.h"

namespace toolway::tools::exports {
namespace {

model::Spec spec_of(const std::string& qualified) {
  const auto dot = qualified.find('.');
  return {.name = qualified.substr(dot + 1), .ns = qualified.substr(0, dot)};
}

std::string api(const std::string& qualified) {
  return ApiNames({qualified}).of(spec_of(qualified));
}

std::string meant(const ApiNames& names, std::string_view text) {
  const auto found = names.resolve(text);
  return found ? *found : std::string(code_name(found.error().code)) + ": " + found.error().message;
}

TEST(ApiNames, LeaveTheDefaultNamespaceOut) {
  EXPECT_EQ(api("default.read"), "read");
  EXPECT_EQ(api("files.read"), "files__read");
  EXPECT_EQ(api("default._x_"), "_x_");
  EXPECT_EQ(api("a-b.c_d"), "a-b__c_d");
}

TEST(ApiNames, ShortenWhatIsLongOrCouldBeReadInTwoWays) {
  for (const char* name : {"default.a__b", "a__b.c", "a.b__c", "a_.b", "a._b", "default.a___b"}) {
    EXPECT_NE(api(name).find("___"), std::string::npos) << name;
    EXPECT_TRUE(valid_name(api(name))) << api(name);
  }
  const std::string long_name = std::string(40, 'n') + "." + std::string(40, 't');
  EXPECT_EQ(api(long_name).size(), 64U);
  EXPECT_TRUE(api(long_name).starts_with(std::string(40, 'n') + "__tttt"));
  EXPECT_EQ(api("n." + std::string(61, 't')), "n__" + std::string(61, 't'));
  EXPECT_EQ(api("n." + std::string(62, 't')).size(), 64U);
  // Known for good: conversations hold these names.
  EXPECT_EQ(api("default.a__b"), "a__b___" + ApiNames::sha256_of("default.a__b").substr(0, 12));
}

TEST(ApiNames, DoNotDependOnWhatElseThereIs) {
  const ApiNames few({"files.read"});
  const ApiNames many({"default.files__read", "files.read", "default.read", "files__r.ead"});
  EXPECT_EQ(few.of(spec_of("files.read")), many.of(spec_of("files.read")));
}

TEST(ApiNames, AreUnderstoodInEveryForm) {
  const ApiNames names(
      {"default.sum", "files.read", "archive.read", "files.list", "default.a__b", "a.b"});
  EXPECT_EQ(meant(names, "sum"), "default.sum");
  EXPECT_EQ(meant(names, "default.sum"), "default.sum");
  EXPECT_EQ(meant(names, "files__read"), "files.read");
  EXPECT_EQ(meant(names, "files.read"), "files.read");
  EXPECT_EQ(meant(names, "list"), "files.list");
  EXPECT_EQ(meant(names, "read"),
            "ambiguous_tool: several tools are called read: say 'files__read' or 'archive__read'");
  // An API's name comes before a bare one.
  EXPECT_EQ(meant(names, "a__b"), "a.b");
}

TEST(ApiNames, UnknownOnesGetTheNearest) {
  const ApiNames names({"default.sum", "files.read"});
  EXPECT_EQ(meant(names, "files__raed"),
            "unknown_tool: unknown tool files__raed; did you mean 'files__read'?");
  EXPECT_EQ(meant(names, "files.raed"),
            "unknown_tool: unknown tool files.raed; did you mean 'files.read'?");
  EXPECT_EQ(meant(names, "quantum_entangle_everything"),
            "unknown_tool: unknown tool quantum_entangle_everything");
  EXPECT_EQ(meant(names, "a\r\nb"), "unknown_tool: unknown tool \"a\\r\\nb\"");
  EXPECT_LT(meant(names, std::string(100'000, 'x')).size(), 300U);
  EXPECT_TRUE(meant(names, "").starts_with("unknown_tool"));
}

TEST(ApiNames, EqualHashesAreNoticed) {
  // All begin alike, as one in 2^48 does.
  const auto hash = [](std::string_view text) {
    return std::string(12, '0') + ApiNames::sha256_of(text).substr(0, 52);
  };
  const ApiNames names({"default.a__b", "default.a__b__", "a_._b", "a__b.x"}, hash);
  const ApiNames same({"a_.b", "a__._b", std::string(64, 'a') + ".b", std::string(64, 'a') + ".c"},
                      hash);
  std::set<std::string> distinct;
  for (const char* name : {"default.a__b", "default.a__b__", "a_._b", "a__b.x"}) {
    const std::string its = names.of(spec_of(name));
    EXPECT_TRUE(distinct.insert(its).second) << its;
    EXPECT_EQ(meant(names, its), name);
  }
  const std::string b = std::string(64, 'a') + ".b";
  const std::string c = std::string(64, 'a') + ".c";
  EXPECT_NE(same.of(spec_of(b)), same.of(spec_of(c)));
  EXPECT_EQ(meant(same, same.of(spec_of(b))), b);
  EXPECT_EQ(meant(same, same.of(spec_of(c))), c);
  EXPECT_TRUE(valid_name(same.of(spec_of(c))));
}

/// Names of few letters and many underscores, some as long as names may be.
std::string nasty(std::mt19937& random) {
  static constexpr std::string_view kLetters = "__-a_b__0";
  const std::size_t size = random() % 8 == 0 ? 50 + random() % 15 : 1 + random() % 5;
  std::string name;
  for (std::size_t i = 0; i < size; ++i) name.push_back(kLetters[random() % kLetters.size()]);
  return name;
}

TEST(ApiNames, MapBothWaysWhateverTheNames) {
  std::mt19937 random(7);
  for (int round = 0; round < 20; ++round) {
    std::set<std::string> qualified;
    while (qualified.size() < 2000) {
      const std::string ns = random() % 3 == 0 ? "default" : nasty(random);
      qualified.insert(ns + "." + nasty(random));
    }
    const ApiNames names(std::vector<std::string>(qualified.begin(), qualified.end()));
    std::set<std::string> seen;
    for (const auto& name : qualified) {
      const std::string its = names.of(spec_of(name));
      ASSERT_TRUE(valid_name(its)) << its;
      ASSERT_TRUE(seen.insert(its).second) << its;
      ASSERT_EQ(meant(names, its), name);
      ASSERT_EQ(meant(names, name), name);
      ASSERT_EQ(ApiNames({name}).of(spec_of(name)), its);
    }
  }
}

}  // namespace
}  // namespace toolway::tools::exports
