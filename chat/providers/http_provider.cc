#include "chat/providers/http_provider.h"

#include <fmt/format.h>

#include "base/pause.h"
#include "base/text.h"
#include "base/try.h"
#include "chat/providers/answer_errors.h"
#include "chat/providers/base_url.h"
#include "chat/providers/quoted.h"
#include "chat/providers/surrogates.h"

namespace toolway::chat::providers {
namespace {

using Kind = ProviderError::Kind;
namespace http = tools::http;

/// Of one event: the last one of Responses has the whole reply.
constexpr std::size_t kMaxEventBytes = 48UL << 20;
/// Of an answer that is not a stream.
constexpr std::size_t kMaxErrorBytes = 64UL << 10;
/// A shorter value of the URL's query is a version or a flag, and a word of many messages.
constexpr std::size_t kMinSecretBytes = 8;

/// Takes one answer: events go to the reader, anything else is kept.
class AnswerReceiver final : public http::HttpReceiver {
 public:
  explicit AnswerReceiver(ReplyReader& reader)
      : reader_(reader),
        events_([this](const http::SseEvent& event) { reader_.take(event); }, kMaxEventBytes) {}

  Want on_head(const http::HttpHead& head) override {
    answer.status = head.status;
    answer.headers = head.headers;
    const auto* type = http::find_header(head.headers, "content-type");
    const auto media = lowered(type != nullptr ? *type : "");
    streams = head.status == 200 && media.starts_with("text/event-stream");
    whole = head.status == 200 && media.starts_with("application/json");
    return Want::kMore;
  }

  Want on_body(std::string_view piece) override {
    if (streams) {
      if (reader_.done()) return Want::kNoMore;
      if (const auto fed = events_.feed(piece); !fed) too_large = true;
      return too_large ? Want::kNoMore : Want::kMore;
    }
    const auto most = whole ? kMaxEventBytes : kMaxErrorBytes;
    answer.body += piece.substr(0, most - std::min(most, answer.body.size()));
    return answer.body.size() < most ? Want::kMore : Want::kNoMore;
  }

  FailedAnswer answer;
  bool streams = false;
  bool whole = false;
  bool too_large = false;

 private:
  ReplyReader& reader_;
  http::SseReader events_;
};

class HttpProvider final : public Provider {
 public:
  HttpProvider(std::unique_ptr<Dialect> dialect, HttpProviderOptions options, std::string id,
               std::shared_ptr<http::HttpEngine> engine, const Clock& clock)
      : dialect_(std::move(dialect)),
        options_(std::move(options)),
        id_(std::move(id)),
        engine_(std::move(engine)),
        clock_(clock) {}

  const std::string& id() const override { return id_; }
  tools::exports::ModelApi api() const override { return dialect_->api(); }
  tools::messages::Blocks blocks_for(const std::string& model) const override {
    const bool refused = options_.memory->refused.of(model).contains(kBlocks);
    return refused ? tools::messages::Blocks::kAsText : tools::messages::blocks_of(api());
  }

  ReplyResult ask(const ModelRequest& request, const OnText& on_text,
                  std::stop_token stop) override {
    bool said = false;
    const OnText note = [&](std::string_view text) {
      if (text.empty()) return;
      said = true;
      on_text(text);
    };
    auto left_out = options_.memory->refused.of(request.options.model);
    for (unsigned tries = 1;; ++tries) {
      // Its JSON goes before the model is waited for: it may hold megabytes of images.
      auto sent = http_request(dialect_->body(request, id_, left_out));
      const auto tokens = about_tokens(sent.body->size(), request);
      const auto wait = options_.memory->pace.take(options_.pace, tokens, clock_.monotonic());
      if (wait.count() > 0 &&
          !waits(request, {.why = Kind::kRateLimited, .after = wait, .ours = true}, stop))
        return fail_with(Kind::kStopped, "the turn was stopped");
      auto reader = dialect_->reader(id_, note);
      AnswerReceiver receiver(*reader);
      const auto end = engine_->run(std::move(sent), receiver, stop);
      if (receiver.streams) {
        auto reply = streamed(*reader, receiver, end);
        // An error that comes as an event is one of a status that came too late.
        const auto again = reply || said || !is_passing(reply.error().kind)
                               ? std::nullopt
                               : retry_delay(FailedAnswer{.status = 529}, tries, clock_.wall());
        if (again && waits(request, {reply.error().kind, *again}, stop)) continue;
        if (!reply) hide_quotes(reply.error(), request);
        return counted(std::move(reply), tokens);
      }
      const bool answered =
          end.why == http::HttpEnd::Why::kComplete || end.why == http::HttpEnd::Why::kEnough;
      if (answered && receiver.whole) {
        auto reply = read_whole(*reader, receiver.answer);
        if (!reply) hide_quotes(reply.error(), request);
        return counted(std::move(reply), tokens);
      }
      if (answered) {
        if (auto name = refused(receiver.answer, request, left_out)) {
          left_out.insert(std::move(*name));
          --tries;  // each is left out once, so this ends
          continue;
        }
      }
      const auto delay =
          answered ? retry_delay(receiver.answer, tries, clock_.wall()) : retry_delay(end, tries);
      auto failure = error(answered, receiver.answer, end, stop);
      hide_quotes(failure, request);
      if (delay && !said && waits(request, {failure.kind, *delay}, stop)) continue;
      if (stop.stop_requested()) failure = {Kind::kStopped, "the turn was stopped"};
      return tl::unexpected(std::move(failure));
    }
  }

 private:
  /// What the same request is sent again without: a parameter, or the blocks; nothing: it is not.
  std::optional<std::string> refused(const FailedAnswer& answer, const ModelRequest& request,
                                     const LeftOut& left_out) const {
    auto& known = options_.memory->refused;
    const auto& model = request.options.model;
    const bool blocks = sent_blocks(request, left_out) != tools::messages::Blocks::kAsText &&
                        !tools::messages::request_blocks(request.messages, api()).empty();
    const auto said = blocks ? refused_blocks(answer, dialect_->optional()) : BlocksRefused::kNo;
    if (said == BlocksRefused::kNo || said == BlocksRefused::kPerhaps) {
      const auto body = dialect_->body(request, id_, left_out);
      if (auto name = refused_parameter(answer, body, dialect_->optional())) {
        known.add(model, *name);
        return name;
      }
    }
    if (said == BlocksRefused::kNo) return std::nullopt;
    if (said == BlocksRefused::kAlways) known.add(model, std::string(kBlocks));
    return std::string(kBlocks);
  }

  /// Of a request and the longest reply to it.
  static std::uint64_t about_tokens(std::size_t bytes, const ModelRequest& request) {
    constexpr std::uint64_t kBytesPerToken = 4;
    const auto input = request.tokens != 0 ? request.tokens : bytes / kBytesPerToken;
    return input + request.options.max_tokens;
  }

  ReplyResult counted(ReplyResult reply, std::uint64_t tokens) const {
    if (reply && reply->usage)
      options_.memory->pace.correct(options_.pace, tokens,
                                    reply->usage->input + reply->usage->output);
    return reply;
  }

  http::HttpRequest http_request(const OrderedJson& body) const {
    http::HttpRequest request{.method = "POST",
                              .url = url_below(options_.base_url, dialect_->path()),
                              .headers = dialect_->headers(options_.key),
                              .body = to_text(body),
                              .addresses = options_.addresses,
                              .proxy = options_.proxy,
                              .ca_file = options_.ca_file,
                              .limits = options_.limits};
    request.headers.push_back({"Content-Type", "application/json"});
    request.headers.push_back({"Accept", "text/event-stream"});
    request.headers.push_back({"User-Agent", "toolway/" TOOLWAY_VERSION});
    return request;
  }

  /// After the pause. False: it was stopped.
  static bool waits(const ModelRequest& request, const Retry& retry, const std::stop_token& stop) {
    if (stop.stop_requested()) return false;
    if (request.on_retry) request.on_retry(retry);
    return pause(retry.after, stop);
  }

  static bool is_passing(Kind kind) {
    return kind == Kind::kOverloaded || kind == Kind::kUnavailable || kind == Kind::kRateLimited;
  }

  static ReplyResult streamed(ReplyReader& reader, const AnswerReceiver& receiver,
                              const http::HttpEnd& end) {
    if (receiver.too_large)
      return fail_with(Kind::kBadReply, "the provider sent a line that is too long to be an event");
    auto reply = reader.finish();
    // A stream that broke off says so better than what is missing.
    const bool whole = end.why == http::HttpEnd::Why::kComplete ||
                       end.why == http::HttpEnd::Why::kEnough || reader.done();
    if (!reply && !whole && reply.error().kind == Kind::kBadReply)
      return tl::unexpected(error_of(end));
    return reply;
  }

  static ReplyResult read_whole(ReplyReader& reader, const FailedAnswer& answer) {
    constexpr std::size_t kMaxDepth = 128;
    auto parsed = parse_with_halves(answer.body, kMaxDepth);
    if (!parsed)
      return fail_with(Kind::kBadReply,
                       "the provider's answer is not JSON: " + parsed.error().message);
    reader.take_whole(std::move(*parsed));
    return reader.finish();
  }

  ProviderError error(bool answered, const FailedAnswer& answer, const http::HttpEnd& end,
                      const std::stop_token& stop) const {
    if (stop.stop_requested()) return {Kind::kStopped, "the turn was stopped"};
    return answered ? error_of(answer, options_.key_name, clock_.wall()) : error_of(end);
  }

  /// A server may repeat what it was sent: the key, and words of the conversation.
  void hide_quotes(ProviderError& error, const ModelRequest& request) const {
    hide(options_.key, error.message);
    for (const auto& value : query_values(options_.base_url))
      if (value.size() >= kMinSecretBytes) hide(value, error.message);
    // Up to there the words are ours.
    const auto ours = std::min(error.message.find(": "), error.message.size());
    error.message = error.message.substr(0, ours) +
                    without_quotes(error.message.substr(ours), request.messages);
  }

  static void hide(const std::string& secret, std::string& text) {
    if (secret.empty()) return;
    for (auto at = text.find(secret); at != std::string::npos; at = text.find(secret))
      text.replace(at, secret.size(), "…");
  }

  const std::unique_ptr<Dialect> dialect_;
  const HttpProviderOptions options_;
  const std::string id_;
  const std::shared_ptr<http::HttpEngine> engine_;
  const Clock& clock_;
};

bool stays_here(const http::HttpUrl& url) {
  if (url.address) return http::special_purpose(*url.address) == "loopback";
  return url.host == "localhost" || url.host.ends_with(".localhost");
}

}  // namespace

Result<std::unique_ptr<Provider>> make_http_provider(std::unique_ptr<Dialect> dialect,
                                                     HttpProviderOptions options,
                                                     std::shared_ptr<http::HttpEngine> engine,
                                                     const Clock& clock) {
  if (options.base_url.empty()) options.base_url = dialect->default_base_url();
  options.base_url = url_below(options.base_url, "");
  ASSIGN_OR_RETURN(const auto url, http::HttpUrl::parse(options.base_url));
  if (!options.key.empty() && url.scheme != "https" && !stays_here(url))
    return fail(ErrorCode::kInvalidRequest,
                fmt::format("the key was not sent: {} is plain http, where others can read it. Use "
                            "https:// in TOOLWAY_AI_BASE_URL",
                            url.origin()));
  auto id = std::string(tools::exports::format_name(tools::messages::format_of(dialect->api())));
  if (options.base_url != dialect->default_base_url()) id += ":" + url.origin();
  return std::make_unique<HttpProvider>(std::move(dialect), std::move(options), std::move(id),
                                        std::move(engine), clock);
}

}  // namespace toolway::chat::providers
