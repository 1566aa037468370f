#include "base/os/file_io.h"

#include <gtest/gtest.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>
#include <iterator>

#include "tests/support/temp_dir.h"

namespace toolway::os {
namespace {

namespace fs = std::filesystem;

TEST(ReadFile, GivesAllBytesOfAFileOfAnySize) {
  const test::TempDir directory;
  const auto path = directory.path() / "f";
  for (const std::size_t size : {0UL, 1UL, 65536UL, 65537UL, 200'000UL}) {
    std::string text(size, 'x');
    if (size > 2) text[size / 2] = '\0';
    std::ofstream(path, std::ios::binary) << text;
    EXPECT_EQ(read_file(path), text) << size;
  }
}

TEST(ReadFile, GivesNoMoreThanIsAskedFor) {
  const test::TempDir directory;
  const auto path = directory.path() / "f";
  const std::string text = std::string(70'000, 'a') + "b";
  std::ofstream(path, std::ios::binary) << text;
  EXPECT_EQ(read_file(path, 70'000)->size(), 70'000U);
  EXPECT_EQ(read_file(path, 70'001), text);
  EXPECT_EQ(read_file(path, 70'002), text);
  EXPECT_EQ(read_file(path, 0), "");
}

TEST(ReadFile, ReadsFilesOfProcWhichHaveNoSize) {
  const auto status = read_file("/proc/self/status");
  ASSERT_TRUE(status);
  EXPECT_NE(status->find("VmRSS:"), std::string::npos);
}

TEST(ReadFile, SaysWhyItCannot) {
  const auto missing = read_file("/nowhere/f");
  ASSERT_FALSE(missing);
  EXPECT_EQ(missing.error().code, ErrorCode::kNotFound);
  EXPECT_EQ(missing.error().message, "cannot read /nowhere/f: No such file or directory");
  EXPECT_EQ(read_file("/proc").error().message, "cannot read /proc: Is a directory");
}

TEST(WriteWholeFile, ReplacesAFileByOneForItsOwnerOnly) {
  const test::TempDir directory;
  const auto path = directory.path() / "f";
  std::ofstream(path) << "what was there before, and was longer";
  fs::permissions(path, fs::perms::all);
  const std::string text("a\0b", 3);
  ASSERT_TRUE(write_whole_file(path, text));
  EXPECT_EQ(read_file(path), text);
  EXPECT_EQ(fs::status(path).permissions(), fs::perms::owner_read | fs::perms::owner_write);
  EXPECT_EQ(std::distance(fs::directory_iterator(directory.path()), fs::directory_iterator()), 1);
}

TEST(WriteWholeFile, SaysWhyItCannot) {
  const auto written = write_whole_file("/nowhere/f", "x");
  ASSERT_FALSE(written);
  EXPECT_EQ(written.error().code, ErrorCode::kInternal);
  EXPECT_EQ(written.error().message, "cannot write /nowhere/f: No such file or directory");
}

TEST(TemporaryDirectory, IsNewAndOnlyOurs) {
  const auto first = make_temporary_directory("toolway-unit");
  const auto second = make_temporary_directory("toolway-unit");
  ASSERT_TRUE(first && second);
  EXPECT_NE(*first, *second);
  for (const auto& path : {*first, *second}) {
    EXPECT_TRUE(std::filesystem::path(path).filename().string().starts_with("toolway-unit-"));
    EXPECT_EQ(std::filesystem::status(path).permissions(), std::filesystem::perms::owner_all);
    std::filesystem::remove(path);
  }
}

}  // namespace
}  // namespace toolway::os
