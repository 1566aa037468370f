#pragma once

#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "tools/executors/http/answer_config.h"
#include "tools/http/http_message.h"
#include "tools/templates/http_text.h"
#include "tools/templates/json_template.h"

namespace toolway::tools::executors::http {

/// The URL of a tool in its parts.
struct UrlTemplate {
  templates::ArgumentTemplate
      origin;  ///< `https://example.com`, or a whole URL that is one placeholder
  templates::ArgumentTemplate path;   ///< from the first slash on
  templates::ArgumentTemplate query;  ///< after the question mark, which is not in it
  bool whole = false;                 ///< `origin` is the whole URL
};

struct HttpBody {
  enum class Form { kNone, kJson, kForm, kText, kRaw };
  Form form = Form::kNone;
  templates::JsonTemplate json{};
  std::vector<std::pair<std::string, templates::ArgumentTemplate>> fields{};
  templates::ArgumentTemplate text{};  ///< of kText; of kRaw one placeholder
  std::string content_type;            ///< empty: none
};

struct HttpAuth {
  enum class Way { kNone, kBearer, kBasic, kHeader, kQuery };
  Way way = Way::kNone;
  std::string secret;  ///< its name
  std::string name;    ///< of the header or the query's pair; the user of kBasic
};

/// `implementation_config` of an HTTP tool (docs/http.md).
struct HttpConfig {
  std::string method = "GET";
  UrlTemplate url;
  std::vector<std::string> allowed_hosts;
  std::vector<std::pair<std::string, templates::ArgumentTemplate>> query;
  std::vector<std::pair<std::string, templates::ArgumentTemplate>> headers;
  HttpBody body;
  HttpAuth auth;
  HttpAnswerForm answer;
  HttpRetries retries;
  tools::http::HttpLimits limits;  ///< max_body_bytes 0: the spec's result.max_bytes
  tools::http::HttpRedirects redirects{.most = 5};
  std::vector<std::string> allow_addresses;
  std::optional<std::string> proxy;  ///< empty: none; not set: the worker's
  std::string idempotency_header;    ///< empty: none
  Json defaults = Json::object();
};

/// What is wrong with the `implementation_config` of an HTTP tool. Pure. Pointers begin with
/// `/implementation_config`.
std::vector<Mistake> check_http_config(const OrderedJson& config, const OrderedJson& input_schema);

/// Errors: kInvalidSpec with the first mistake.
Result<HttpConfig> parse_http_config(const OrderedJson& config, const OrderedJson& input_schema);

/// RFC 9110 §9.2.2.
bool idempotent_method(std::string_view method);

}  // namespace toolway::tools::executors::http
