#include "bus/request_mux.h"

#include <fmt/format.h>

#include <charconv>
#include <random>

#include "base/contained.h"
#include "base/mutex.h"
#include "base/try.h"

namespace toolway::bus {
namespace {

constexpr std::chrono::milliseconds kTickInterval{500};
/// When to try again what there was no memory for.
constexpr std::chrono::milliseconds kWithoutMemory{50};
constexpr std::string_view kAsk = "ask.";
constexpr const char* kClosing = "the bus is being closed";

/// Even, from the system's generator.
std::uint64_t random_token() {
  std::random_device device;
  return (std::uint64_t{device()} << 32 | device()) & ~std::uint64_t{1};
}

}  // namespace

Result<std::unique_ptr<RequestMux>> RequestMux::create(NatsConnection& connection,
                                                       Options options) {
  std::unique_ptr<RequestMux> mux(new RequestMux(connection, options));
  auto replies = connection.subscribe(mux->inbox_ + ">", [self = mux.get()](NatsMessage message) {
    self->answered(std::move(message));
  });
  RETURN_IF_ERROR(replies);
  mux->replies_ = std::move(*replies);
  mux->changes_ = connection.on_change([self = mux.get()](Connection state) {
    if (state == Connection::kDisconnected) {
      self->fail_all(ErrorCode::kTimeout, "the connection to NATS was lost before the answer");
    }
  });
  mux->thread_ = std::thread([self = mux.get()] { self->run(); });
  return mux;
}

RequestMux::RequestMux(NatsConnection& connection, Options options)
    : connection_(connection), options_(options), inbox_(connection.new_inbox() + ".") {}

void RequestMux::close() {
  changes_.reset();
  replies_.reset();
  {
    const MutexLock lock(mutex_);
    ending_ = true;
  }
  wake_.notify_all();
  if (thread_.joinable()) thread_.join();
  while (fail_all(ErrorCode::kShuttingDown, kClosing)) {
  }
}

std::chrono::milliseconds RequestMux::timeout(Class kind) const {
  switch (kind) {
    case Class::kPublish: return options_.publish_timeout;
    case Class::kRead: return options_.read_timeout;
    case Class::kQuestion: return options_.question_timeout;
  }
  return options_.read_timeout;
}

std::string RequestMux::reply_subject(Class kind, std::uint64_t token) const {
  return fmt::format("{}{}{}", inbox_, kind == Class::kQuestion ? kAsk : "", token);
}

void RequestMux::request(Class kind, const std::string& subject, std::string_view payload,
                         const std::vector<NatsHeader>& headers, Handler handler) {
  std::uint64_t token = 0;
  std::string reply;
  {
    const MutexLock lock(mutex_);
    if (ending_) {
      refused_.emplace_back(std::move(handler), Error{ErrorCode::kShuttingDown, kClosing});
      return;
    }
    if (kind == Class::kPublish && publishes_ >= options_.max_publishes) {
      refused_.emplace_back(
          std::move(handler),
          Error{ErrorCode::kOverloaded,
                fmt::format("{} publications are already waiting for an answer", publishes_)});
      wake_.notify_all();
      return;
    }
    if (kind == Class::kQuestion) {
      do token = random_token();
      while (open_.contains(token));
    } else {
      token = last_token_ += 2;
    }
    reply = reply_subject(kind, token);
    // The handler last: whichever of these has no memory, it was not taken.
    auto& queue = deadlines_[static_cast<std::size_t>(kind)];
    const bool first = queue.empty();
    queue.push_back({std::chrono::steady_clock::now() + timeout(kind), token});
    if (first) wake_.notify_all();
    open_.emplace(token, Open{kind, std::move(handler)});
    if (kind == Class::kPublish) ++publishes_;
  }
  // What cannot be sent for want of memory runs into its timeout.
  contained("a request over NATS", [&] {
    auto sent = connection_.publish(subject, reply, payload, headers);
    if (sent) return;
    const MutexLock lock(mutex_);
    const auto found = open_.find(token);
    if (found == open_.end()) return;  // the connection was lost first
    refused_.emplace_back(std::move(found->second.handler), std::move(sent.error()));
    if (kind == Class::kPublish) --publishes_;
    open_.erase(found);
    wake_.notify_all();
  });
}

void RequestMux::every_tick(std::function<void()> task) {
  const MutexLock lock(mutex_);
  tick_ = std::move(task);
  wake_.notify_all();
}

void RequestMux::answered(NatsMessage message) {
  auto rest = message.subject().substr(inbox_.size());
  const bool asked = rest.starts_with(kAsk);
  if (asked) rest.remove_prefix(kAsk.size());
  std::uint64_t token = 0;
  std::from_chars(rest.data(), rest.data() + rest.size(), token);
  // Before its handler is taken: should there be no memory, the request runs into its timeout.
  const bool silent = message.status() == "503";
  Error unanswered{};
  if (silent) {
    unanswered =
        asked ? Error{ErrorCode::kNotFound, "no process answers on this subject"}
              : Error{ErrorCode::kBusUnavailable, "JetStream does not answer (no responders)"};
  }
  Handler handler;
  {
    const MutexLock lock(mutex_);
    const auto found = open_.find(token);
    if (found == open_.end()) return;                               // answered too late
    if (asked != (found->second.kind == Class::kQuestion)) return;  // answered on the wrong subject
    if (found->second.kind == Class::kPublish) --publishes_;
    handler = std::move(found->second.handler);
    open_.erase(found);
  }
  if (silent) return handler(fail(std::move(unanswered)));
  handler(std::move(message));
}

bool RequestMux::fail_all(ErrorCode code, const std::string& message) {
  std::unordered_map<std::uint64_t, Open> open;
  std::deque<std::pair<Handler, Error>> refused;
  {
    const MutexLock lock(mutex_);
    open.swap(open_);
    refused.swap(refused_);
    publishes_ = 0;
    for (auto& queue : deadlines_) queue.clear();
  }
  for (auto& [handler, error] : refused)
    contained("an answer",
              [&, &handler = handler, &error = error] { handler(fail(std::move(error))); });
  for (auto& [token, request] : open) {
    Error error{code, {}};
    contained("the text of an error", [&] { error.message = message; });
    contained("an answer", [&, &request = request] { request.handler(fail(std::move(error))); });
  }
  return !refused.empty() || !open.empty();
}

MonotonicTime RequestMux::expire(MonotonicTime now) {
  MonotonicTime soonest = MonotonicTime::max();
  for (auto& queue : deadlines_) {
    while (!queue.empty()) {
      const auto found = open_.find(queue.front().token);
      if (found != open_.end() && queue.front().when > now) break;
      if (found != open_.end()) {
        Error error{ErrorCode::kTimeout,
                    fmt::format("no answer within {} ms", timeout(found->second.kind).count())};
        refused_.emplace_back(std::move(found->second.handler), std::move(error));
        if (found->second.kind == Class::kPublish) --publishes_;
        open_.erase(found);
      }
      queue.pop_front();
    }
    if (!queue.empty()) soonest = std::min(soonest, queue.front().when);
  }
  return soonest;
}

void RequestMux::run() {
  MutexLock lock(mutex_);
  MonotonicTime next_tick = std::chrono::steady_clock::now() + kTickInterval;
  while (!ending_) {
    const MonotonicTime now = std::chrono::steady_clock::now();
    MonotonicTime soonest = now + kWithoutMemory;
    contained("what has expired", [&]() REQUIRES(mutex_) { soonest = expire(now); });
    if (tick_) soonest = std::min(soonest, next_tick);
    const bool ticks = tick_ && now >= next_tick;
    if (!refused_.empty()) {
      auto first = std::move(refused_.front());
      refused_.pop_front();
      lock.unlock();
      contained("an answer", [&] { first.first(fail(std::move(first.second))); });
      first.first = nullptr;
      lock.lock();
    } else if (ticks) {
      const auto tick = tick_;
      lock.unlock();
      contained("a tick of the bus", tick);
      next_tick = std::chrono::steady_clock::now() + kTickInterval;
      lock.lock();
    } else if (soonest == MonotonicTime::max()) {
      wake_.wait(lock);
    } else {
      wake_.wait_until(lock, soonest);
    }
  }
}

}  // namespace toolway::bus
