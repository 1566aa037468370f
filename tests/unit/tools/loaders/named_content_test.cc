#include <gtest/gtest.h>
#include <sys/stat.h>
#include <unistd.h>

#include <array>
#include <filesystem>
#include <fstream>

#include "tests/support/temp_dir.h"
#include "tools/loaders/spec_files.h"

namespace toolway::tools::loaders {
namespace {

namespace fs = std::filesystem;

class NamedContents : public testing::Test {
 protected:
  NamedContents() {
    fs::create_directories(dir_ / "specs/folder");
    std::ofstream(dir_ / "outside") << "secret";
    std::ofstream(dir_ / "specs/inside") << "inside";
    std::ofstream(dir_ / "specs-too") << "secret";
  }
  /// What it holds, or why it is refused.
  std::string read(std::string_view named) const {
    const auto content = read_named_content(dir_ / "specs/tools.yaml", named);
    return content.bytes ? *content.bytes : content.bytes.error().message;
  }
  void link(const std::string& to, const char* from) const {
    fs::create_symlink(to, dir_ / (std::string("specs/") + from));
  }

  const test::TempDir dir_;
  static constexpr const char* kOutside = "leads out of the directory of the spec file";
  static constexpr const char* kNoFile = "cannot be read: it is not a regular file";
};

TEST_F(NamedContents, AreOfTheDirectoryOfTheSpecFileAndBelow) {
  std::ofstream(dir_ / "specs/folder/below") << "below";
  EXPECT_EQ(read("inside"), "inside");
  EXPECT_EQ(read("folder/below"), "below");
  EXPECT_EQ(read("./folder/../inside"), "inside");
  link("folder/below", "link");
  EXPECT_EQ(read("link"), "below");
  link(dir_ / "specs/inside", "absolute");
  EXPECT_EQ(read("absolute"), "inside");
  EXPECT_EQ(read("none"), "cannot be read: No such file or directory");
}

TEST_F(NamedContents, WhatLeadsOutIsRefused) {
  for (const char* named : {"../outside", "../../etc/passwd", "folder/../../outside", "..",
                            "../specs-too", "./../outside"})
    EXPECT_EQ(read(named), kOutside) << named;
  EXPECT_EQ(read("/etc/passwd"), "must be a path relative to the spec file");
  EXPECT_EQ(read(""), "is not the path of a file");
  EXPECT_EQ(read(std::string_view("inside\0", 7)), "is not the path of a file");
  link("../outside", "out");
  link("/etc/passwd", "passwd");
  link("..", "up");
  link("out", "twice");
  link("../specs-too", "too");
  for (const char* named : {"out", "passwd", "up/outside", "twice", "too"})
    EXPECT_EQ(read(named), kOutside) << named;
}

TEST_F(NamedContents, WhatIsNotAFileIsNotOpened) {
  ASSERT_EQ(mkfifo((dir_ / "specs/fifo").c_str(), 0600), 0);
  EXPECT_EQ(read("fifo"), kNoFile);
  EXPECT_EQ(read("folder"), kNoFile);
  EXPECT_EQ(read("."), kNoFile);
  link("/dev/zero", "zero");
  EXPECT_EQ(read("zero"), kOutside);
  link("loop", "loop");
  EXPECT_EQ(read("loop"), "cannot be read: Too many levels of symbolic links");
  std::array<int, 2> ends{};
  ASSERT_EQ(pipe(ends.data()), 0);
  link("/proc/self/fd/" + std::to_string(ends[0]), "pipe");
  EXPECT_EQ(read("pipe"), kOutside);
  for (const int end : ends) close(end);
}

TEST_F(NamedContents, AreBounded) {
  std::ofstream(dir_ / "specs/large") << std::string(kMaxContentBytes, 'x');
  EXPECT_EQ(read("large").size(), kMaxContentBytes);
  std::ofstream(dir_ / "specs/larger") << std::string(kMaxContentBytes + 1, 'x');
  EXPECT_EQ(read("larger"), "has more than 4 MiB");
}

TEST_F(NamedContents, AStampTellsVersionsApart) {
  const auto stamp = [this] {
    return read_named_content(dir_ / "specs/tools.yaml", "inside").file.stamp;
  };
  const auto before = stamp();
  EXPECT_EQ(before, stamp_of(dir_ / "specs/inside"));
  std::ofstream(dir_ / "specs/inside") << "inside!";
  EXPECT_NE(stamp(), before);
}

}  // namespace
}  // namespace toolway::tools::loaders
