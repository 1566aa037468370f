#include "cli/bench/chat/chat_target.h"

#include <fmt/format.h>

#include "base/json.h"
#include "cli/bench/connections/exchange.h"

namespace toolway::cli::bench::chat {

std::string session_name(const ChatTarget& target, std::string_view of, std::size_t number) {
  return fmt::format("chat-{}-{}-{}", target.run, of, number);
}

Result<void> open_sessions(const ChatTarget& target, std::string_view of, std::size_t count) {
  return connections::ask_all(target.where, count, [&](std::size_t i) {
    return connections::bytes_of(
        {.method = "POST",
         .path = "/v1/sessions",
         .body = to_text(
             OrderedJson{{"session_id", session_name(target, of, i)}, {"namespaces", {"bench"}}})},
        target.where, {target.user, {}});
  });
}

std::string session_request(const ChatTarget& target, const std::string& session,
                            const std::string& path, const std::string& body,
                            const std::string& headers) {
  return connections::bytes_of({.method = body.empty() ? "GET" : "POST",
                                .path = "/v1/sessions/" + session + path,
                                .body = body,
                                .headers = headers},
                               target.where, {target.user, {}});
}

std::string message_request(const ChatTarget& target, const std::string& session,
                            const std::string& content, const std::string& headers) {
  return session_request(target, session, "/messages", to_text(OrderedJson{{"content", content}}),
                         headers);
}

}  // namespace toolway::cli::bench::chat
