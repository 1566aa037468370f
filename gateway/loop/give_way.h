#pragma once

#include <cstddef>
#include <string>

#include "gateway/loop/asio_types.h"

namespace toolway::gateway::loop {

/// How much text one turn of the loop writes.
inline constexpr std::size_t kTurnBytes = 256 * 1024;
/// Lets other coroutines have their turn.
inline Task<void> give_way() {
  const Executor executor = co_await asio::this_coro::executor;
  co_await asio::post(executor, use_task);
}

/// When to give way while a text grows. The text must outlive it.
class TextTurn {
 public:
  explicit TextTurn(const std::string& text) : text_(text) {}
  /// Whether this turn has written its share; then the next one begins.
  bool is_full() {
    if (text_.size() - begun_at_ <= kTurnBytes) return false;
    begun_at_ = text_.size();
    return true;
  }

 private:
  const std::string& text_;
  std::size_t begun_at_ = 0;
};

}  // namespace toolway::gateway::loop
