// What a file does besides what every memory does (tests/integration/conversations).
#include "chat/engine/memory.h"

#include <gtest/gtest.h>
#include <sys/stat.h>

#include <fstream>
#include <sstream>

#include "chat/engine/file_memory.h"
#include "tests/support/temp_dir.h"
#include "tests/unit/chat/messages.h"

namespace toolway::chat::engine {
namespace {

class FileMemory : public testing::Test {
 protected:
  std::string text() const {
    std::ifstream file(directory_ / "talk.jsonl");
    std::stringstream all;
    all << file.rdbuf();
    return all.str();
  }
  void write(const std::string& text) const {
    std::ofstream(directory_ / "talk.jsonl", std::ios::binary) << text;
  }
  Result<std::unique_ptr<Memory>> open() const {
    return open_file_memory(directory_.path(), "talk");
  }
  toolway::test::TempDir directory_;
};

TEST_F(FileMemory, IsThereAgainWithItsId) {
  std::string id;
  {
    const auto memory = *open();
    id = memory->conversation();
    ASSERT_TRUE(memory->append(test::user("go")));
    ASSERT_TRUE(memory->append(test::says("\u00e9\n\"")));
  }
  const auto memory = *open();
  EXPECT_EQ(memory->conversation(), id);
  ASSERT_EQ(memory->history().messages().size(), 2u);
  EXPECT_EQ(tools::messages::text_of(memory->history().messages()[1]), "\u00e9\n\"");
  struct stat status{};
  ASSERT_EQ(stat((directory_ / "talk.jsonl").c_str(), &status), 0);
  EXPECT_EQ(status.st_mode & 0777, 0600u);
}

TEST_F(FileMemory, DropsTheHalfLineOfAKilledProcess) {
  {
    const auto memory = *open();
    ASSERT_TRUE(memory->append(test::user("one")));
    ASSERT_TRUE(memory->append(test::says("two")));
  }
  const auto whole = text();
  for (std::size_t cut = whole.rfind('\n', whole.size() - 2) + 2; cut < whole.size(); ++cut) {
    write(whole.substr(0, cut));
    {
      const auto memory = open();
      ASSERT_TRUE(memory) << memory.error().message;
      ASSERT_EQ((*memory)->history().messages().size(), 1u);
      ASSERT_TRUE((*memory)->append(test::says("again")));
    }
    EXPECT_EQ((*open())->history().messages().size(), 2u);
  }
}

TEST_F(FileMemory, SaysWhereAFileIsDamaged) {
  {
    ASSERT_TRUE((*open())->append(test::user("one")));
  }
  const auto whole = text();
  const auto error_with = [&](const std::string& bytes) {
    write(bytes);
    const auto memory = open();
    return memory ? std::string() : memory.error().message;
  };
  EXPECT_NE(error_with(whole + "{\n").find("damaged at line 3"), std::string::npos);
  EXPECT_NE(error_with("{}\n").find("does not begin as a conversation"), std::string::npos);
  EXPECT_NE(error_with(whole + "{\"role\":\"results\",\"results\":[]}\n").find("results follow"),
            std::string::npos);
  EXPECT_NE(error_with(whole + "{\"role\":\"bot\"}\n").find("/role"), std::string::npos);
}

TEST_F(FileMemory, HasOneWriter) {
  const auto memory = *open();
  const auto second = open();
  ASSERT_FALSE(second);
  EXPECT_EQ(second.error().code, ErrorCode::kOverloaded);
}

TEST_F(FileMemory, KeepsOldConversations) {
  const auto memory = *open();
  const auto id = memory->conversation();
  ASSERT_TRUE(memory->append(test::user("old")));
  ASSERT_TRUE(memory->start_new());
  ASSERT_TRUE(memory->start_new());
  EXPECT_TRUE(std::filesystem::exists(directory_ / ("talk." + id + ".jsonl")));
  EXPECT_EQ(std::distance(std::filesystem::directory_iterator(directory_.path()),
                          std::filesystem::directory_iterator()),
            3)
      << "the old, the new and the lock; an empty one is not kept";
}

TEST_F(FileMemory, ADirectoryThatCannotBeMade) {
  EXPECT_FALSE(open_file_memory("/dev/null/x", "talk"));
}

}  // namespace
}  // namespace toolway::chat::engine
