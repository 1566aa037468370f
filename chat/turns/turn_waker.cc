#include "chat/turns/turn_waker.h"

#include <algorithm>
#include <vector>

namespace toolway::chat::turns {

void TurnWaker::wake(const std::stop_token& stop) {
  const auto now = clock_.monotonic();
  std::vector<std::string> besides;
  for (const auto& [conversation, later] : later_)
    if (now < later.until) besides.push_back(conversation);
  const auto found = store_.wakeable(std::chrono::duration<double>(kSettled).count(), besides);
  if (!found) return;
  // What is not found, though it was due, has been told otherwise.
  std::erase_if(later_, [&](const auto& one) {
    return now >= one.second.until &&
           std::ranges::find(*found, one.first, &Wakeable::conversation) == found->end();
  });
  for (const auto& one : *found) {
    if (stop.stop_requested()) return;
    begin(one);
  }
}

void TurnWaker::begin(const Wakeable& one) {
  switch (begin_(one)) {
    case Answer::kBegins: later_.erase(one.conversation); return;
    case Answer::kNotAllowed: static_cast<void>(store_.stop_waking(one.conversation)); return;
    case Answer::kNotNow: break;
  }
  auto& later = later_[one.conversation];
  later.until = clock_.monotonic() + later.delay.failed();
}

}  // namespace toolway::chat::turns
