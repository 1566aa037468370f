#include "tests/chaos/conversation_reader.h"

#include <fmt/format.h>

#include "tests/chaos/message_page.h"

namespace toolway::chaos {
namespace {

std::vector<MessageShown> shown_by(const Place& place, const ConversationEnd& conversation,
                                   History& history) {
  std::vector<MessageShown> shown;
  const auto client =
      place.entrance.client(place.gateway, conversation.user, std::chrono::seconds(30));
  if (!client) return shown;
  for (bool more = true; more;) {
    const auto page = get_patiently(
        **client,
        fmt::format("/v1/sessions/{}/messages?conversation={}&limit=1000&after={}",
                    conversation.session, conversation.id, shown.empty() ? 0 : shown.back().number),
        "messages", history);
    auto next = messages_shown(page);
    more = !next.empty() && page.value("more", false);
    shown.insert(shown.end(), next.begin(), next.end());
  }
  return shown;
}

}  // namespace

Result<std::vector<ConversationEnd>> read_conversations(Database& database,
                                                        const Entrance& entrance,
                                                        History& history) {
  auto found = database.conversations();
  if (!found) return found;
  for (auto& conversation : *found)
    for (const auto& gateway : entrance.gateways)
      conversation.shown.push_back(shown_by({entrance, gateway}, conversation, history));
  return found;
}

}  // namespace toolway::chaos
