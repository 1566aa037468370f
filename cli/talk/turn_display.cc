#include "cli/talk/turn_display.h"

#include <fmt/format.h>

#include <utility>

#include "base/log_text.h"

namespace toolway::cli::talk {

void TurnDisplay::begin_turn() {
  told_ = {};
  shown_ = {};
  attempt_ = 0;
  bars_.begin_turn();
}

void TurnDisplay::end_turn() {
  bars_.end_turn();
  end_line();
}

bool TurnDisplay::text(std::string_view piece) {
  const auto told = told_.add(piece);
  if (told.begins_again) {
    shown_ = {};
    note("Another attempt continues the turn: its last reply begins again");
  }
  const auto shown = shown_.next(told.text);
  if (shown.empty()) return !reader_has_gone();
  bars_.above([&] {
    std::fwrite(shown.data(), 1, shown.size(), replies_);
    std::fflush(replies_);
    return in_line_ = shown.back() != '\n';
  });
  return !reader_has_gone();
}

void TurnDisplay::note(std::string_view line) {
  bars_.above([&] {
    end_line();
    fmt::print(stderr, "{}\n", view_.error_style(terminal::Colour::kDim, log_text(line)));
    return false;
  });
}

void TurnDisplay::attempt(unsigned number) {
  if (number <= attempt_) return;
  if (std::exchange(attempt_, number) != 0) told_.begin_attempt();
}

void TurnDisplay::end_line() {
  if (std::exchange(in_line_, false)) std::fputc('\n', replies_);
  std::fflush(replies_);
}

}  // namespace toolway::cli::talk
