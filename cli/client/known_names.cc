#include "cli/client/known_names.h"

#include <set>

#include "base/text.h"
#include "cli/client/reporting.h"

namespace toolway::cli::client {
namespace {

constexpr std::chrono::milliseconds kAnswerTimeout{800};

struct Question {
  std::string target;
  const char* array;
};

Question question_of(const help::Candidates& candidates) {
  const auto session = "/v1/sessions/" + percent_encoded(candidates.session);
  switch (candidates.known) {
    case help::Known::kNothing: break;
    case help::Known::kSessions: return {"/v1/sessions?limit=200", "sessions"};
    case help::Known::kTools:
    case help::Known::kNamespaces:
      return {candidates.session.empty() ? "/v1/tools" : session + "/tools", "tools"};
    case help::Known::kPools: return {"/v1/workers", "workers"};
    case help::Known::kCalls:
      return {candidates.session.empty() ? "/v1/calls?limit=50" : session + "/calls?limit=50",
              "calls"};
  }
  return {};
}

std::string name_of(help::Known known, const OrderedJson& entry) {
  switch (known) {
    case help::Known::kNothing: return {};
    case help::Known::kSessions: return cell(entry, "session_id");
    case help::Known::kTools: return cell(entry, "namespace") + "." + cell(entry, "name");
    case help::Known::kNamespaces: return cell(entry, "namespace");
    case help::Known::kPools: return cell(entry, "pool");
    case help::Known::kCalls: return cell(entry, "call_id");
  }
  return {};
}

}  // namespace

std::vector<std::string> known_names(ClientOptions http, const help::Candidates& candidates) {
  const auto question = question_of(candidates);
  if (question.target.empty()) return {};
  http.timeout = kAnswerTimeout;
  if (!candidates.url.empty()) http.url = candidates.url;
  auto client = HttpClient::create(std::move(http));
  if (!client) return {};
  const auto answer = (*client)->request("GET", question.target);
  if (!answer || !answer->ok()) return {};
  std::set<std::string> names;
  const auto body = answer->json();
  for (const auto& entry : body.value(question.array, OrderedJson::array())) {
    const auto name = name_of(candidates.known, entry);
    if (name.starts_with(candidates.typed)) names.insert(name);
    // A tool is found by its name without the namespace, too.
    if (candidates.known == help::Known::kTools && !candidates.typed.empty() &&
        cell(entry, "name").starts_with(candidates.typed))
      names.insert(cell(entry, "name"));
  }
  return {names.begin(), names.end()};
}

}  // namespace toolway::cli::client
