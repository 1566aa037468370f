#include "cli/bench/profile/profile_file.h"

#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>

#include "tests/support/temp_dir.h"

namespace toolway::cli::bench::profile {
namespace {

OrderedJson profile(unsigned number) {
  Costs costs;
  for (const auto& role : kRoles) costs[role.name] = {};
  return {{"number", number},
          {"machine", OrderedJson::object()},
          {"options", OrderedJson::object()},
          {"figures", {{"calls_per_s", 1000}, {"p50", 1.0}, {"p99", 4.0}}},
          {"per_call", to_json(costs)}};
}

TEST(ProfileFile, KeepsOneProfileALine) {
  const test::TempDir dir;
  const auto path = dir / "made" + "/profiles.jsonl";
  for (unsigned number = 1; number <= 2; ++number) {
    const auto file = ProfileFile::open(path);
    ASSERT_TRUE(file) << file.error().message;
    EXPECT_EQ(file->profiles().size(), number - 1);
    ASSERT_TRUE(file->append(profile(number)));
  }
  EXPECT_EQ(ProfileFile::open(path)->profiles().size(), 2U);
  EXPECT_EQ(ProfileFile::open(path)->profiles().back().json["number"], 2);
}

TEST(ProfileFile, WithoutANameKeepsNothing) {
  const auto file = ProfileFile::open("");
  ASSERT_TRUE(file);
  EXPECT_TRUE(file->append(profile(1)));
  EXPECT_TRUE(file->profiles().empty());
}

TEST(ProfileFile, IsRefusedBeforeARunWhenItIsOfNoUse) {
  const test::TempDir dir;
  std::ofstream(dir / "file") << "x\n";
  for (const auto& path : {dir.path().string(), dir / "file" + "/profiles.jsonl", dir / "file"}) {
    const auto file = ProfileFile::open(path);
    ASSERT_FALSE(file) << path;
    EXPECT_EQ(file.error().code, ErrorCode::kInvalidRequest);
    EXPECT_NE(file.error().message.find(dir.path().string()), std::string::npos)
        << file.error().message;
    EXPECT_NE(file.error().message.find("name another file with --store"), std::string::npos)
        << file.error().message;
  }
}

TEST(ProfileFile, SaysThatAResultWasNotKept) {
  const test::TempDir dir;
  const auto path = dir / "made" + "/profiles.jsonl";
  const auto file = ProfileFile::open(path);
  ASSERT_TRUE(file) << file.error().message;
  std::filesystem::remove_all(dir / "made");
  const auto kept = file->append(profile(1));
  ASSERT_FALSE(kept);
  EXPECT_EQ(kept.error().message,
            "cannot write " + path + ": No such file or directory; name another file with --store");
}

}  // namespace
}  // namespace toolway::cli::bench::profile
