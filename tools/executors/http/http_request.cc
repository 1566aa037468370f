#include "tools/executors/http/http_request.h"

#include <fmt/format.h>

#include <algorithm>

#include "base/base64.h"
#include "base/text.h"
#include "base/try.h"
#include "tools/http/redirect.h"

namespace toolway::tools::executors::http {
namespace {

using Holds = tools::http::HttpHeader::Holds;
using Pairs = std::vector<std::pair<std::string, templates::ArgumentTemplate>>;

bool has_secret(const templates::ArgumentTemplate& text) {
  return std::any_of(text.parts.begin(), text.parts.end(),
                     [](const auto& part) { return part.placeholder && part.placeholder->secret; });
}

/// Builds one request; the first error ends it.
class Builder {
 public:
  Builder(const HttpConfig& config, const templates::HttpValues& source, BuiltRequest& built)
      : config_(config), source_(source), built_(built) {}

  Result<void> build() {
    for (const auto step :
         {&Builder::url, &Builder::headers, &Builder::body, &Builder::auth, &Builder::finish_url}) {
      RETURN_IF_ERROR((this->*step)());
    }
    return {};
  }

 private:
  Result<void> url() {
    if (config_.url.whole) return whole_url();
    ASSIGN_OR_RETURN(auto origin, templates::render_part(config_.url.origin, source_,
                                                         templates::HttpPlace::kHost));
    ASSIGN_OR_RETURN(auto path, templates::render_path(config_.url.path, source_));
    ASSIGN_OR_RETURN(auto query, templates::render_part(config_.url.query, source_,
                                                        templates::HttpPlace::kQuery));
    base_ = *origin + path;
    query_ = query.value_or("");
    return check_host(tools::http::HttpUrl::parse(base_), "the URL");
  }

  Result<void> whole_url() {
    const auto& placeholder = *config_.url.origin.only_placeholder();
    const Json* value = templates::value_of(placeholder, source_.arguments);
    const auto name = "/" + placeholder.name;
    if (value == nullptr || !value->is_string())
      return fail(ErrorCode::kInvalidArguments, name + ": must be a URL");
    auto parsed = tools::http::HttpUrl::parse(value->get_ref<const std::string&>());
    if (!parsed) return fail(ErrorCode::kInvalidArguments, name + ": " + parsed.error().message);
    const auto mark = parsed->target.find('?');
    base_ = parsed->origin() + parsed->target.substr(0, mark);
    if (mark != std::string::npos) query_ = parsed->target.substr(mark + 1);
    return check_host(parsed, name);
  }

  Result<void> check_host(const Result<tools::http::HttpUrl>& parsed,
                          const std::string& what) const {
    if (!parsed) return fail(ErrorCode::kInvalidArguments, what + ": " + parsed.error().message);
    if (config_.allowed_hosts.empty() ||
        tools::http::host_listed(config_.allowed_hosts, parsed->host))
      return {};
    return fail(
        ErrorCode::kInvalidArguments,
        fmt::format("{}: the host {} is not one that this tool may contact", what, parsed->host));
  }

  static void append_pair(std::string& to, const std::string& name, const std::string& value) {
    if (!to.empty()) to += '&';
    to += percent_encoded(name) + '=' + percent_encoded(value);
  }

  Result<void> append_pairs(const Pairs& pairs, std::string& to) const {
    for (const auto& [name, text] : pairs) {
      ASSIGN_OR_RETURN(auto values, templates::render_values(text, source_));
      for (const auto& value : values) append_pair(to, name, value);
    }
    return {};
  }

  Result<void> headers() {
    for (const auto& [name, text] : config_.headers) {
      ASSIGN_OR_RETURN(auto value,
                       templates::render_part(text, source_, templates::HttpPlace::kHeader));
      if (value)
        built_.request.headers.push_back(
            {name, *value, has_secret(text) ? Holds::kSecret : Holds::kPlain});
    }
    const auto& headers = built_.request.headers;
    if (tools::http::find_header(headers, "accept") == nullptr) {
      using Form = HttpAnswerForm::As;
      const auto as = config_.answer.as;
      const char* accept = as == Form::kJson  ? "application/json, */*;q=0.5"
                           : as == Form::kSse ? "text/event-stream"
                           : as == Form::kNdjson
                               ? "application/x-ndjson, application/json;q=0.5, */*;q=0.1"
                               : "*/*";
      built_.request.headers.push_back({"Accept", accept});
    }
    return {};
  }

  Result<void> body() {
    const auto& body = config_.body;
    auto& request = built_.request;
    switch (body.form) {
      case HttpBody::Form::kNone: return {};
      case HttpBody::Form::kJson: {
        ASSIGN_OR_RETURN(auto json, templates::render_json(body.json, source_));
        request.body = to_text(json);
        break;
      }
      case HttpBody::Form::kForm: {
        std::string text;
        RETURN_IF_ERROR(append_pairs(body.fields, text));
        request.body = std::move(text);
        break;
      }
      case HttpBody::Form::kText: {
        ASSIGN_OR_RETURN(auto text,
                         templates::render_part(body.text, source_, templates::HttpPlace::kText));
        request.body = text.value_or("");
        break;
      }
      case HttpBody::Form::kRaw: {
        const Json* value =
            templates::json_value_of(*body.text.only_placeholder(), source_.arguments);
        if (value != nullptr)
          request.body = value->is_string() ? value->get<std::string>() : to_text(*value);
        break;
      }
    }
    if (request.body && tools::http::find_header(request.headers, "content-type") == nullptr) {
      request.headers.push_back({"Content-Type", body.content_type});
    }
    return {};
  }

  Result<void> auth() {
    const auto& auth = config_.auth;
    if (auth.way == HttpAuth::Way::kNone) return {};
    // As a placeholder of a header, so that a value which no header takes is refused in one place.
    const templates::ArgumentTemplate text{
        {{.literal = {},
          .placeholder = templates::Placeholder{.name = auth.secret, .secret = true}}}};
    const bool encoded = auth.way == HttpAuth::Way::kQuery || auth.way == HttpAuth::Way::kBasic;
    ASSIGN_OR_RETURN(auto value, templates::render_part(text, source_,
                                                        encoded ? templates::HttpPlace::kText
                                                                : templates::HttpPlace::kHeader));
    auto& headers = built_.request.headers;
    switch (auth.way) {
      case HttpAuth::Way::kNone: break;
      case HttpAuth::Way::kBearer:
        headers.push_back({"Authorization", "Bearer " + *value, Holds::kSecret});
        break;
      case HttpAuth::Way::kBasic: {
        const auto both = auth.name + ":" + *value;  // RFC 7617
        built_.secrets.push_back(both);
        headers.push_back({"Authorization", "Basic " + base64(both), Holds::kSecret});
        break;
      }
      case HttpAuth::Way::kHeader: headers.push_back({auth.name, *value, Holds::kSecret}); break;
      case HttpAuth::Way::kQuery: append_pair(query_, auth.name, *value); break;
    }
    return {};
  }

  Result<void> finish_url() {
    RETURN_IF_ERROR(append_pairs(config_.query, query_));
    built_.request.url = base_ + (query_.empty() ? "" : "?" + query_);
    return {};
  }

  const HttpConfig& config_;
  const templates::HttpValues& source_;
  BuiltRequest& built_;
  std::string base_;
  std::string query_;
};

}  // namespace

model::ToolResult<BuiltRequest> build_request(
    const HttpConfig& config, const Json& arguments, const std::string& idempotency_key,
    const std::function<std::optional<std::string>(const std::string&)>& secret) {
  BuiltRequest built;
  built.request.method = config.method;
  const templates::HttpValues source{.arguments = {arguments, config.defaults},
                                     .secret = [&](const std::string& name) {
                                       auto value = secret(name);
                                       if (value) built.secrets.push_back(*value);
                                       return value;
                                     }};
  if (auto done = Builder(config, source, built).build(); !done) {
    if (done.error().code != ErrorCode::kNotFound)
      return tl::unexpected(model::ToolError(done.error()));
    return tl::unexpected(model::ToolError("secret_missing", std::move(done.error().message)));
  }
  if (!config.idempotency_header.empty())
    built.request.headers.push_back({config.idempotency_header, idempotency_key});
  return built;
}

}  // namespace toolway::tools::executors::http
