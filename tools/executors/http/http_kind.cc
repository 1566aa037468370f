#include "tools/executors/http/http_kind.h"

#include <fmt/format.h>

#include "base/text.h"
#include "base/try.h"
#include "tools/executors/http/http_config.h"
#include "tools/executors/http/http_tool.h"
#include "tools/http/http_proxy.h"

namespace toolway::tools::executors::http {
namespace {

class HttpKind final : public model::ToolKind {
 public:
  explicit HttpKind(std::shared_ptr<const HttpShared> shared) : shared_(std::move(shared)) {}
  model::Kind kind() const override { return model::Kind::kHttp; }
  Result<std::shared_ptr<const model::Tool>> make(model::Spec spec) override {
    return HttpTool::create(std::move(spec), shared_);
  }
  model::KindState state() const override {
    const auto& options = shared_->options;
    return {fmt::format(
        "http: {}{}", options.proxy.url.empty() ? "no proxy" : "through a proxy",
        options.allow_addresses.empty()
            ? ""
            : fmt::format(", {} more addresses allowed", options.allow_addresses.size()))};
  }

 private:
  const std::shared_ptr<const HttpShared> shared_;
};

Result<std::size_t> count_of(const model::KindOptions& options, std::string_view name,
                             std::size_t fallback) {
  const auto text = options.setting(name);
  if (text.empty()) return fallback;
  std::size_t count = 0;
  if (parse_number(text, count) && count <= 1'000'000) return count;
  return fail(ErrorCode::kInvalidSpec,
              fmt::format("http.{} must be a whole number, not '{}'", name, text));
}

/// The proxy's URL may hold `{secret:NAME}`: a command line is read by others.
Result<std::string> proxy_of(const model::KindOptions& options) {
  const auto text = templates::parse_argument_template(options.setting("proxy"),
                                                       templates::SecretPlaceholders::kAllowed);
  if (!text) return fail(ErrorCode::kInvalidSpec, "http.proxy: " + text.error().message);
  const Json none = Json::object();
  const auto rendered = templates::render_part(
      *text,
      {.arguments = {none, none},
       .secret = [&](const auto& name) { return options.secrets->find(name); }},
      templates::HttpPlace::kQuery);
  return rendered ? Result<std::string>(rendered->value_or(""))
                  : fail(ErrorCode::kInvalidSpec, "http.proxy: " + rendered.error().message);
}

std::vector<std::string> comma_separated(const std::vector<std::string>& values) {
  std::vector<std::string> all;
  for (std::string_view value : values) {
    while (!value.empty()) {
      const auto comma = std::min(value.find(','), value.size());
      if (comma > 0) all.emplace_back(value.substr(0, comma));
      value.remove_prefix(std::min(comma + 1, value.size()));
    }
  }
  return all;
}

Result<std::shared_ptr<model::ToolKind>> make_with(const model::KindOptions& options) {
  HttpOptions http;
  ASSIGN_OR_RETURN(auto proxy, proxy_of(options));
  http.proxy = {.url = std::move(proxy), .except = comma_separated(options.all("no_proxy"))};
  http.ca_file = options.setting("ca_file");
  http.allow_addresses = comma_separated(options.all("allow_addresses"));
  ASSIGN_OR_RETURN(auto connections,
                   count_of(options, "max_connections", http.engine.max_connections));
  ASSIGN_OR_RETURN(
      auto idle, count_of(options, "max_idle_connections",
                          std::max<std::size_t>(http.engine.max_idle_connections, options.slots)));
  http.engine.max_connections = connections;
  http.engine.max_idle_connections = idle;
  return make_http_kind(std::move(http));
}

}  // namespace

Result<std::shared_ptr<model::ToolKind>> make_http_kind(HttpOptions options) {
  if (auto fine = tools::http::check_proxy(options.proxy); !fine) {
    return fail(ErrorCode::kInvalidSpec, "http.proxy: " + fine.error().message);
  }
  if (auto policy = tools::http::AddressPolicy::create(options.allow_addresses); !policy) {
    return fail(ErrorCode::kInvalidSpec, "http.allow_addresses: " + policy.error().message);
  }
  auto engine = tools::http::HttpEngine::start(options.engine);
  RETURN_IF_ERROR(engine);
  auto shared = std::make_shared<HttpShared>(
      HttpShared{.options = std::move(options), .engine = std::move(*engine)});
  return std::make_shared<HttpKind>(std::move(shared));
}

model::KindType http_kind_type() {
  return {.kind = model::Kind::kHttp,
          .slots = 128,
          .settings = {"proxy", "no_proxy", "allow_addresses", "ca_file", "max_connections",
                       "max_idle_connections"},
          .check =
              [](const model::Spec& spec) {
                return check_http_config(spec.implementation, spec.input_schema);
              },
          .make = &make_with};
}

}  // namespace toolway::tools::executors::http
