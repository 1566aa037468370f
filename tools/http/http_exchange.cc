#include "tools/http/http_exchange.h"

#include <fmt/format.h>

#include <algorithm>
#include <optional>

#include "base/long_wait.h"
#include "base/mutex.h"
#include "base/pause.h"
#include "base/text.h"
#include "tools/http/http_proxy.h"
#include "tools/http/shortage.h"

namespace toolway::tools::http {
namespace {

using Clock = std::chrono::steady_clock;
using Why = HttpEnd::Why;
using Limit = HttpEnd::Limit;
using Want = HttpReceiver::Want;

/// How much of a redirect's body is read to keep its connection.
constexpr std::size_t kDrained = 64UL << 10;

/// Reads over the body of an answer that is not the last one.
class Drain final : public HttpReceiver {
 public:
  Want on_head(const HttpHead&) override { return Want::kMore; }
  Want on_body(std::string_view piece) override {
    return (read_ += piece.size()) > kDrained ? Want::kNoMore : Want::kMore;
  }

 private:
  std::size_t read_ = 0;
};

/// Waits for one transfer, and hands on what comes of it.
class Waiting {
 public:
  Waiting(HttpCarrier& carrier, std::shared_ptr<HttpTransfer> transfer, Clock::time_point total_end,
          std::stop_token stop)
      : carrier_(carrier),
        transfer_(std::move(transfer)),
        total_end_(total_end),
        stop_(std::move(stop)) {
    carrier_.carry(transfer_);
  }
  ~Waiting() {
    if (!ended_) carrier_.drop(transfer_);
  }
  Waiting(const Waiting&) = delete;
  Waiting& operator=(const Waiting&) = delete;

  /// The answer's head; or how it ended without one.
  tl::expected<HttpHead, HttpEnd> head() {
    MutexLock lock(transfer_->mutex_);
    if (auto late = wait(lock, [&]() REQUIRES(transfer_->mutex_) {
          return transfer_->head_ || transfer_->end_;
        })) {
      return tl::unexpected(std::move(*late));
    }
    if (!transfer_->head_) {
      ended_ = true;
      return tl::unexpected(*transfer_->end_);
    }
    reached_ = HttpEnd::Reached::kHead;
    return std::move(*transfer_->head_);
  }

  /// The body, to its end.
  HttpEnd body(HttpReceiver& receiver) {
    for (;;) {
      std::string piece;
      bool held = false;
      {
        MutexLock lock(transfer_->mutex_);
        waiting_since_ = Clock::now();
        if (auto late = wait(lock, [&]() REQUIRES(transfer_->mutex_) {
              return !transfer_->body_.empty() || transfer_->end_;
            }))
          return std::move(*late);
        if (transfer_->body_.empty()) {
          ended_ = true;
          return *transfer_->end_;
        }
        piece.swap(transfer_->body_);
        held = std::exchange(transfer_->held_, false);
      }
      if (held) carrier_.go_on(transfer_);
      if (receiver.on_body(piece) == Want::kNoMore) return enough();
    }
  }

  HttpEnd enough() const { return {.why = Why::kEnough, .reached = reached_}; }

 private:
  struct Due {
    Clock::time_point at = Clock::time_point::max();
    Limit limit = Limit::kNone;
    std::chrono::milliseconds length{};
  };

  Due total() const { return {total_end_, Limit::kTotal, transfer_->made().limits.total}; }

  Due due() const REQUIRES(transfer_ -> mutex_) {
    const auto& limits = transfer_->made().limits;
    Due due = total();
    const auto sooner = [&](Clock::time_point from, std::chrono::milliseconds length, Limit limit) {
      if (length.count() > 0 && from + length < due.at) due = {from + length, limit, length};
    };
    if (reached_ == HttpEnd::Reached::kHead) {
      sooner(waiting_since_, limits.idle, Limit::kIdle);
    } else if (transfer_->sent_at_) {
      sooner(*transfer_->sent_at_, limits.first_byte, Limit::kFirstByte);
    } else if (limits.connect.count() > 0) {
      // libcurl keeps this one; here it is kept for requests that wait for a connection.
      sooner(began_ + limits.connect, std::chrono::seconds(1), Limit::kConnect);
    }
    return due;
  }

  /// Nothing when `ready`. What a server sends without a pause ends as well: at the total limit, or
  /// when it is cancelled.
  template <typename Ready>
  std::optional<HttpEnd> wait(MutexLock& lock, Ready ready) REQUIRES(transfer_ -> mutex_) {
    std::optional<LongWait> lean;
    for (bool first = true;; first = false) {
      const bool is_ready = ready();
      if (is_ready && transfer_->end_) return std::nullopt;  // no more will come
      if (stop_.stop_requested())
        return HttpEnd{.why = Why::kCancelled, .message = "cancelled", .reached = so_far()};
      const auto next = is_ready ? total() : due();
      const auto now = Clock::now();
      if (now >= next.at) return late(next);
      if (is_ready) return std::nullopt;
      auto until = next.at;
      // Sending the request wakes no thread, and its limit begins then.
      const auto first_byte = transfer_->made().limits.first_byte;
      if (!transfer_->sent_at_ && first_byte.count() > 0) until = std::min(until, now + first_byte);
      if (first) {
        until = std::min(until, now + LongWait::kBegins);
      } else if (!lean) {
        lean.emplace();
      }
      if (until == Clock::time_point::max()) {
        transfer_->changed_.wait(lock, stop_, ready);
      } else {
        transfer_->changed_.wait_until(lock, stop_, until, ready);
      }
    }
  }

  HttpEnd::Reached so_far() const REQUIRES(transfer_ -> mutex_) {
    if (reached_ == HttpEnd::Reached::kHead) return reached_;
    return transfer_->sent_at_ ? HttpEnd::Reached::kServer : HttpEnd::Reached::kNothing;
  }

  HttpEnd late(const Due& due) const REQUIRES(transfer_ -> mutex_) {
    const auto& limits = transfer_->made().limits;
    const auto host = transfer_->made().hop.url.origin();
    std::string message;
    const auto ms = due.length.count();
    switch (due.limit) {
      case Limit::kNone:
      case Limit::kTotal:
        message = fmt::format("{} did not answer in full within {} ms", host, ms);
        break;
      case Limit::kConnect:
        message = fmt::format("no connection to {} within {} ms", host, limits.connect.count());
        break;
      case Limit::kFirstByte:
        message = fmt::format("{} did not begin to answer within {} ms", host, ms);
        break;
      case Limit::kIdle:
        message = fmt::format("{} sent nothing more of its answer for {} ms", host, ms);
        break;
    }
    return {.why = Why::kTimedOut,
            .message = std::move(message),
            .limit = due.limit,
            .reached = so_far()};
  }

  HttpCarrier& carrier_;
  const std::shared_ptr<HttpTransfer> transfer_;
  const Clock::time_point total_end_;
  const std::stop_token stop_;
  const Clock::time_point began_ = Clock::now();
  Clock::time_point waiting_since_ = began_;
  HttpEnd::Reached reached_ = HttpEnd::Reached::kNothing;
  bool ended_ = false;
};

/// Between two tries for which there was no descriptor or thread.
constexpr std::chrono::milliseconds kFirstPause{50};
constexpr std::chrono::milliseconds kMaxPause{1'000};

/// What frames the message is libcurl's to write (RFC 9112 §6).
bool frames(std::string_view name) {
  constexpr std::string_view kNames[] = {
      "host", "content-length", "transfer-encoding", "connection",      "expect", "upgrade",
      "te",   "trailer",        "keep-alive",        "proxy-connection"};
  return std::any_of(std::begin(kNames), std::end(kNames),
                     [&](auto framing) { return find_header({{std::string(name), ""}}, framing); });
}

std::optional<std::string> unsendable(const HttpRequest& request) {
  if (!is_http_token(request.method)) return "the method is not a valid HTTP token";
  for (const auto& header : request.headers) {
    if (!is_http_token(header.name)) return "a header has a name that HTTP does not allow";
    if (frames(header.name))
      return fmt::format("header {} is set by the connection, not by a request", header.name);
    if (!valid_header_value(header.value)) {
      return fmt::format("header {} has a control character in its value", header.name);
    }
  }
  if (const auto proxy = check_proxy(request.proxy); !proxy) return proxy.error().message;
  return std::nullopt;
}

HttpTransfer::Made transfer_of(const HttpCarrier& carrier, const HttpRequest& request,
                               const HttpHop& hop) {
  return {.hop = hop,
          .addresses = request.addresses,
          .proxy = proxy_for(request.proxy, hop.url),
          .ca_file = request.ca_file,
          .limits = request.limits,
          .replay = request.replay,
          .resolved = hop.url.address ? std::nullopt : carrier.resolve(hop.url.host)};
}

}  // namespace

HttpEnd run_exchange(HttpCarrier& carrier, const HttpRequest& request, HttpReceiver& receiver,
                     std::stop_token stop) {
  if (auto wrong = unsendable(request))
    return {.why = Why::kInvalidRequest, .message = std::move(*wrong)};
  auto url = HttpUrl::parse(request.url);
  if (!url) return {.why = Why::kInvalidRequest, .message = url.error().message};
  HttpHop hop{.method = request.method,
              .url = std::move(*url),
              .headers = request.headers,
              .body = request.body};
  const auto total_end = request.limits.total.count() > 0 ? Clock::now() + request.limits.total
                                                          : Clock::time_point::max();
  for (unsigned followed = 0;; ++followed) {
    if (auto refusal = request.addresses->refusal(hop.url)) {
      const auto message = fmt::format("{} is blocked: {}", hop.url.host, *refusal);
      return {.why = Why::kAddressRefused,
              .message = followed == 0 ? message : "after a redirect, " + message};
    }
    std::optional<Waiting> tried;
    const auto ask = [&] {
      tried.reset();
      tried.emplace(carrier, std::make_shared<HttpTransfer>(transfer_of(carrier, request, hop)),
                    total_end, stop);
      return tried->head();
    };
    auto head = ask();
    // Nothing was sent: it is late, not lost.
    for (auto pause = kFirstPause; !head && for_want_of_resources(head.error());
         pause = std::min(2 * pause, kMaxPause)) {
      if (Clock::now() + pause >= total_end || !toolway::pause(pause, stop)) break;
      head = ask();
    }
    if (!head) return std::move(head.error());
    Waiting& waiting = *tried;
    const auto* location = find_header(head->headers, "location");
    if (request.redirects.most == 0 || !redirects(head->status) || location == nullptr) {
      if (receiver.on_head(*head) == Want::kNoMore) return waiting.enough();
      return waiting.body(receiver);
    }
    const auto refuse = [](std::string message) {
      return HttpEnd{.why = Why::kRedirectRefused,
                     .message = std::move(message),
                     .reached = HttpEnd::Reached::kHead};
    };
    if (followed == request.redirects.most) {
      return refuse(fmt::format("{} redirects again after {} redirects, the limit",
                                hop.url.origin(), followed));
    }
    auto next = follow_redirect(hop, head->status, *location, request.redirects);
    if (!next) return refuse(next.error().message);
    Drain drain;
    if (auto end = waiting.body(drain); end.why == Why::kCancelled || end.limit == Limit::kTotal)
      return end;
    hop = std::move(*next);
  }
}

}  // namespace toolway::tools::http
