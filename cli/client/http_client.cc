#include "cli/client/http_client.h"

#include <fmt/format.h>

#include <fstream>

#include "base/text.h"
#include "base/try.h"
#include "cli/client/silence_watch.h"
#include "tools/http/http_engine.h"
#include "tools/http/http_proxy.h"
#include "tools/http/trace_headers.h"

namespace toolway::cli::client {
namespace {

namespace http = tools::http;

/// Look-up, TCP, proxy and TLS together: a command answers within 3 s whatever is wrong there.
constexpr std::chrono::milliseconds kConnectTimeout{2'500};
constexpr std::string_view kEvents = "text/event-stream";
/// Of the question whether a server that is silent answers at all.
constexpr std::chrono::milliseconds kProbeTimeout{700};

/// Collects an answer, or hands a stream on.
class Receiver final : public http::HttpReceiver {
 public:
  using Chunk = std::function<bool(std::string_view)>;
  Receiver() = default;
  Receiver(std::string type, const std::function<void()>& opened, const Chunk& chunk)
      : type_(std::move(type)), opened_(&opened), chunk_(&chunk) {}

  Want on_head(const http::HttpHead& head) override {
    if (watch != nullptr) watch->answered();
    answer.status = head.status;
    const auto* type = http::find_header(head.headers, "Content-Type");
    as_asked_ = type != nullptr && type->starts_with(type_);
    if (streams()) (*opened_)();
    return Want::kMore;
  }
  Want on_body(std::string_view piece) override {
    if (streams()) return (*chunk_)(piece) ? Want::kMore : Want::kNoMore;
    answer.body += piece;
    return Want::kMore;
  }

  HttpAnswer answer{};
  SilenceWatch* watch = nullptr;  ///< of this request; null: none

 private:
  bool streams() const { return chunk_ != nullptr && answer.status == 200 && as_asked_; }
  std::string type_;       ///< of a stream
  bool as_asked_ = false;  ///< the answer is of that type
  const std::function<void()>* opened_ = nullptr;
  const Chunk* chunk_ = nullptr;
};

/// In place of others of that name.
void set_header(http::HttpRequest& request, const std::string& name, const std::string& value) {
  std::erase_if(request.headers, [&](const auto& header) { return same_word(header.name, name); });
  request.headers.push_back({name, value});
}

class EngineClient final : public HttpClient {
 public:
  EngineClient(ClientOptions options, http::HttpRequest first, bool proxied,
               std::shared_ptr<http::HttpEngine> engine)
      : options_(std::move(options)),
        first_(std::move(first)),
        proxied_(proxied),
        engine_(std::move(engine)) {}

  Result<HttpAnswer> request(std::string_view method, std::string_view target, std::string body,
                             const Headers& headers) override {
    auto request = prepare(method, target, headers);
    if (!body.empty() || method == "POST") {
      set_header(request, "Content-Type", "application/json");
      request.body = std::move(body);
    }
    request.limits.first_byte = request.limits.idle = options_.timeout;
    Receiver receiver;
    return send(request, receiver);
  }

  Result<HttpAnswer> stream(std::string_view target, const Headers& headers,
                            std::chrono::milliseconds silence, const std::function<void()>& opened,
                            const std::function<bool(std::string_view)>& chunk) override {
    auto request = prepare("GET", target, headers);
    if (headers.find("Accept") == headers.end())
      set_header(request, "Accept", std::string(kEvents));
    request.limits.first_byte = request.limits.idle = silence;
    Receiver receiver(*http::find_header(request.headers, "Accept"), opened, chunk);
    return send(request, receiver);
  }

  Result<void> post(const Post& post, http::HttpReceiver& receiver) override {
    auto request = prepare("POST", post.target, post.headers);
    set_header(request, "Content-Type", "application/json");
    request.body = post.body;
    request.limits.first_byte = post.first_byte;
    request.limits.idle = post.silence;
    return carry(request, receiver, post.stop);
  }

 private:
  http::HttpRequest prepare(std::string_view method, std::string_view target,
                            const Headers& headers) const {
    auto request = first_;
    request.method = method;
    request.url += target;
    for (const auto& [name, value] : headers) set_header(request, name, value);
    return request;
  }

  Result<HttpAnswer> send(const http::HttpRequest& request, Receiver& receiver) {
    SilenceWatch watch(options_.stop, options_.patience, [this] { return answers(); });
    receiver.watch = &watch;
    const auto carried = carry(request, receiver, watch.stop());
    if (watch.gave_up())
      return fail(ErrorCode::kBusUnavailable,
                  fmt::format("{} takes connections and does not answer. Another program may "
                              "listen there: check --url or TOOLWAY_URL. If it is the gateway, "
                              "its log says what it waits for",
                              options_.url));
    RETURN_IF_ERROR(carried);
    // Of a plain http URL the proxy answers instead of the gateway.
    if (receiver.answer.status == 407 && proxied_)
      return fail(unreached({.why = http::HttpEnd::Why::kNotConnected, .proxy_status = 407},
                            options_.url, true));
    return std::move(receiver.answer);
  }

  Result<void> carry(const http::HttpRequest& request, http::HttpReceiver& receiver,
                     const std::stop_token& stop) {
    const auto end = engine_->run(request, receiver, stop);
    if (end.why != http::HttpEnd::Why::kComplete && end.why != http::HttpEnd::Why::kEnough)
      return fail(unreached(end, options_.url, proxied_));
    return {};
  }

  /// Whether anything comes back at all, from a gateway or from what is in front of it.
  bool answers() const {
    auto request = prepare("GET", "/livez", {});
    request.limits.connect = request.limits.first_byte = request.limits.idle = kProbeTimeout;
    Receiver receiver;
    (void)engine_->run(request, receiver, options_.stop);
    return receiver.answer.status != 0;
  }

  const ClientOptions options_;
  const http::HttpRequest first_;  ///< what all requests have in common
  const bool proxied_;             ///< a proxy carries them
  const std::shared_ptr<http::HttpEngine> engine_;
};

Result<void> check_ca_file(const std::string& name) {
  if (name.empty()) return {};
  std::ifstream file(name, std::ios::binary);
  for (std::string line; std::getline(file, line);)
    if (line.find("-----BEGIN ") != std::string::npos &&
        line.find("CERTIFICATE-----") != std::string::npos)
      return {};
  return fail(ErrorCode::kInvalidRequest,
              fmt::format("the CA file {} {} (--ca-file, TOOLWAY_CA_FILE)", name,
                          file.eof() ? "holds no certificate in PEM format" : "cannot be read"));
}

}  // namespace

OrderedJson HttpAnswer::json() const {
  auto parsed = parse_ordered_json(body, 1000);
  return parsed ? std::move(*parsed) : OrderedJson();
}

Result<std::unique_ptr<HttpClient>> HttpClient::create(ClientOptions options) {
  http::HttpRequest first;
  ASSIGN_OR_RETURN(const auto url, gateway_url(options.url));
  ASSIGN_OR_RETURN(auto token, read_token(options.reach));
  RETURN_IF_ERROR(check_ca_file(options.reach.ca_file));
  ASSIGN_OR_RETURN(first.proxy, proxy_of(options.reach, url));
  if (!token.empty()) RETURN_IF_ERROR(check_token_travels(url, first.proxy));
  ASSIGN_OR_RETURN(first.addresses, every_address());
  first.url = url.origin();
  first.ca_file = options.reach.ca_file;
  first.limits = {.connect = kConnectTimeout, .max_body_bytes = 0, .max_header_bytes = 0};
  if (!options.user.empty()) first.headers.push_back({"X-Toolway-User", options.user});
  if (!token.empty())
    first.headers.push_back(
        {"Authorization", "Bearer " + std::move(token), http::HttpHeader::Holds::kSecret});
  const bool proxied = !http::proxy_for(first.proxy, url).empty();
  if (!options.on_behalf.empty())
    first.headers.push_back(
        {"X-Toolway-On-Behalf", options.on_behalf, http::HttpHeader::Holds::kSecret});
  http::add_trace(first.headers, options.trace);
  auto engine = options.engine;
  if (!engine) {
    ASSIGN_OR_RETURN(engine, http::HttpEngine::start());
  }
  return std::make_unique<EngineClient>(std::move(options), std::move(first), proxied,
                                        std::move(engine));
}

}  // namespace toolway::cli::client
