#include "tools/http/http_transfer.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <utility>

#include "base/mutex.h"
#include "base/text.h"

namespace toolway::tools::http {
namespace {

using Why = HttpEnd::Why;

constexpr std::string_view kBlanks = " \t\r\n";

/// RFC 9110 §9.2.2.
bool idempotent(std::string_view method) {
  constexpr std::string_view kMethods[] = {"GET", "HEAD", "OPTIONS", "TRACE", "PUT", "DELETE"};
  return std::find(std::begin(kMethods), std::end(kMethods), method) != std::end(kMethods);
}

}  // namespace

std::optional<HttpEnd> HttpTransfer::refusal(const IpAddress& address) const {
  const auto why = made_.addresses->refusal(address, made_.hop.url.host);
  if (!why) return std::nullopt;
  return HttpEnd{.why = Why::kAddressRefused,
                 .message = fmt::format("{} is blocked: {}", made_.hop.url.host, *why)};
}

bool HttpTransfer::may_connect(const IpAddress& address) {
  auto refused = made_.proxy.empty() ? refusal(address) : std::nullopt;
  tried_ = tried_ || !refused;
  // A name may have several addresses: when one of them may be reached, it is what counts.
  if (tried_)
    fault_.reset();
  else
    fault_ = refused;
  return !refused;
}

bool HttpTransfer::may_send(const std::optional<IpAddress>& address) {
  if (made_.proxy.empty()) {
    if (!address) {
      fault_ = HttpEnd{.why = Why::kAddressRefused,
                       .message = "cannot tell which address it connected to"};
      return false;
    }
    if ((fault_ = refusal(*address))) return false;
  }
  // libcurl sends again when a kept connection turns out to be closed (RFC 9110 §9.2.2).
  if (sent_ > 0 && made_.replay == HttpRequest::Replay::kIdempotentMethods &&
      !idempotent(made_.hop.method)) {
    fault_ = HttpEnd{
        .why = Why::kConnectionLost,
        .message = made_.hop.url.host + " closed a kept connection after the request was sent"};
    return false;
  }
  fault_.reset();
  ++sent_;
  const MutexLock lock(mutex_);
  sent_at_ = std::chrono::steady_clock::now();
  return true;
}

HttpEnd::Reached HttpTransfer::reached() const {
  if (final_) return HttpEnd::Reached::kHead;
  return sent_ > 0 ? HttpEnd::Reached::kServer : HttpEnd::Reached::kNothing;
}

void HttpTransfer::touch() {
  if (!std::exchange(touched_, true) && list_ != nullptr) list_->push_back(this);
}

void HttpTransfer::announce() {
  touched_ = false;
  changed_.notify_all();
}

bool HttpTransfer::take_header(std::string_view line) {
  header_bytes_ += line.size();
  if (made_.limits.max_header_bytes != 0 && header_bytes_ > made_.limits.max_header_bytes) {
    const auto most = made_.limits.max_header_bytes;
    fault_ = HttpEnd{.why = Why::kTooLarge,
                     .message = fmt::format("the answer's headers have more than {} bytes", most)};
    return false;
  }
  if (final_) return true;  // a trailer
  if (line.starts_with("HTTP/")) {
    building_ = {};
    const auto space = line.find(' ');
    const auto digits =
        space == std::string_view::npos ? std::string_view() : line.substr(space + 1, 3);
    std::from_chars(digits.data(), digits.data() + digits.size(), building_.status);
    return true;
  }
  const auto text = trimmed(line, kBlanks);
  if (text.empty()) {
    end_header();
    return true;
  }
  if ((line.front() == ' ' || line.front() == '\t') && !building_.headers.empty()) {
    building_.headers.back().value += " " + std::string(text);  // RFC 9112 §5.2: obs-fold
    return true;
  }
  if (const auto colon = text.find(':'); colon != std::string_view::npos) {
    building_.headers.push_back({std::string(trimmed(text.substr(0, colon), kBlanks)),
                                 std::string(trimmed(text.substr(colon + 1), kBlanks))});
  }
  return true;
}

void HttpTransfer::end_header() {
  if (building_.status < 200) return;
  final_ = true;
  building_.url = made_.hop.url.text();
  const MutexLock lock(mutex_);
  head_ = std::move(building_);
}

bool HttpTransfer::take_body(std::string_view piece) {
  body_bytes_ += piece.size();
  if (made_.limits.max_body_bytes != 0 && body_bytes_ > made_.limits.max_body_bytes) {
    const auto most = made_.limits.max_body_bytes;
    fault_ = HttpEnd{.why = Why::kTooLarge,
                     .message = fmt::format("the answer has more than {} bytes", most)};
    return false;
  }
  const MutexLock lock(mutex_);
  body_.append(piece);
  return true;
}

bool HttpTransfer::hold_if_full() {
  const MutexLock lock(mutex_);
  if (held_ || body_.size() <= kBuffered) return false;
  held_ = true;
  return true;
}

void HttpTransfer::end(HttpEnd end) {
  if (end.why == Why::kComplete && !final_) {
    const auto host = made_.hop.url.origin();
    end = {.why = Why::kBadResponse,
           .message =
               fmt::format("{} closed the connection in the middle of the answer's header", host)};
  }
  end.reached = reached();
  {
    const MutexLock lock(mutex_);
    if (!end_) end_ = std::move(end);
  }
  announce();
}

}  // namespace toolway::tools::http
