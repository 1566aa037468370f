#include "cli/talk/turn_display.h"

#include <fmt/format.h>

#include <utility>

#include "base/log_text.h"

namespace toolway::cli::talk {

void TurnDisplay::begin_turn() {
  shown_ = {};
  any_text_ = false;
  attempt_ = 0;
  bars_.begin_turn();
}

void TurnDisplay::end_turn() {
  bars_.end_turn();
  end_line();
}

bool TurnDisplay::text(std::string_view piece) {
  const auto shown = shown_.next(piece);
  if (shown.empty()) return !reader_has_gone();
  any_text_ = true;
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
  const bool later = std::exchange(attempt_, number) != 0;
  if (!later || !std::exchange(any_text_, false)) return;
  shown_ = {};
  note("Another attempt continues the turn: its last reply begins again");
}

void TurnDisplay::end_line() {
  if (std::exchange(in_line_, false)) std::fputc('\n', replies_);
  std::fflush(replies_);
}

}  // namespace toolway::cli::talk
