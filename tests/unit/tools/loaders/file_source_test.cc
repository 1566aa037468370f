#include "tools/loaders/file_source.h"

#include <gtest/gtest.h>
#include <sys/stat.h>

#include <fstream>

#include "tests/support/temp_dir.h"
#include "tests/unit/tools/loaders/spec_texts.h"
#include "tools/specs/offers.h"

namespace toolway::tools::loaders {
namespace {

namespace fs = std::filesystem;

class FileSources : public testing::Test {
 protected:
  void write(const std::string& name, const std::string& text) const {
    std::ofstream(dir_ / name, std::ios::binary) << text;
  }
  /// As careful writers do.
  void replace(const std::string& name, const std::string& text) const {
    write(name + ".new", text);
    fs::rename(dir_ / (name + ".new"), dir_ / name);
  }
  void watch(std::vector<fs::path> paths) {
    source_ = std::make_unique<FileSource>(std::move(paths), read_any);
  }
  void watch() { watch({dir_.path()}); }
  std::string look() {
    const auto state = source_->look({});
    if (!state) return "as before";
    mistakes_ = state->mistakes;
    found_ = state->found;
    return shown(*state);
  }

  const test::TempDir dir_;
  std::unique_ptr<FileSource> source_;
  std::vector<Mistake> mistakes_;
  std::vector<Mistake> found_;
};

TEST_F(FileSources, ReadsTheSpecFilesOfADirectoryInOrder) {
  write("b.yml", document({"b"}));
  write("a.yaml", document({"a"}));
  write("c.json", R"({"tools": []})");
  write(".hidden.yaml", "broken: [");
  write("notes.txt", "broken: [");
  fs::create_directory(dir_ / "d.yaml");
  watch();
  EXPECT_EQ(look(), "a=first b=first");
  EXPECT_TRUE(mistakes_.empty());
  EXPECT_EQ(look(), "as before");
}

TEST_F(FileSources, ReadsAChangedFileWhenTwoLooksFindItTheSame) {
  write("a.yaml", document({"a"}));
  watch();
  look();
  write("a.yaml", document({"a"}, "sec"));
  EXPECT_EQ(look(), "as before");
  write("a.yaml", document({"a"}, "second"));  // still being written
  EXPECT_EQ(look(), "as before");
  EXPECT_EQ(look(), "a=second");
  replace("a.yaml", document({"a", "b"}, "third"));
  EXPECT_EQ(look(), "as before");
  EXPECT_EQ(look(), "a=third b=third");
}

TEST_F(FileSources, KeepsTheLastGoodVersionOfABrokenFileAndSaysSoOnce) {
  write("a.yaml", document({"a"}));
  write("b.yaml", document({"b"}));
  watch();
  look();
  write("a.yaml", "tools:\n  - {name: a, colour: red}\n");
  look();
  EXPECT_EQ(look(), "a=first b=first");
  ASSERT_FALSE(found_.empty());
  EXPECT_EQ(found_[0].place, dir_ / "a.yaml");
  EXPECT_EQ(found_[0].line, 2);
  EXPECT_EQ(look(), "as before");
  write("b.yaml", document({"b"}, "changed"));
  look();
  EXPECT_EQ(look(), "a=first b=changed");
  EXPECT_TRUE(found_.empty());
  EXPECT_FALSE(mistakes_.empty());
  write("a.yaml", document({"a"}, "fixed"));
  look();
  EXPECT_EQ(look(), "a=fixed b=changed");
  EXPECT_TRUE(mistakes_.empty());
}

TEST_F(FileSources, AFileThatIsGoneFromADirectoryTakesItsSpecsAlong) {
  write("a.yaml", document({"a"}));
  write("b.yaml", document({"b"}));
  watch();
  look();
  fs::remove(dir_ / "a.yaml");
  EXPECT_EQ(look(), "as before");
  EXPECT_EQ(look(), "b=first");
  // Removed and written again between two looks: nothing was ever gone.
  fs::remove(dir_ / "b.yaml");
  EXPECT_EQ(look(), "as before");
  write("b.yaml", document({"b"}, "again"));
  EXPECT_EQ(look(), "as before");
  EXPECT_EQ(look(), "b=again");
}

TEST_F(FileSources, APathThatWasNamedAndIsGoneIsAMistake) {
  write("a.yaml", document({"a"}));
  watch({dir_ / "a.yaml"});
  EXPECT_EQ(look(), "a=first");
  fs::remove(dir_ / "a.yaml");
  EXPECT_EQ(look(), "as before");
  EXPECT_EQ(look(), "a=first");
  ASSERT_EQ(found_.size(), 1U);
  EXPECT_EQ(found_[0].text(), (dir_ / "a.yaml") + ":1: there is no such file or directory");
  EXPECT_EQ(look(), "as before");
  write("a.yaml", document({"a"}, "back"));
  EXPECT_EQ(look(), "a=first");  // no mistake any more
  EXPECT_TRUE(mistakes_.empty());
  EXPECT_EQ(look(), "a=back");
}

TEST_F(FileSources, FollowsTheSwappedSymlinkOfAConfigMap) {
  for (const char* version : {"one", "two"}) {
    fs::create_directory(dir_ / (std::string("..") + version));
    write(std::string("..") + version + "/tools.yaml", document({"a"}, version));
  }
  fs::create_directory_symlink("..one", dir_ / "..data");
  fs::create_symlink("..data/tools.yaml", dir_ / "tools.yaml");
  watch();
  EXPECT_EQ(look(), "a=one");
  fs::create_directory_symlink("..two", dir_ / "..data.new");
  fs::rename(dir_ / "..data.new", dir_ / "..data");
  fs::remove_all(dir_ / "..one");
  EXPECT_EQ(look(), "as before");
  EXPECT_EQ(look(), "a=two");
}

TEST_F(FileSources, TheFirstPathComesFirstAndNoFileTwice) {
  write("a.yaml", document({"a"}));
  write("z.yaml", document({"z"}));
  const fs::path dir = dir_.path();
  watch({dir / "z.yaml", dir, dir / "a.yaml", dir / "./a.yaml", dir / ".." / dir.filename()});
  EXPECT_EQ(look(), "z=first a=first");
}

TEST_F(FileSources, FollowsTheFilesThatResourcesName) {
  source_ = std::make_unique<FileSource>(
      std::vector<fs::path>{dir_.path()}, [](std::string_view text, std::string_view origin) {
        return specs::read_specs(text, origin,
                                 {.kinds = executors::kind_types(), .content = read_named_content});
      });
  const auto look_twice = [this] {
    std::string seen;
    for (int i = 0; i < 2; ++i) {
      const auto state = source_->look({});
      if (!state) continue;
      found_ = state->found;
      for (const auto& part : state->parts)
        for (const auto& resource : part->offers->resources) seen += resource->text + " ";
    }
    return seen;
  };
  write("a.txt", "one");
  write("a.yaml", "resources:\n  - {uri: 'x://a', name: a, file: a.txt}\n");
  EXPECT_EQ(look_twice(), "one ");
  EXPECT_EQ(look_twice(), "") << "as before";
  write("a.txt", "two");
  EXPECT_FALSE(source_->look({})) << "it may still be written";
  EXPECT_EQ(look_twice(), "two ");
  replace("a.txt", "three");
  EXPECT_EQ(look_twice(), "three ");

  fs::remove(dir_ / "a.txt");
  EXPECT_EQ(look_twice(), "three ");
  ASSERT_EQ(found_.size(), 1U);
  EXPECT_EQ(found_[0].text(),
            (dir_ / "a.yaml") + ":2: `file` \"a.txt\" cannot be read: No such file or directory");
  EXPECT_EQ(look_twice(), "") << "told once";
  write("a.txt", "four");
  EXPECT_EQ(look_twice(), "four ");
}

TEST_F(FileSources, RefusesWhatIsNotAFileOrTooLarge) {
  ASSERT_EQ(mkfifo((dir_ / "fifo.yaml").c_str(), 0600), 0);
  write("large.yaml", document({"a"}) + "#" + std::string(kMaxSourceBytes, '#'));
  watch();
  EXPECT_EQ(look(), "");
  ASSERT_EQ(found_.size(), 2U);
  EXPECT_EQ(found_[0].message, "cannot be read: it is not a regular file");
  EXPECT_EQ(found_[1].message, "has more than 16 MiB");
}

TEST_F(FileSources, AMissingDirectoryIsAMistakeAtTheFirstLook) {
  watch({dir_ / "none"});
  look();
  ASSERT_EQ(found_.size(), 1U);
  EXPECT_EQ(found_[0].message, "there is no such file or directory");
}

}  // namespace
}  // namespace toolway::tools::loaders
