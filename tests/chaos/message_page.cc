#include "tests/chaos/message_page.h"

#include <functional>

#include "tests/chaos/event_seen.h"

namespace toolway::chaos {

MessageShown message_shown(std::uint64_t number, const std::string& turn, const OrderedJson& body) {
  return {.number = number,
          .role = text_at(body, "role"),
          .digest = std::hash<std::string>{}(turn + to_text(body))};
}

std::vector<MessageShown> messages_shown(const OrderedJson& page) {
  std::vector<MessageShown> shown;
  for (auto message : list_at(page, "messages")) {
    const auto number = number_at(message, "number");
    const auto turn = text_at(message, "turn");
    message.erase("number");
    message.erase("turn");
    shown.push_back(message_shown(number, turn, message));
  }
  return shown;
}

}  // namespace toolway::chaos
