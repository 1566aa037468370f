#include "cli/switches/offered_tools.h"

#include <fmt/format.h>

#include <vector>

#include "base/text.h"
#include "cli/client/reporting.h"
#include "tools/model/not_offered.h"

namespace toolway::cli::switches {
namespace {

constexpr std::chrono::seconds kAnswerTimeout{3};

std::vector<std::string> names_in(const OrderedJson& answer) {
  std::vector<std::string> names;
  for (const auto& tool : answer.value("tools", OrderedJson::array()))
    names.push_back(client::cell(tool, "namespace") + "." + client::cell(tool, "name"));
  return names;
}

Offered not_known(const client::HttpAnswer& answer) {
  return {Offered::Answer::kNotKnown, fmt::format("the gateway answered HTTP {}", answer.status)};
}

}  // namespace

Offered ask_whether_offered(client::ClientOptions http, const std::string& name) {
  http.timeout = kAnswerTimeout;
  auto client = client::HttpClient::create(std::move(http));
  if (!client) return {Offered::Answer::kNotKnown, client.error().message};
  auto answer = (*client)->request(
      "GET", "/v1/tools?namespace=" + percent_encoded(name.substr(0, name.find('.'))));
  if (!answer) return {Offered::Answer::kNotKnown, answer.error().message};
  if (!answer->ok()) return not_known(*answer);
  if (tools::model::is_offered(name, names_in(answer->json()))) return {Offered::Answer::kYes};
  answer = (*client)->request("GET", "/v1/tools");
  if (!answer) return {Offered::Answer::kNotKnown, answer.error().message};
  if (!answer->ok()) return not_known(*answer);
  return {Offered::Answer::kNo, tools::model::not_offered(name, names_in(answer->json()))};
}

}  // namespace toolway::cli::switches
