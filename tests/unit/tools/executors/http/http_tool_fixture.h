#pragma once

#include <gtest/gtest.h>

#include <algorithm>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "tests/support/awaiting.h"
#include "tests/support/scripted_server.h"
#include "tools/executors/http/http_kind.h"
#include "tools/model/local_context.h"
#include "tools/model/registry.h"

namespace toolway::test {

/// Runs HTTP tools the way a worker runs them, against servers on loopback.
class HttpToolTest : public ::testing::Test {
 protected:
  using Connection = ScriptedConnection;

  void use(tools::executors::http::HttpOptions options) {
    kind_ = *tools::executors::http::make_http_kind(std::move(options));
  }

  /// `config` with `allow_addresses` for loopback, and without retries, unless it says otherwise.
  static tools::model::Spec spec_of(const std::string& config, const std::string& properties = "{}",
                                    const std::vector<std::string>& optional = {}) {
    tools::model::Spec spec;
    spec.name = "tested";
    spec.kind = tools::model::Kind::kHttp;
    spec.implementation = *parse_ordered_json(config);
    if (!spec.implementation.contains("allow_addresses"))
      spec.implementation["allow_addresses"] = {"127.0.0.1"};
    if (!spec.implementation.contains("retries"))
      spec.implementation["retries"] = {{"attempts", 1}};
    const auto described = *parse_ordered_json(properties);
    OrderedJson required = OrderedJson::array();
    for (const auto& [name, value] : described.items()) {
      if (std::find(optional.begin(), optional.end(), name) == optional.end())
        required.push_back(name);
    }
    spec.input_schema = {{"type", "object"}, {"properties", described}, {"required", required}};
    return spec;
  }

  tools::model::Execution run(tools::model::Spec spec, const Json& arguments = Json::object()) {
    auto made = kind_->make(std::move(spec));
    if (!made) return tl::unexpected(tools::model::ToolError(made.error()));
    auto registered = tools::model::register_tool(*made);
    if (!registered) throw std::logic_error(registered.error().message);
    tools::model::ProgressTo progress([this](tools::model::ProgressReport report) {
      reports_.push_back(std::move(report));
      on_report_(static_cast<int>(reports_.size()));
    });
    return (*registered)->run(arguments, context_, progress);
  }
  tools::model::Execution run(const std::string& config) { return run(spec_of(config)); }

  static std::string text_of(const tools::model::Execution& result) {
    return result ? to_text(*result) : result.error().code + ": " + result.error().message;
  }
  static std::string code_of(const tools::model::Execution& result) {
    return result ? "succeeded" : result.error().code;
  }
  /// All that a caller may see of a call.
  std::string everything(const tools::model::Execution& result) const {
    auto all = text_of(result) + (result ? "" : to_text(result.error().details));
    for (const auto& [level, line] : context_.logged()) all += "\n" + line;
    for (const auto& report : reports_) all += "\n" + report.message + to_text(report.data);
    return all;
  }
  static ScriptedServer::Answer always(std::string bytes) {
    return
        [bytes = std::move(bytes)](Connection& to, const std::string&) { return to.send(bytes); };
  }

  std::shared_ptr<tools::model::ToolKind> kind_ = *tools::executors::http::make_http_kind({});
  tools::model::LocalContext context_;
  std::vector<tools::model::ProgressReport> reports_;
  std::function<void(int)> on_report_ = [](int) {};
};

}  // namespace toolway::test
