#include "chat/engine/registry_tools.h"

#include "base/try.h"
#include "tools/exports/api_names.h"
#include "tools/exports/definitions.h"
#include "tools/exports/model_results.h"
#include "tools/messages/blocks.h"
#include "tools/messages/export.h"

namespace toolway::chat::engine {
namespace {

using tools::exports::ModelApi;

class RegistryTools final : public ToolBox {
 public:
  RegistryTools(std::shared_ptr<const tools::model::Registry> registry,
                tools::exports::ProcessOptions options)
      : registry_(std::move(registry)),
        options_(std::move(options)),
        names_(options_.namespaces.empty() ? registry_->list()
                                           : registry_->list(options_.namespaces)) {}

  Result<window::ToolListPtr> definitions(ModelApi api, std::stop_token /*stop*/) override {
    const auto format = tools::messages::format_of(api);
    return window::tool_list(
        options_.namespaces.empty()
            ? tools::exports::definitions(*registry_, format)
            : tools::exports::definitions(*registry_, format, options_.namespaces),
        api);
  }

  std::string shown_name(const std::string& api_name) override {
    return names_.resolve(api_name).value_or(api_name);
  }

  Result<std::vector<tools::messages::CallResult>> run(
      const std::vector<tools::messages::Call>& calls, const std::string&,
      std::stop_token stop) override {
    auto made = calls_message(calls);
    auto results = std::move(made.refused);
    if (made.message.is_null()) return results;
    auto options = options_;
    options.stop = {};
    const std::stop_callback pass_on(stop, [&options] { options.stop.request_stop(); });
    ASSIGN_OR_RETURN(const auto ran,
                     tools::exports::process_tool_calls(*registry_, Json(made.message),
                                                        ModelApi::kOpenAi, options));
    for (const auto& result : ran) {
      auto& added = results.emplace_back();
      added.call_id = result.tool_call_id;
      added.is_error = result.is_error;
      if (result.content.empty())
        added.text = tools::exports::model_text(to_text(result.json));
      else
        tools::messages::add_content(added, result.content);
    }
    return results;
  }

  /// Every call is waited for.
  Result<std::vector<EndedCall>> ended(const std::vector<std::string>&) override {
    return std::vector<EndedCall>();
  }
  bool remembers() const override { return false; }

 private:
  const std::shared_ptr<const tools::model::Registry> registry_;
  const tools::exports::ProcessOptions options_;
  const tools::exports::ApiNames names_;
};

}  // namespace

std::unique_ptr<ToolBox> make_registry_tools(std::shared_ptr<const tools::model::Registry> registry,
                                             tools::exports::ProcessOptions options) {
  return std::make_unique<RegistryTools>(std::move(registry), std::move(options));
}

}  // namespace toolway::chat::engine
