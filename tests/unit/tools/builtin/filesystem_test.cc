#include <gtest/gtest.h>
#include <sys/stat.h>

#include "tests/unit/tools/builtin/file_tree.h"
#include "tools/builtin/builtin.h"
#include "tools/builtin/filesystem_tools.h"
#include "tools/builtin/glob.h"
#include "tools/model/local_context.h"

namespace toolway::tools::builtin {
namespace {

class StoppedClock final : public Clock {
 public:
  WallTime wall() const override { return from_unix_us(0); }
  MonotonicTime monotonic() const override { return MonotonicTime(std::chrono::seconds(ticks_++)); }

 private:
  mutable int ticks_ = 0;
};

class Filesystem : public testing::Test {
 protected:
  void SetUp() override {
    auto root = RootDirectory::open(tree_.root());
    ASSERT_TRUE(root);
    root_ = *root;
  }
  model::Execution run(const std::shared_ptr<const model::Tool>& tool, const Json& arguments) {
    model::ProgressTo collect([&](model::ProgressReport report) {
      reports_.push_back(std::move(report));
      if (cancel_after_ != 0 && reports_.size() == cancel_after_) context_.stop.request_stop();
    });
    return tool->execute(arguments, context_, collect);
  }
  model::Execution list(const Json& arguments) {
    return run(make_list_directory(root_), arguments);
  }
  model::Execution read(const Json& arguments) { return run(make_read_file(root_), arguments); }
  model::Execution find(const Json& arguments) { return run(make_find_in_files(root_), arguments); }
  model::Execution hash(const Json& arguments) {
    return run(make_hash_file(root_, std::make_shared<StoppedClock>()), arguments);
  }

  FileTree tree_;
  Root root_;
  model::LocalContext context_;
  std::vector<model::ProgressReport> reports_;
  std::size_t cancel_after_ = 0;
};

TEST_F(Filesystem, ListsADirectory) {
  tree_.write("b.txt", "12345");
  tree_.write("a/x", "");
  tree_.link("/etc/passwd", "link");
  ASSERT_EQ(::mkfifo((tree_.root() / "pipe").c_str(), 0600), 0);
  tree_.write("bad\xff", "");
  const auto listed = list(Json::object());
  ASSERT_TRUE(listed) << listed.error().message;
  Json entries = listed->at("entries");
  for (auto& entry : entries) {
    EXPECT_GT(entry["modified"], 1'600'000'000);
    entry.erase("modified");
  }
  EXPECT_EQ(entries, Json::parse(R"([{"name": "a", "type": "directory"},
    {"name": "b.txt", "type": "file", "size": 5}, {"name": "bad\uFFFD", "type": "file", "size": 0},
    {"name": "link", "type": "symlink"}, {"name": "pipe", "type": "other"}])"));
  EXPECT_EQ(listed->at("total"), 5);
  EXPECT_EQ(listed->at("truncated"), false);
  const auto two = list({{"limit", 2}});
  EXPECT_EQ(two->at("entries").size(), 2U);
  EXPECT_EQ(two->at("total"), 5);
  EXPECT_EQ(two->at("truncated"), true);
  EXPECT_EQ(list({{"path", "a"}})->at("entries").size(), 1U);
  EXPECT_EQ(list({{"path", ".."}}).error().code, "permission_denied");
  EXPECT_EQ(list({{"path", "b.txt"}}).error().code, "invalid_arguments");
}

TEST_F(Filesystem, ReadsText) {
  tree_.write("a.txt", "hello\nworld\n");
  EXPECT_EQ(*read({{"path", "a.txt"}}),
            Json::parse(R"({"path": "a.txt", "content": "hello\nworld\n",
    "encoding": "text", "offset": 0, "size": 12})"));
  EXPECT_EQ(*read({{"path", "a.txt"}, {"offset", 6}, {"limit", 5}}),
            Json::parse(R"({"path": "a.txt", "content": "world", "encoding": "text", "offset": 6,
                            "size": 12, "next_offset": 11})"));
  EXPECT_EQ(read({{"path", "a.txt"}, {"offset", 100}})->at("content"), "");
  EXPECT_EQ(read({{"path", "a.txt"}, {"offset", 9223372036854775807}})->at("content"), "");
  EXPECT_EQ(read({{"path", "a.txt"}, {"limit", 300000}}).error().code, "invalid_arguments");
  EXPECT_EQ(read({{"path", "a.txt"}, {"offset", -1}}).error().code, "invalid_arguments");
  EXPECT_EQ(read({{"path", "none"}}).error().code, "not_found");
  EXPECT_EQ(read({{"path", "/etc/passwd"}}).error().code, "permission_denied");
}

TEST_F(Filesystem, SlicesOfTextMeetBetweenCharacters) {
  std::string text;
  for (int i = 0; i < 50; ++i) text += i % 3 == 0 ? "€" : i % 3 == 1 ? "x" : "😀";
  tree_.write("u.txt", text);
  for (int limit = 4; limit < 12; ++limit) {
    std::string together;
    Json next = 0;
    for (int guard = 0; guard < 200 && !next.is_null(); ++guard) {
      const auto part = read({{"path", "u.txt"}, {"offset", next}, {"limit", limit}});
      ASSERT_TRUE(part) << part.error().message;
      together += part->at("content").get<std::string>();
      next = part->value("next_offset", Json());
    }
    EXPECT_EQ(together, text) << limit;
  }
  // From inside a character: begins with the next one, and says where that was.
  const auto inside = read({{"path", "u.txt"}, {"offset", 1}, {"limit", 4}});
  EXPECT_EQ(inside->at("offset"), 3);
  EXPECT_EQ(inside->at("content"), "x");
}

TEST_F(Filesystem, RefusesBinaryFilesUnlessAskedForBase64) {
  tree_.write("nul", std::string("a\0b", 3));
  tree_.write("latin1", "caf\xe9 au lait");
  for (const char* path : {"nul", "latin1"}) {
    const auto refused = read({{"path", path}});
    ASSERT_FALSE(refused);
    EXPECT_EQ(refused.error().code, "invalid_arguments");
    EXPECT_NE(refused.error().message.find("base64"), std::string::npos);
  }
  EXPECT_EQ(read({{"path", "nul"}, {"encoding", "base64"}})->at("content"), "YQBi");
  EXPECT_EQ(read({{"path", "nul"}, {"encoding", "hex"}}).error().code, "invalid_arguments");
}

TEST_F(Filesystem, NeverReadsAFifo) {
  ASSERT_EQ(::mkfifo((tree_.root() / "pipe").c_str(), 0600), 0);
  EXPECT_EQ(read({{"path", "pipe"}}).error().code, "invalid_arguments");
  EXPECT_EQ(hash({{"path", "pipe"}}).error().code, "invalid_arguments");
  EXPECT_EQ(find({{"pattern", "x"}})->at("files_searched"), 0);
}

TEST_F(Filesystem, HashesAFile) {
  tree_.write("abc", "abc");
  EXPECT_EQ(*hash({{"path", "abc"}}),
            Json::parse(R"({"path": "abc", "algorithm": "sha256", "bytes": 3,
    "digest": "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad"})"));
  tree_.write("empty", "");
  EXPECT_EQ(hash({{"path", "empty"}})->at("digest"),
            "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855");
  EXPECT_EQ(reports_.back().data["percent"], 100);
}

TEST_F(Filesystem, HashingReportsPercentAndRate) {
  tree_.write("big", std::string(3'500'000, 'x'));
  ASSERT_TRUE(hash({{"path", "big"}}));
  ASSERT_EQ(reports_.size(), 4U);
  EXPECT_EQ(reports_[0].progress, 1048576);
  EXPECT_EQ(reports_[0].total, 3'500'000);
  EXPECT_EQ(reports_[0].message, "30 % at 1 MB/s");  // the clock ticks a second a report
  EXPECT_NEAR(reports_[0].data["mb_per_s"].get<double>(), 1.05, 0.01);
  EXPECT_EQ(reports_[3].data["percent"], 100);
}

TEST_F(Filesystem, HashingStopsWhenCancelled) {
  tree_.write("big", std::string(5'000'000, 'x'));
  cancel_after_ = 2;
  const auto stopped = hash({{"path", "big"}});
  ASSERT_FALSE(stopped);
  EXPECT_EQ(stopped.error().code, "cancelled");
  EXPECT_EQ(reports_.size(), 2U);
}

TEST_F(Filesystem, FindsALiteralAndReportsAsItGoes) {
  tree_.write("a.txt", "one\ntwo needle\n\nneedle three\r\n");
  tree_.write("b/c.cc", "no\nneedle.*");
  tree_.write("b/d.txt", "nothing");
  tree_.write("binary", std::string("needle\0", 7));
  const auto found = find({{"pattern", "needle"}});
  ASSERT_TRUE(found) << found.error().message;
  EXPECT_EQ(*found, Json::parse(R"({"matches": [
    {"file": "a.txt", "line": 2, "column": 5, "text": "two needle"},
    {"file": "a.txt", "line": 4, "column": 1, "text": "needle three"},
    {"file": "b/c.cc", "line": 2, "column": 1, "text": "needle.*"}],
    "files_searched": 3, "files_skipped": 1, "truncated": false})"));
  ASSERT_EQ(reports_.size(), 4U);
  EXPECT_EQ(reports_[0].progress, 1);
  EXPECT_EQ(reports_[0].total, 4);
  EXPECT_EQ(reports_[0].data, Json::parse(R"({"file": "a.txt", "matches": [
    {"line": 2, "text": "two needle"}, {"line": 4, "text": "needle three"}]})"));
  EXPECT_EQ(reports_[3].message, "3 matches in 4 of 4 files");
  EXPECT_EQ(find({{"pattern", ".*"}})->at("matches").size(), 1U);  // literally
  EXPECT_EQ(find({{"pattern", "NEEDLE"}, {"ignore_case", true}})->at("matches").size(), 3U);
  EXPECT_EQ(find({{"pattern", "NEEDLE"}})->at("matches").size(), 0U);
  EXPECT_EQ(find({{"pattern", "needle"}, {"path", "b"}})->at("matches")[0]["file"], "b/c.cc");
  EXPECT_EQ(find({{"pattern", "needle"}, {"path", "a.txt"}})->at("matches").size(), 2U);
  EXPECT_EQ(find({{"pattern", "needle"}, {"glob", "*.cc"}})->at("matches").size(), 1U);
}

TEST_F(Filesystem, FindsByRegularExpressionWithinBounds) {
  tree_.write("a.txt", "x=1\nyy=22\nzzz\n");
  const auto found = find({{"pattern", "^(\\w+)=\\d+$"}, {"syntax", "regex"}});
  ASSERT_TRUE(found) << found.error().message;
  EXPECT_EQ(found->at("matches").size(), 2U);
  EXPECT_EQ(find({{"pattern", "("}, {"syntax", "regex"}}).error().code, "invalid_arguments");
  // What would take std::regex forever, or its stack.
  tree_.write("evil.txt", std::string(40, 'a') + "b\n" + std::string(200'000, 'a') + "\n");
  const auto evil = find({{"pattern", "^(a+)+$"}, {"syntax", "regex"}, {"path", "evil.txt"}});
  ASSERT_FALSE(evil) << evil->dump().substr(0, 500);
  EXPECT_EQ(evil.error().message,
            "/pattern: too complex for the text it met; make it more specific");
}

TEST_F(Filesystem, FindStopsAtItsLimits) {
  std::string many;
  for (int i = 0; i < 2000; ++i) many += "match\n";
  tree_.write("many", many);
  const auto some = find({{"pattern", "match"}, {"max_matches", 10}});
  EXPECT_EQ(some->at("matches").size(), 10U);
  EXPECT_EQ(some->at("truncated"), true);
  EXPECT_EQ(find({{"pattern", "match"}, {"max_matches", 1001}}).error().code, "invalid_arguments");
  tree_.write("long", std::string(5'000'000, 'y') + "needle" + std::string(1000, 'z'));
  const auto line = find({{"pattern", "needle"}, {"path", "long"}});
  ASSERT_EQ(line->at("matches").size(), 1U);
  EXPECT_LE(line->at("matches")[0]["text"].get<std::string>().size(), 240U);
  EXPECT_NE(line->at("matches")[0]["text"].get<std::string>().find("needle"), std::string::npos);
}

TEST_F(Filesystem, FindStopsWhenCancelled) {
  for (int i = 0; i < 10; ++i) tree_.write("f" + std::to_string(i), "needle");
  cancel_after_ = 3;
  const auto stopped = find({{"pattern", "needle"}});
  ASSERT_FALSE(stopped);
  EXPECT_EQ(stopped.error().code, "cancelled");
  EXPECT_EQ(stopped.error().details["matches"].size(), 3U);
  EXPECT_EQ(reports_.size(), 3U);
}

TEST_F(Filesystem, FindStaysInside) {
  std::ofstream(tree_.base() / "outside.txt") << "needle";
  tree_.link("..", "up");
  tree_.link("../outside.txt", "link");
  tree_.link(".", "loop");
  const auto found = find({{"pattern", "needle"}});
  ASSERT_TRUE(found);
  EXPECT_EQ(found->at("matches").size(), 0U);
  EXPECT_EQ(find({{"pattern", "needle"}, {"path", ".."}}).error().code, "permission_denied");
  EXPECT_EQ(find({{"pattern", "needle"}, {"path", "link"}}).error().code, "permission_denied");
  EXPECT_EQ(find({{"pattern", ""}}).error().code, "invalid_arguments");
}

TEST(Glob, Matches) {
  EXPECT_TRUE(glob_matches("*", "a/b/c.txt"));
  EXPECT_TRUE(glob_matches("*.cc", "a/b/c.cc"));
  EXPECT_FALSE(glob_matches("*.cc", "a/b/c.h"));
  EXPECT_TRUE(glob_matches("a/*.cc", "a/c.cc"));
  EXPECT_FALSE(glob_matches("a/*.cc", "a/b/c.cc"));
  EXPECT_TRUE(glob_matches("a/**/c.cc", "a/b/x/c.cc"));
  EXPECT_TRUE(glob_matches("a/**/c.cc", "a/c.cc"));
  EXPECT_FALSE(glob_matches("a/**/c.cc", "a/bc.cc"));
  EXPECT_TRUE(glob_matches("**/c.cc", "c.cc"));
  EXPECT_TRUE(glob_matches("?.txt", "x.txt"));
  EXPECT_FALSE(glob_matches("?.txt", "xx.txt"));
  EXPECT_FALSE(glob_matches("", "x"));
  EXPECT_FALSE(glob_matches(std::string(100, '*') + "b", std::string(5000, 'a')));  // and quickly
}

}  // namespace
}  // namespace toolway::tools::builtin
