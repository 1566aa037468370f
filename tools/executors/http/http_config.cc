#include "tools/executors/http/http_config.h"

#include <fmt/format.h>

#include <algorithm>

#include "base/json_pointer.h"
#include "base/text.h"
#include "tools/executors/http/answer_config.h"
#include "tools/http/http_proxy.h"
#include "tools/http/redirect.h"
#include "tools/model/secrets.h"
#include "tools/templates/placeholder_rules.h"

namespace toolway::tools::executors::http {
namespace {

using Object = StrictObject<OrderedJson>;
using Stands = templates::PlaceholderRules::Stands;

constexpr const char* kRoot = "/implementation_config";

/// Reads a config, and collects all that is wrong with it on the way.
class Reader {
 public:
  Reader(const OrderedJson& config, const OrderedJson& schema) : rules_(schema, mistakes) {
    if (!config.is_object()) {
      mistakes.add({kRoot, "an HTTP tool needs `implementation_config: {url: …}`"});
      return;
    }
    Object fields(config, "an HTTP tool", mistakes, kRoot);
    read_method(fields);
    fields.texts("allowed_hosts", parsed.allowed_hosts);
    read_url(fields);
    read_pairs(fields, "query", parsed.query, false);
    read_pairs(fields, "headers", parsed.headers, true);
    read_body(fields);
    read_auth(fields);
    parsed.answer = read_answer_form(fields.value("response"), fields.at("response"), mistakes);
    parsed.retries = read_retries(fields.value("retries"), fields.at("retries"), mistakes);
    read_limits(fields);
    read_redirects(fields);
    read_network(fields);
    read_idempotency(fields);
    fields.nothing_else();
    parsed.defaults = rules_.defaults();
  }

  HttpConfig parsed;
  Mistakes mistakes;

 private:
  void read_method(Object& fields) {
    parsed.method =
        fields.choice("method", {"GET", "POST", "PUT", "PATCH", "DELETE", "HEAD", "OPTIONS"});
  }

  static templates::ArgumentTemplate part(std::string literal) {
    templates::ArgumentTemplate made;
    if (!literal.empty()) made.parts.push_back({.literal = std::move(literal)});
    return made;
  }

  void read_url(Object& fields) {
    const auto* text = fields.value("url");
    if (text == nullptr || !text->is_string()) {
      return fields.wrong("url",
                          "an HTTP tool needs a `url`, such as https://api.example.com/users/{id}");
    }
    const auto whole = rules_.read(*text, fields.at("url"), Stands::kAlways);
    for (const auto& one : whole.parts) {
      if (one.placeholder && one.placeholder->secret)
        fields.wrong("url", "secrets go into headers, query or body");
    }
    parsed.url.whole = whole.only_placeholder() != nullptr;
    if (parsed.url.whole)
      parsed.url.origin = whole;
    else
      split(whole);
    check_origin(fields);
  }

  /// Takes the URL apart at its first slash after `://`, and its question mark, as the spec has
  /// them.
  void split(const templates::ArgumentTemplate& whole) {
    templates::ArgumentTemplate* into = &parsed.url.origin;
    std::size_t slashes = 0;
    bool fragment = false;
    for (const auto& one : whole.parts) {
      if (one.placeholder) {
        if (!fragment) into->parts.push_back(one);
        continue;
      }
      std::string literal;
      const auto turn = [&](templates::ArgumentTemplate& next) {
        if (!literal.empty()) into->parts.push_back({.literal = std::exchange(literal, {})});
        into = &next;
      };
      for (const char c : one.literal) {
        if (c == '#') fragment = true;
        if (fragment) break;
        if (c == '/' && into == &parsed.url.origin && ++slashes == 3) turn(parsed.url.path);
        if (c == '?' && into != &parsed.url.query) {
          turn(parsed.url.query);
          continue;
        }
        literal += c;
      }
      if (!literal.empty()) into->parts.push_back({.literal = std::move(literal)});
    }
    if (parsed.url.path.parts.empty()) parsed.url.path = part("/");
  }

  void check_origin(Object& fields) {
    const auto& origin = parsed.url.origin;
    if (!origin.is_literal()) {
      if (parsed.allowed_hosts.empty()) {
        fields.wrong(
            "url", "the caller would choose the host: list the permitted hosts in `allowed_hosts`");
      }
      const bool scheme =
          !parsed.url.whole && (origin.parts.front().placeholder ||
                                (!origin.parts.front().literal.starts_with("https://") &&
                                 !origin.parts.front().literal.starts_with("http://")));
      if (scheme)
        fields.wrong("url",
                     "must begin with http:// or https://, or be one placeholder for a whole URL");
      return;
    }
    const auto url =
        tools::http::HttpUrl::parse((origin.parts.empty() ? "" : origin.parts[0].literal) + "/");
    if (!url) return fields.wrong("url", url.error().message);
    if (!parsed.allowed_hosts.empty() &&
        !tools::http::host_listed(parsed.allowed_hosts, url->host)) {
      fields.wrong("url", "its host is not one of `allowed_hosts`");
    }
  }

  using Pairs = std::vector<std::pair<std::string, templates::ArgumentTemplate>>;

  void read_pairs(Object& fields, const std::string& name, Pairs& into, bool headers) {
    const auto* pairs = fields.value(name);
    if (pairs == nullptr) return;
    if (!pairs->is_object()) return fields.wrong(name, "must be an object of names and values");
    static const std::set<std::string> kOurs{"host",
                                             "content-length",
                                             "transfer-encoding",
                                             "connection",
                                             "expect",
                                             "upgrade",
                                             "te",
                                             "trailer",
                                             "keep-alive",
                                             "proxy-connection",
                                             "proxy-authorization"};
    for (const auto& [key, value] : pairs->items()) {
      const auto pointer = pointer_to(fields.at(name), key);
      if (headers && !is_http_token(key)) mistakes.add({pointer, "is not a header name"});
      if (headers && kOurs.contains(lowered(key))) {
        mistakes.add({pointer, "is set by the connection, not by a tool"});
      }
      auto text = rules_.read(value, pointer, headers ? Stands::kWithin : Stands::kAlone);
      const bool bad =
          headers && std::any_of(text.parts.begin(), text.parts.end(), [](const auto& one) {
            return !tools::http::valid_header_value(one.literal);
          });
      if (bad) mistakes.add({pointer, "has a control character"});
      into.emplace_back(key, std::move(text));
    }
  }

  void read_body(Object& fields) {
    const auto* body = fields.value("body");
    if (body == nullptr) return;
    if (parsed.method == "GET" || parsed.method == "HEAD") {
      fields.wrong("body", fmt::format("a {} request has no body; set `method`", parsed.method));
    }
    const auto pointer = fields.at("body");
    Object inner(*body, "a body", mistakes, pointer);
    const auto* json = inner.value("json");
    const auto* form = inner.value("form");
    const auto* text = inner.value("text");
    const auto* raw = inner.value("raw");
    auto& read = parsed.body;
    if ((json != nullptr) + (form != nullptr) + (text != nullptr) + (raw != nullptr) != 1) {
      mistakes.add({pointer, "must have one of json, form, text, raw"});
    } else if (json != nullptr) {
      read.form = HttpBody::Form::kJson;
      read.content_type = "application/json";
      read_json(*json, inner.at("json"));
    } else if (form != nullptr) {
      read.form = HttpBody::Form::kForm;
      read.content_type = "application/x-www-form-urlencoded";
      read_pairs(inner, "form", read.fields, false);
    } else if (text != nullptr) {
      read.form = HttpBody::Form::kText;
      read.content_type = "text/plain; charset=utf-8";
      read.text = rules_.read(*text, inner.at("text"), Stands::kWithin);
    } else {
      read.form = HttpBody::Form::kRaw;
      read.content_type = "application/octet-stream";
      read.text = rules_.read(*raw, inner.at("raw"), Stands::kTyped);
      if (read.text.only_placeholder() == nullptr)
        inner.wrong("raw", "must be one placeholder, such as \"{content}\"");
    }
    inner.text("content_type", read.content_type);
    if (!tools::http::valid_header_value(read.content_type))
      inner.wrong("content_type", "has a control character");
    inner.nothing_else();
  }

  void read_json(const OrderedJson& json, const std::string& pointer) {
    parsed.body.json = templates::parse_json_template(json, pointer, mistakes);
    templates::each_placeholder(
        parsed.body.json, pointer,
        [&](const templates::Placeholder& placeholder, const std::string& at, bool whole) {
          rules_.check(placeholder, at, whole ? Stands::kTyped : Stands::kWithin);
        });
  }

  void read_auth(Object& fields) {
    const auto* auth = fields.value("auth");
    if (auth == nullptr) return;
    const auto pointer = fields.at("auth");
    Object inner(*auth, "auth", mistakes, pointer);
    const auto* bearer = inner.value("bearer");
    const auto* basic = inner.value("basic");
    const auto* key = inner.value("api_key");
    inner.nothing_else();
    if ((bearer != nullptr) + (basic != nullptr) + (key != nullptr) != 1) {
      mistakes.add({pointer, "must have one of bearer, basic, api_key"});
      return;
    }
    const auto secret = [&](Object& of, const std::string& name) {
      of.text(name, parsed.auth.secret);
      if (!model::valid_secret_name(parsed.auth.secret)) {
        of.wrong(name, "must be the name of a secret: 1 to 64 of A-Z a-z 0-9 _");
      }
    };
    if (bearer != nullptr) {
      parsed.auth.way = HttpAuth::Way::kBearer;
      secret(inner, "bearer");
    } else if (basic != nullptr) {
      parsed.auth.way = HttpAuth::Way::kBasic;
      Object of(*basic, "basic", mistakes, inner.at("basic"));
      of.text("user", parsed.auth.name);
      if (parsed.auth.name.empty() || parsed.auth.name.find(':') != std::string::npos) {
        of.wrong("user", "must be a user's name, without a colon");
      }
      secret(of, "password");
      of.nothing_else();
    } else {
      Object of(*key, "api_key", mistakes, inner.at("api_key"));
      std::string header, query;
      of.text("header", header);
      of.text("query", query);
      secret(of, "secret");
      of.nothing_else();
      if (header.empty() == query.empty()) {
        of.wrong("header", "must have one of header, query: the name under which the key is sent");
      }
      if (!header.empty() && !is_http_token(header)) of.wrong("header", "is not a header name");
      parsed.auth.way = header.empty() ? HttpAuth::Way::kQuery : HttpAuth::Way::kHeader;
      parsed.auth.name = header.empty() ? query : header;
    }
  }

  void read_limits(Object& fields) {
    parsed.limits.max_body_bytes = 0;
    const auto* limits = fields.value("limits");
    if (limits == nullptr) return;
    Object inner(*limits, "a list of limits", mistakes, fields.at("limits"));
    inner.milliseconds("connect_ms", parsed.limits.connect, kConfiguredTime);
    inner.milliseconds("first_byte_ms", parsed.limits.first_byte, kConfiguredTime);
    inner.milliseconds("idle_ms", parsed.limits.idle, kConfiguredTime);
    inner.whole("max_body_bytes", parsed.limits.max_body_bytes, {1, 268'435'456}, "bytes");
    inner.whole("max_header_bytes", parsed.limits.max_header_bytes, {256, 262'144}, "bytes");
    inner.nothing_else();
  }

  void read_redirects(Object& fields) {
    const auto* redirects = fields.value("redirects");
    if (redirects == nullptr) return;
    Object inner(*redirects, "a redirect policy", mistakes, fields.at("redirects"));
    inner.whole("most", parsed.redirects.most, {0, 20});
    bool downgrade = false;
    inner.flag("allow_downgrade", downgrade);
    if (downgrade) parsed.redirects.downgrade = tools::http::HttpRedirects::Downgrade::kAllowed;
    inner.nothing_else();
  }

  void read_network(Object& fields) {
    fields.texts("allow_addresses", parsed.allow_addresses);
    for (std::size_t i = 0; i < parsed.allow_addresses.size(); ++i) {
      if (auto policy = tools::http::AddressPolicy::create({parsed.allow_addresses[i]}); !policy) {
        mistakes.add(
            {fmt::format("{}/{}", fields.at("allow_addresses"), i), policy.error().message});
      }
    }
    if (fields.find("proxy") == nullptr) return;
    std::string proxy = "none";
    fields.text("proxy", proxy);
    parsed.proxy = proxy == "none" ? "" : proxy;
    if (auto fine = tools::http::check_proxy({.url = *parsed.proxy}); !fine) {
      fields.wrong("proxy", fine.error().message + "; or `none`");
    } else if (parsed.proxy->find('@') != std::string::npos) {
      fields.wrong("proxy",
                   "has a password, which a spec must not contain: set the worker's http.proxy");
    }
  }

  void read_idempotency(Object& fields) {
    const auto* key = fields.value("idempotency_key");
    if (key == nullptr || *key == false) return;
    parsed.idempotency_header = *key == true       ? "Idempotency-Key"
                                : key->is_string() ? key->get<std::string>()
                                                   : "";
    if (!is_http_token(parsed.idempotency_header)) {
      fields.wrong("idempotency_key", "must be true, or the name of a header");
    }
  }

  templates::PlaceholderRules rules_;
};

}  // namespace

bool idempotent_method(std::string_view method) { return method != "POST" && method != "PATCH"; }

std::vector<Mistake> check_http_config(const OrderedJson& config, const OrderedJson& input_schema) {
  return std::move(Reader(config, input_schema).mistakes).take();
}

Result<HttpConfig> parse_http_config(const OrderedJson& config, const OrderedJson& input_schema) {
  Reader reader(config, input_schema);
  if (reader.mistakes.count() == 0) return std::move(reader.parsed);
  return fail(ErrorCode::kInvalidSpec, std::move(reader.mistakes).take().front().text());
}

}  // namespace toolway::tools::executors::http
