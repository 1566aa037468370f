#include "cli/mcp_serve/line_source.h"

#include <gtest/gtest.h>
#include <unistd.h>

#include <string>
#include <thread>
#include <vector>

#include "base/os/file_descriptor.h"
#include "base/os/wake_fd.h"
#include "cli/mcp_serve/client_line.h"

namespace toolway::cli::mcp_serve {
namespace {

class LineSource : public testing::Test {
 protected:
  LineSource() {
    int ends[2] = {-1, -1};
    EXPECT_EQ(pipe(ends), 0);
    from_ = os::FileDescriptor(ends[0]);
    to_ = os::FileDescriptor(ends[1]);
  }
  /// Reads what `text` brings, and then the end.
  void read(std::string text) {
    std::jthread writing([this, text = std::move(text)] {
      EXPECT_EQ(write(to_.get(), text.data(), text.size()), std::ssize(text));
      to_.reset();
    });
    EXPECT_TRUE(read_lines(from_.get(), wake_.get(), handlers_));
  }

  os::FileDescriptor from_;
  os::FileDescriptor to_;
  os::WakeFd wake_;
  std::vector<std::string> lines_;
  int too_long_ = 0;
  LineHandlers handlers_{.line = [this](std::string line) { lines_.push_back(std::move(line)); },
                         .too_long = [this] { ++too_long_; }};
};

TEST_F(LineSource, GivesEachLineTheLastOneToo) {
  read("{\"a\":1}\n\n  \r\n{\"b\":2}\r\n{\"c\":3}");
  EXPECT_EQ(lines_, (std::vector<std::string>{"{\"a\":1}", "{\"b\":2}\r", "{\"c\":3}"}));
}

TEST_F(LineSource, ALineThatIsTooLongIsNotKeptAndTheNextOneIsRead) {
  read(std::string(kMaxLine, 'x') + "\n" + std::string(3 * kMaxLine, 'y') + "\nafter\n");
  ASSERT_EQ(lines_.size(), 2U);
  EXPECT_EQ(lines_.front().size(), kMaxLine);
  EXPECT_EQ(lines_.back(), "after");
  EXPECT_EQ(too_long_, 1);
}

TEST_F(LineSource, EndsWhenItIsWoken) {
  wake_.call();
  EXPECT_TRUE(read_lines(from_.get(), wake_.get(), handlers_)) << "the pipe is open";
  EXPECT_TRUE(lines_.empty());
}

TEST_F(LineSource, WritesWholeLinesAndSaysWhenNothingReads) {
  EXPECT_TRUE(write_line(to_.get(), "{}"));
  char got[4] = {};
  EXPECT_EQ(::read(from_.get(), got, sizeof got), 3);
  EXPECT_STREQ(got, "{}\n");
  from_.reset();
  signal(SIGPIPE, SIG_IGN);
  EXPECT_FALSE(write_line(to_.get(), "{}"));
}

}  // namespace
}  // namespace toolway::cli::mcp_serve
