#include "cli/talk/turn_display.h"

#include <gtest/gtest.h>

#include <functional>
#include <memory>

namespace toolway::cli::talk {
namespace {

struct Displayed {
  std::string replies;
  std::string notes;
};

/// What `show` shows in one turn.
Displayed displayed(const std::function<void(TurnDisplay&)>& show) {
  const terminal::View view;
  CallBars bars({}, "talk", view.error_style);
  testing::internal::CaptureStdout();
  testing::internal::CaptureStderr();
  TurnDisplay display(bars, view);
  display.begin_turn();
  show(display);
  display.end_turn();
  return {testing::internal::GetCapturedStdout(), testing::internal::GetCapturedStderr()};
}

TEST(TurnDisplay, ANoteIsOneLineWhateverIsInIt) {
  const auto shown = displayed([](TurnDisplay& display) {
    display.text("Let me");
    display.note("Calling tool: x\x1b[31m\nCalling tool: fake");
    display.text("Done\n");
  });
  EXPECT_EQ(shown.replies, "Let me\nDone\n");
  EXPECT_EQ(shown.notes, "Calling tool: x\\u001b[31m\\nCalling tool: fake\n");
}

TEST(TurnDisplay, ShowsOnceWhatALaterAttemptRepeats) {
  const auto shown = displayed([](TurnDisplay& display) {
    display.attempt(1);
    display.text("One two");
    display.attempt(1);
    display.attempt(2);
    display.text("One two three");
    display.attempt(2);
  });
  EXPECT_EQ(shown.replies, "One two three\n");
  EXPECT_EQ(shown.notes, "");
}

TEST(TurnDisplay, SaysThatALaterAttemptsReplyBeginsAgain) {
  const auto shown = displayed([](TurnDisplay& display) {
    display.attempt(1);
    display.text("I look.");
    display.end_message();
    display.note("Calling tool: x");
    display.text("One two");
    display.attempt(2);
    display.text("I look.");
    display.end_message();
    display.text("Two");
  });
  EXPECT_EQ(shown.replies, "I look.\nOne two\nTwo\n");
  EXPECT_EQ(shown.notes,
            "Calling tool: x\nAnother attempt continues the turn: its last reply begins again\n");
}

TEST(TurnDisplay, KnowsThatItsReaderHasGone) {
  const terminal::View view;
  CallBars bars({}, "talk", view.error_style);
  const std::unique_ptr<std::FILE, int (*)(std::FILE*)> full(std::fopen("/dev/full", "w"),
                                                             &std::fclose);
  TurnDisplay display(bars, view, full.get());
  display.begin_turn();
  EXPECT_TRUE(display.text(""));
  EXPECT_FALSE(display.text("One"));
  EXPECT_TRUE(display.reader_has_gone());
}

}  // namespace
}  // namespace toolway::cli::talk
