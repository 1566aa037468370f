#pragma once

#include <cstdio>
#include <string>
#include <string_view>

#include "cli/talk/call_bars.h"
#include "cli/talk/shown_text.h"
#include "cli/talk/told_text.h"
#include "cli/terminal/view.h"

namespace toolway::cli::talk {

/// What turns show: replies on standard output, and on standard error lines about them, above the
/// bars of calls. One of a conversation, on the thread that its turns run on.
class TurnDisplay {
 public:
  /// `replies`: where those go.
  TurnDisplay(CallBars& bars, const terminal::View& view, std::FILE* replies = stdout)
      : bars_(bars), view_(view), replies_(replies) {}

  void begin_turn();
  void end_turn();
  /// A piece of the reply. False: what read it has gone, and sees nothing of the rest.
  bool text(std::string_view piece);
  /// A line for people, whatever is in it.
  void note(std::string_view line);
  /// Which attempt of the turn what follows is of: a later one repeats what is shown.
  void attempt(unsigned number);
  /// Calls follow: the text after them is another message's.
  void end_message() { told_.end_message(); }

  bool reader_has_gone() const { return std::ferror(replies_) != 0; }

 private:
  void end_line();

  CallBars& bars_;
  const terminal::View& view_;
  std::FILE* const replies_;
  ToldText told_;
  ShownText shown_;
  bool in_line_ = false;  ///< a line of the reply is not finished
  unsigned attempt_ = 0;  ///< 0: not known yet
};

}  // namespace toolway::cli::talk
