#include "cli/bench/connections/followers.h"

#include <fmt/format.h>
#include <sys/epoll.h>
#include <unistd.h>

#include <algorithm>
#include <utility>

#include "base/text.h"
#include "base/try.h"
#include "cli/bench/connections/sockets.h"

namespace toolway::cli::bench::connections {

Followers::~Followers() {
  for (auto& stream : streams_)
    if (stream.fd >= 0) close(stream.fd);
}

Result<void> Followers::connect(const std::vector<std::string>& sessions) {
  for (const auto& session : sessions) {
    streams_.push_back({.fd = -1,
                        .session = session,
                        .events = {},
                        .gateway = streams_.size() % gateways_.size()});
    RETURN_IF_ERROR(connect(streams_.size() - 1));
  }
  return {};
}

void Followers::disconnect() {
  for (auto& stream : streams_) {
    if (stream.fd >= 0) close(stream.fd);
    stream.fd = -1;
  }
  broken_.clear();
}

Result<void> Followers::connect_again() {
  for (std::size_t i = 0; i < streams_.size(); ++i) RETURN_IF_ERROR(connect(i));
  return {};
}

std::size_t Followers::open() const {
  return static_cast<std::size_t>(std::count_if(
      streams_.begin(), streams_.end(), [](const Stream& stream) { return stream.events.open(); }));
}

Result<void> Followers::connect(std::size_t index) {
  auto& stream = streams_[index];
  auto fd = dial(gateways_[stream.gateway]);
  for (std::size_t others = 1; !fd && others < gateways_.size(); ++others) {
    stream.gateway = (stream.gateway + 1) % gateways_.size();
    fd = dial(gateways_[stream.gateway]);
  }
  RETURN_IF_ERROR(fd);
  stream.fd = *fd;
  std::string resume;
  if (!stream.events.last_id().empty())
    resume = "Last-Event-ID: " + stream.events.last_id() + "\r\n";
  // Broken before its first event: what came in between must not be missed.
  const bool from_first = stream.connected_before && stream.events.last_id().empty();
  stream.connected_before = true;
  stream.events.reset();
  epoll_event event{};
  event.events = EPOLLIN;
  event.data.u64 = tag_base_ + index;
  epoll_ctl(epoll_, EPOLL_CTL_ADD, stream.fd, &event);
  write_all(stream.fd, fmt::format("GET /v1/sessions/{}/events{} HTTP/1.1\r\nHost: {}\r\n"
                                   "{}Accept: text/event-stream\r\n{}\r\n",
                                   percent_encoded(stream.session), from_first ? "?after=0" : "",
                                   gateways_[stream.gateway].text(), caller_.line(index), resume));
  return {};
}

void Followers::drop() {
  reconnects_ += streams_.size();
  disconnect();
  for (std::size_t i = 0; i < streams_.size(); ++i) broken_.push_back(i);
}

void Followers::heal() {
  const auto broken = std::exchange(broken_, {});
  for (const auto index : broken)
    if (!connect(index)) broken_.push_back(index);
}

Result<void> Followers::read(std::size_t index, const OnEvent& handler) {
  auto& stream = streams_[index];
  scratch_.clear();
  const bool alive = receive(stream.fd, scratch_);
  const bool sound = stream.events.feed(scratch_, handler);
  if (alive && sound && !stream.events.ended()) return {};
  close(stream.fd);
  stream.fd = -1;
  if (++reconnects_ > streams_.size() * 100 + 100)
    return fail(ErrorCode::kBusUnavailable, "event streams keep breaking");
  stream.gateway = (stream.gateway + 1) % gateways_.size();
  if (!connect(index)) broken_.push_back(index);
  return {};
}

}  // namespace toolway::cli::bench::connections
