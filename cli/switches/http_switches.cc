// Switches through a gateway.
#include "base/text.h"
#include "base/try.h"
#include "cli/client/operator_client.h"
#include "cli/client/reporting.h"
#include "cli/switches/switch_desk.h"

namespace toolway::cli::switches {
namespace {

class HttpSwitches final : public SwitchDesk {
 public:
  explicit HttpSwitches(client::ClientOptions gateway) : gateway_(std::move(gateway)) {}

  Result<proto::Switches> all() override {
    ASSIGN_OR_RETURN(const auto answer, client::json_answer(gateway_, "GET", "/v1/switches"));
    proto::Switches switches;
    for (const auto& row : answer.value("disabled", OrderedJson::array()))
      switches.take(client::cell(row, "name"), proto::encode(switch_of(row)));
    return switches;
  }

  Result<proto::Switch> switch_off(const std::string& name, const proto::Switch& off,
                                   bool future) override {
    OrderedJson body = {{"by", off.by}, {"future", future}};
    if (!off.reason.empty()) body["reason"] = off.reason;
    ASSIGN_OR_RETURN(const auto answer,
                     client::json_answer(gateway_, "PUT", path_of(name), to_text(body)));
    return switch_of(answer);
  }

  Result<SwitchedOn> switch_on(const std::string& name) override {
    ASSIGN_OR_RETURN(const auto answer, client::json_answer(gateway_, "DELETE", path_of(name)));
    return SwitchedOn{.namespace_disabled = answer.value("namespace_disabled", false)};
  }

 private:
  static std::string path_of(const std::string& name) {
    return "/v1/switches/" + percent_encoded(name);
  }
  static proto::Switch switch_of(const OrderedJson& row) {
    return {.reason = client::cell(row, "reason"),
            .by = client::cell(row, "by"),
            .at = client::cell(row, "at")};
  }

  const client::ClientOptions gateway_;
};

}  // namespace

std::unique_ptr<SwitchDesk> switches_over_http(client::ClientOptions gateway) {
  return std::make_unique<HttpSwitches>(std::move(gateway));
}

}  // namespace toolway::cli::switches
