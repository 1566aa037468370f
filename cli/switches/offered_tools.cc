#include "cli/switches/offered_tools.h"

#include <fmt/format.h>

#include <set>

#include "base/nearest_names.h"
#include "base/text.h"
#include "cli/client/reporting.h"

namespace toolway::cli::switches {
namespace {

constexpr std::chrono::seconds kAnswerTimeout{3};

bool has(const OrderedJson& answer, const std::string& name) {
  const bool whole_namespace = name.find('.') == std::string::npos;
  for (const auto& tool : answer.value("tools", OrderedJson::array())) {
    if (whole_namespace ||
        client::cell(tool, "namespace") + "." + client::cell(tool, "name") == name)
      return true;
  }
  return false;
}

Offered not_known(const client::HttpAnswer& answer) {
  return {Offered::Answer::kNotKnown, fmt::format("the gateway answered HTTP {}", answer.status)};
}

}  // namespace

std::string not_offered(const std::string& name, const OrderedJson& answer) {
  // Like is compared with like: a mistyped tool must not lead to its whole namespace.
  const bool whole_namespace = name.find('.') == std::string::npos;
  std::set<std::string> names;
  for (const auto& tool : answer.value("tools", OrderedJson::array())) {
    names.insert(client::cell(tool, "namespace") +
                 (whole_namespace ? "" : "." + client::cell(tool, "name")));
  }
  const auto near = nearest_names(name, {names.begin(), names.end()});
  return fmt::format("the fleet has no {} '{}'{}", whole_namespace ? "namespace" : "tool", name,
                     near.empty() ? "" : "; did you mean " + quoted_choices(near) + "?");
}

Offered ask_whether_offered(client::ClientOptions http, const std::string& name) {
  http.timeout = kAnswerTimeout;
  auto client = client::HttpClient::create(std::move(http));
  if (!client) return {Offered::Answer::kNotKnown, client.error().message};
  auto answer = (*client)->request(
      "GET", "/v1/tools?namespace=" + percent_encoded(name.substr(0, name.find('.'))));
  if (!answer) return {Offered::Answer::kNotKnown, answer.error().message};
  if (!answer->ok()) return not_known(*answer);
  if (has(answer->json(), name)) return {Offered::Answer::kYes};
  answer = (*client)->request("GET", "/v1/tools");
  if (!answer) return {Offered::Answer::kNotKnown, answer.error().message};
  if (!answer->ok()) return not_known(*answer);
  return {Offered::Answer::kNo, not_offered(name, answer->json())};
}

}  // namespace toolway::cli::switches
