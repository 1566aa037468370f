// The disk itself: what a cut takes, and what it leaves.
#include <fcntl.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>

#include "tests/power_cut/disk/disk.h"
#include "tests/support/temp_dir.h"

namespace toolway::test::disk {
namespace {

class PowerCutDisk : public testing::Test {
 protected:
  ~PowerCutDisk() override {
    for (auto& file : files_) close(file->file);
    close(directory_);
  }

  OpenFile& open(const char* name, int flags = O_RDWR | O_CREAT) {
    int error = 0;
    files_.push_back(disk_.open(name, flags, 0600, error));
    EXPECT_EQ(error, 0) << name;
    return *files_.back();
  }
  void write(OpenFile& file, const std::string& text, off_t offset) {
    EXPECT_EQ(disk_.write(file, text.data(), text.size(), offset), std::ssize(text));
  }
  std::string text(const std::string& name) const {
    std::ifstream in(dir_ / name);
    return {std::istreambuf_iterator<char>(in), {}};
  }

  TempDir dir_;
  int directory_ = ::open(dir_.path().c_str(), O_RDONLY | O_DIRECTORY);
  Disk disk_{directory_};
  std::vector<std::unique_ptr<OpenFile>> files_;
};

TEST_F(PowerCutDisk, KeepsWhatWasSyncedAndNothingElse) {
  auto& file = open("file");
  const std::string synced(10'000, 'a');
  write(file, synced, 0);
  EXPECT_EQ(disk_.sync(file), 0);
  write(file, "changed", 4090);  // over a block's end
  write(file, "appended", 10'000);
  disk_.cut_power();
  EXPECT_EQ(text("file"), synced);
}

TEST_F(PowerCutDisk, AFileThatNeverWasSyncedIsEmpty) {
  write(open("file"), "text", 0);
  disk_.cut_power();
  EXPECT_TRUE(std::filesystem::exists(dir_ / "file"));
  EXPECT_EQ(text("file"), "");
}

TEST_F(PowerCutDisk, TakesBackATruncationAndWhatCameAfterIt) {
  auto& file = open("file");
  write(file, std::string(9000, 'a'), 0);
  EXPECT_EQ(disk_.sync(file), 0);
  EXPECT_EQ(disk_.truncate(file, 10), 0);
  write(file, std::string(20'000, 'b'), 10);
  write(open("file", O_WRONLY | O_TRUNC), "c", 0);
  disk_.cut_power();
  EXPECT_EQ(text("file"), std::string(9000, 'a'));
}

TEST_F(PowerCutDisk, SyncsEachWriteOfAFileOpenedSo) {
  write(open("file", O_WRONLY | O_CREAT | O_DSYNC), "text", 0);
  disk_.cut_power();
  EXPECT_EQ(text("file"), "text");
}

TEST_F(PowerCutDisk, AFileThatTookARemovedOnesPlaceHasNothingOfIt) {
  auto& old = open("file");
  write(old, "old", 0);
  EXPECT_EQ(disk_.sync(old), 0);
  disk_.forget("file");
  std::filesystem::remove(dir_ / "file");
  write(open("file"), "new", 0);
  disk_.cut_power();
  EXPECT_EQ(text("file"), "");
}

TEST_F(PowerCutDisk, WhatWasOpenStaysUnusableWhenThePowerIsBack) {
  auto& before = open("file");
  disk_.cut_power();
  EXPECT_FALSE(disk_.has_power());
  disk_.restore_power();
  EXPECT_TRUE(disk_.has_power());
  EXPECT_FALSE(disk_.usable(before));
  EXPECT_TRUE(disk_.usable(open("file")));
}

TEST_F(PowerCutDisk, KeepsWhatTheKernelWroteBack) {
  write(open("file"), "text", 0);
  disk_.sync_all();
  disk_.cut_power();
  EXPECT_EQ(text("file"), "text");
}

}  // namespace
}  // namespace toolway::test::disk
