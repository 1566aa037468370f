#include "cli/talk/model.h"

#include <fmt/format.h>

#include "base/try.h"
#include "chat/providers/scripted_provider.h"
#include "chat/providers/setting_files.h"
#include "cli/client/reach.h"
#include "tools/http/address_policy.h"

namespace toolway::cli::talk {
namespace {

namespace providers = chat::providers;
namespace http = tools::http;

Result<std::shared_ptr<providers::Provider>> over_http(
    const providers::Configured& configured, const TalkOptions& options, const Clock& clock,
    std::shared_ptr<http::HttpEngine> engine, std::shared_ptr<providers::ProviderMemory> memory) {
  auto dialect = providers::make_dialect(configured.provider);
  providers::HttpProviderOptions made{
      .base_url = configured.base_url, .key = configured.key, .key_name = configured.key_name};
  if (made.base_url.empty()) made.base_url = dialect->default_base_url();
  const auto url = http::HttpUrl::parse(made.base_url);
  if (!url)
    return fail(url.error().code,
                fmt::format("{}: {}", configured.base_url_from, url.error().message));
  ASSIGN_OR_RETURN(made.proxy, client::proxy_of({.variables = options.proxies}, *url));
  auto addresses = http::AddressPolicy::create(configured.allow_addresses);
  if (!addresses)
    return fail(ErrorCode::kInvalidRequest,
                "TOOLWAY_AI_ALLOW_ADDRESSES: " + addresses.error().message);
  made.addresses = std::make_shared<const http::AddressPolicy>(*std::move(addresses));
  made.pace = configured.pace;
  if (memory) made.memory = std::move(memory);
  if (!engine) {
    ASSIGN_OR_RETURN(engine, http::HttpEngine::start());
  }
  ASSIGN_OR_RETURN(auto provider, providers::make_http_provider(std::move(dialect), std::move(made),
                                                                std::move(engine), clock));
  return std::shared_ptr<providers::Provider>(std::move(provider));
}

}  // namespace

Result<ModelOrNone> make_model(const TalkOptions& options, const Clock& clock,
                               std::shared_ptr<http::HttpEngine> engine,
                               std::shared_ptr<providers::ProviderMemory> memory) {
  ASSIGN_OR_RETURN(const auto settings, providers::with_files(options.settings));
  ASSIGN_OR_RETURN(auto configuration, providers::configure(settings));
  if (auto* none = std::get_if<providers::NotConfigured>(&configuration)) return std::move(*none);
  Model model{.configured = std::get<providers::Configured>(std::move(configuration)),
              .provider = nullptr};
  if (model.configured.provider == "scripted") {
    ASSIGN_OR_RETURN(model.provider, providers::open_scripted_provider(options.settings.script));
  } else {
    ASSIGN_OR_RETURN(model.provider, over_http(model.configured, options, clock, std::move(engine),
                                               std::move(memory)));
  }
  return model;
}

}  // namespace toolway::cli::talk
