#include "cli/bench/connections/exchange.h"

#include <fmt/format.h>
#include <poll.h>
#include <unistd.h>

#include <atomic>
#include <thread>

#include "base/mutex.h"
#include "base/try.h"
#include "cli/bench/connections/sockets.h"

namespace toolway::cli::bench::connections {

Result<Exchange> Exchange::create(const process::HostPort& where) {
  ASSIGN_OR_RETURN(auto fd, dial(where));
  return Exchange(fd);
}

Exchange::~Exchange() {
  if (fd_ >= 0) close(fd_);
}

Result<WireAnswer> Exchange::ask(const std::string& request) {
  constexpr int kAnswerTimeoutMs = 30'000;
  in_.erase(0, taken_);
  taken_ = 0;
  if (!write_all(fd_, request))
    return fail(ErrorCode::kBusUnavailable, "the gateway closed the connection");
  for (;;) {
    const auto answer = parse_answer(in_);
    if (answer.size != 0) {
      taken_ = answer.size;
      return answer;
    }
    pollfd ready{.fd = fd_, .events = POLLIN, .revents = 0};
    if (::poll(&ready, 1, kAnswerTimeoutMs) <= 0)
      return fail(ErrorCode::kTimeout, "no answer for 30 s");
    if (!receive(fd_, in_))
      return fail(ErrorCode::kBusUnavailable, "the gateway closed the connection");
  }
}

std::string json_head(const process::HostPort& where) {
  return "Host: " + where.text() + "\r\nContent-Type: application/json\r\n";
}

std::string bytes_of(const WireRequest& request, const process::HostPort& where,
                     const Caller& caller, std::size_t number) {
  return fmt::format("{} {} HTTP/1.1\r\n{}{}{}Content-Length: {}\r\n\r\n{}", request.method,
                     request.path, json_head(where), caller.line(number), request.headers,
                     request.body.size(), request.body);
}

Result<void> ask_all(const process::HostPort& where, std::size_t count,
                     const std::function<std::string(std::size_t)>& request) {
  constexpr unsigned kConnections = 16;
  std::atomic<std::size_t> next{0};
  Mutex mutex;
  Result<void> result;  // under the mutex
  const auto spoil = [&](Error error) {
    const MutexLock lock(mutex);
    if (result) result = fail(std::move(error));
    next = count;
  };
  {
    std::vector<std::jthread> threads;
    for (unsigned i = 0; i < kConnections; ++i) {
      threads.emplace_back([&] {
        auto exchange = Exchange::create(where);
        if (!exchange) return spoil(exchange.error());
        for (std::size_t number = next++; number < count; number = next++) {
          const auto answer = exchange->ask(request(number));
          if (!answer) return spoil(answer.error());
          if (answer->status < 200 || answer->status > 299)
            return spoil({ErrorCode::kInvalidRequest,
                          fmt::format("HTTP {}: {}", answer->status, answer->body),
                          {}});
        }
      });
    }
  }
  return result;
}

}  // namespace toolway::cli::bench::connections
