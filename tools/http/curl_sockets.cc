#include "tools/http/curl_sockets.h"

#include <sys/epoll.h>
#include <sys/timerfd.h>
#include <unistd.h>

#include <array>
#include <cerrno>

namespace toolway::tools::http {
namespace {

constexpr std::size_t kAtOnce = 64;
constexpr long kMsPerSecond = 1000;
constexpr long kNsPerMs = 1'000'000;
/// libcurl 8.14 wants to act at once, again and again, while a transfer is paused. This often it
/// may, and then after this time each.
constexpr unsigned kMaxAtOnce = 32;
constexpr long kNextMs = 5;

}  // namespace

CurlSockets::CurlSockets()
    : epoll_(epoll_create1(EPOLL_CLOEXEC)),
      timer_(timerfd_create(CLOCK_MONOTONIC, TFD_CLOEXEC | TFD_NONBLOCK)),
      multi_(curl_multi_init()) {
  if (!*this) return;
  curl_multi_setopt(multi(), CURLMOPT_SOCKETFUNCTION, &on_socket);
  curl_multi_setopt(multi(), CURLMOPT_SOCKETDATA, this);
  curl_multi_setopt(multi(), CURLMOPT_TIMERFUNCTION, &on_timer);
  curl_multi_setopt(multi(), CURLMOPT_TIMERDATA, this);
  watch(EPOLL_CTL_ADD, wake_.get(), EPOLLIN);
  watch(EPOLL_CTL_ADD, timer_.get(), EPOLLIN);
}

void CurlSockets::turn(std::chrono::milliseconds longest) {
  std::array<epoll_event, kAtOnce> events;
  const int count =
      epoll_wait(epoll_.get(), events.data(), kAtOnce, static_cast<int>(longest.count()));
  for (int i = 0; i < count; ++i) {
    const auto& event = events[static_cast<std::size_t>(i)];
    take(event.data.fd, event.events);
  }
}

void CurlSockets::take(int file, std::uint32_t events) {
  if (file != timer_.get()) at_once_ = 0;
  if (file == wake_.get()) return wake_.clear();
  if (file == timer_.get()) {
    std::uint64_t times = 0;
    // Nothing to read: libcurl has set it again since.
    if (read(file, &times, sizeof times) > 0) act(CURL_SOCKET_TIMEOUT, 0);
    return;
  }
  // An error is neither: libcurl looks at the socket itself then.
  act(file, ((events & EPOLLIN) != 0 ? CURL_CSELECT_IN : 0) |
                ((events & EPOLLOUT) != 0 ? CURL_CSELECT_OUT : 0));
}

void CurlSockets::act(curl_socket_t socket, int events) const {
  int running = 0;
  curl_multi_socket_action(multi(), socket, events, &running);
}

int CurlSockets::on_socket(CURL*, curl_socket_t socket, int what, void* self, void*) {
  const auto& sockets = *static_cast<CurlSockets*>(self);
  if (what == CURL_POLL_REMOVE) {
    sockets.watch(EPOLL_CTL_DEL, socket, 0);
    return 0;
  }
  const std::uint32_t events =
      ((what & CURL_POLL_IN) != 0 ? EPOLLIN : 0U) | ((what & CURL_POLL_OUT) != 0 ? EPOLLOUT : 0U);
  sockets.watch(EPOLL_CTL_MOD, socket, events);
  return 0;
}

int CurlSockets::on_timer(CURLM*, long in_ms, void* self) {
  auto& sockets = *static_cast<CurlSockets*>(self);
  if (in_ms != 0) sockets.at_once_ = 0;
  if (in_ms == 0 && ++sockets.at_once_ > kMaxAtOnce) in_ms = kNextMs;
  itimerspec at{};  // all zero: never
  if (in_ms > 0) {
    at.it_value.tv_sec = in_ms / kMsPerSecond;
    at.it_value.tv_nsec = in_ms % kMsPerSecond * kNsPerMs;
  } else if (in_ms == 0) {
    at.it_value.tv_nsec = 1;
  }
  timerfd_settime(sockets.timer_.get(), 0, &at, nullptr);
  return 0;
}

/// A socket that is not watched yet is added. Where the system has no memory for that, its transfer
/// ends by its limits.
void CurlSockets::watch(int operation, int file, std::uint32_t events) const {
  epoll_event event{};
  event.events = events;
  event.data.fd = file;
  if (epoll_ctl(epoll_.get(), operation, file, &event) != 0 && operation == EPOLL_CTL_MOD &&
      errno == ENOENT)
    epoll_ctl(epoll_.get(), EPOLL_CTL_ADD, file, &event);
}

}  // namespace toolway::tools::http
