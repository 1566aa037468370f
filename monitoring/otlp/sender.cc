#include "monitoring/otlp/sender.h"

#include <fmt/format.h>
#include <spdlog/spdlog.h>

#include "base/ids.h"

namespace toolway::monitoring::otlp {
namespace {

constexpr std::size_t kMaxAnswer = 64 * 1024;

std::minstd_rand seeded() {
  std::minstd_rand::result_type seed = 0;
  random_bytes(&seed, sizeof seed);
  return std::minstd_rand(seed);
}

/// All requests, except for path and body.
net::HttpRequest request_of(const OtlpOptions& options) {
  net::HttpRequest request{.headers = {"Content-Type: application/json"},
                           .user_agent = "OTel-OTLP-Exporter-Toolway/" TOOLWAY_VERSION,
                           .ca_file = options.ca_file,
                           .connect_timeout = options.request_timeout,
                           .timeout = options.request_timeout,
                           .max_bytes = kMaxAnswer,
                           .beyond = net::HttpRequest::Beyond::kDiscard};  // the status is enough
  for (const auto& [name, value] : options.headers) request.headers.push_back(name + ": " + value);
  return request;
}

}  // namespace

Sender::Sender(const OtlpOptions& options, const Cutoff& cutoff)
    : endpoint_(options.endpoint),
      retries_(options.retries),
      cutoff_(cutoff),
      request_(request_of(options)),
      chance_(seeded()) {}

OtlpAnswer Sender::try_once(const std::string& path, const std::string& body, std::string& why) {
  request_.url = endpoint_ + path;
  request_.body = body;
  auto answer = http_.send(request_, [this] { return cutoff_.passed(); });
  if (!answer) {
    why = answer.error().message;
    return {};
  }
  why = fmt::format("status {}", answer->status);
  return std::move(*answer);
}

OtlpAnswer Sender::send(const std::string& path, const std::string& body) {
  using Clock = std::chrono::steady_clock;
  const auto give_up = Clock::now() + retries_.total;
  std::uniform_real_distribution<double> chance(0, 1);
  for (unsigned failures = 1;; ++failures) {
    std::string why;
    OtlpAnswer answer = try_once(path, body, why);
    const Reception verdict = judge(answer);
    say(verdict, path, why);
    if (verdict != Reception::kTryAgain) return answer;
    const auto next =
        Clock::now() + pause_before_retry(retries_, answer, failures, chance(chance_));
    if (next >= give_up || !cutoff_.sleep_until(next)) return answer;
  }
}

bool Sender::send_once(const std::string& path, const std::string& body) {
  std::string why;
  const Reception verdict = judge(try_once(path, body, why));
  say(verdict, path, why);
  return verdict == Reception::kTaken;
}

void Sender::say(Reception verdict, const std::string& path, const std::string& why) {
  if (verdict == Reception::kTaken) {
    if (failing_.erase(path) > 0) spdlog::info("{}{} accepts our telemetry again", endpoint_, path);
  } else if (failing_.insert(path).second) {
    spdlog::warn("{}{} does not accept our telemetry: {}", endpoint_, path, why);
  }
}

}  // namespace toolway::monitoring::otlp
