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
constexpr const char* kClosing = "the bus is being closed";

/// Of a question, from the system's generator: never the same one twice, and no count.
std::uint64_t random_token() {
  std::random_device device;
  return std::uint64_t{1} << 63 | std::uint64_t{device()} << 32 | device();
}

MonotonicTime now() { return std::chrono::steady_clock::now(); }

Error unserved(RequestMux::Class kind) {
  if (kind == RequestMux::Class::kQuestion)
    return {ErrorCode::kNotFound, "no process answers on this subject"};
  return {ErrorCode::kBusUnavailable, "JetStream does not answer (no responders)"};
}

}  // namespace

Result<std::unique_ptr<RequestMux>> RequestMux::create(NatsConnection& connection,
                                                       Options options) {
  std::unique_ptr<RequestMux> mux(new RequestMux(connection, options));
  ASSIGN_OR_RETURN(mux->acks_, mux->receive(Class::kPublish, mux->inbox_ + "ack.*"));
  ASSIGN_OR_RETURN(mux->reads_, mux->receive(Class::kRead, mux->inbox_ + "read.*"));
  mux->changes_ = connection.on_change([self = mux.get()](Connection state) {
    if (state == Connection::kDisconnected) {
      self->fail_all(ErrorCode::kTimeout, "the connection to NATS was lost before the answer");
    }
  });
  return mux;
}

RequestMux::RequestMux(NatsConnection& connection, Options options)
    : connection_(connection),
      options_(options),
      inbox_(connection.new_inbox() + "."),
      look_(connection.loop(), [this] { look(); }),
      tick_(connection.loop(), [this] { tick(); }) {}

Result<std::unique_ptr<Subscription>> RequestMux::receive(Class kind, const std::string& subject,
                                                          std::uint64_t token) {
  return connection_.subscribe(subject, [this, kind, token](NatsMessage message) {
    received(kind, token, std::move(message));
  });
}

void RequestMux::close() {
  changes_.reset();
  acks_.reset();
  reads_.reset();
  tick_.stop();
  look_.stop();
  {
    const MutexLock lock(mutex_);
    ending_ = true;
  }
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
  constexpr std::array kParts{"ack", "read", "ask"};
  return fmt::format("{}{}.{}", inbox_, kParts[static_cast<std::size_t>(kind)], token);
}

void RequestMux::request(Class kind, const std::string& subject, std::string_view payload,
                         const std::vector<NatsHeader>& headers, Handler handler) {
  Open request{kind, std::move(handler), nullptr};
  std::uint64_t token = 0;
  std::string reply;
  if (kind == Class::kQuestion) {
    token = random_token();
    reply = reply_subject(kind, token);
    if (!connection_.connected())
      return refuse(std::move(request), {ErrorCode::kBusUnavailable, "not connected to NATS"});
    auto answers = receive(kind, reply, token);
    if (!answers) return refuse(std::move(request), std::move(answers.error()));
    request.answers = std::move(*answers);
  }
  std::optional<Error> refused;
  {
    const MutexLock lock(mutex_);
    if (ending_) {
      refused = Error{ErrorCode::kShuttingDown, kClosing};
    } else if (kind == Class::kPublish && counts_[0] >= options_.max_publishes) {
      refused = Error{ErrorCode::kOverloaded,
                      fmt::format("{} publications are already waiting for an answer", counts_[0])};
    } else {
      if (kind != Class::kQuestion) {
        token = ++last_token_;
        reply = reply_subject(kind, token);
      }
      // The request last: whichever of these has no memory, it was not taken.
      const Deadline deadline{now() + timeout(kind), token};
      deadlines_[static_cast<std::size_t>(kind)].push_back(deadline);
      if (deadline.when < next_look_) look_.set(next_look_ = deadline.when);
      open_.emplace(token, std::move(request));
      ++counts_[static_cast<std::size_t>(kind)];
    }
  }
  if (refused) return refuse(std::move(request), std::move(*refused));
  // What cannot be sent for want of memory runs into its timeout.
  contained("a request over NATS", [&] {
    auto sent = connection_.publish(subject, reply, payload, headers);
    if (sent) return;
    std::optional<Open> open;
    {
      const MutexLock lock(mutex_);
      open = take(token);
    }
    // None: the connection was lost first.
    if (open) refuse(std::move(*open), std::move(sent.error()));
  });
}

void RequestMux::refuse(Open request, Error error) {
  const MutexLock lock(mutex_);
  refused_.push_back({std::move(request), std::move(error)});
  look_.set(next_look_ = MonotonicTime::min());
}

void RequestMux::every_tick(std::function<void()> task) {
  {
    const MutexLock lock(mutex_);
    task_ = std::move(task);
  }
  tick_.set(now() + kTickInterval);
}

void RequestMux::tick() {
  tick_.set(now() + kTickInterval);
  std::function<void()> task;
  {
    const MutexLock lock(mutex_);
    task = task_;
  }
  if (task) task();
}

std::optional<RequestMux::Open> RequestMux::take(std::uint64_t token) {
  const auto found = open_.find(token);
  if (found == open_.end()) return std::nullopt;
  std::optional<Open> open(std::move(found->second));
  open_.erase(found);
  --counts_[static_cast<std::size_t>(open->kind)];
  return open;
}

std::optional<RequestMux::Open> RequestMux::take_oldest(Class kind) {
  for (const Deadline& deadline : deadlines_[static_cast<std::size_t>(kind)]) {
    if (auto open = take(deadline.token)) return open;
  }
  return std::nullopt;
}

void RequestMux::received(Class kind, std::uint64_t token, NatsMessage message) {
  const auto subject = message.subject();
  const bool served = !subject.empty();
  if (kind != Class::kQuestion && served) {
    const auto name = subject.substr(subject.rfind('.') + 1);
    std::from_chars(name.data(), name.data() + name.size(), token);
  }
  // Before the request is taken: should there be no memory, it runs into its timeout.
  Error error{};
  if (!served) error = unserved(kind);
  std::optional<Open> open;
  {
    const MutexLock lock(mutex_);
    // It may be about another publication, which then finds no answer, and this one may be stored.
    if (!served && kind == Class::kPublish && counts_[0] > 1) error.code = ErrorCode::kTimeout;
    open = served || kind == Class::kQuestion ? take(token) : take_oldest(kind);
  }
  if (!open) return;  // answered too late
  if (served) return open->handler(std::move(message));
  open->handler(fail(std::move(error)));
}

void RequestMux::tell(std::vector<Refused> refused) {
  for (auto& [request, error] : refused)
    contained("an answer",
              [&, &request = request, &error = error] { request.handler(fail(std::move(error))); });
}

bool RequestMux::fail_all(ErrorCode code, const std::string& message) {
  std::unordered_map<std::uint64_t, Open> open;
  std::vector<Refused> refused;
  {
    const MutexLock lock(mutex_);
    open.swap(open_);
    refused.swap(refused_);
    counts_ = {};
    for (auto& queue : deadlines_) queue.clear();
  }
  const bool any = !refused.empty() || !open.empty();
  tell(std::move(refused));
  for (auto& [token, request] : open) {
    Error error{code, {}};
    contained("the text of an error", [&] { error.message = message; });
    contained("an answer", [&, &request = request] { request.handler(fail(std::move(error))); });
  }
  return any;
}

MonotonicTime RequestMux::expire(MonotonicTime now) {
  MonotonicTime soonest = MonotonicTime::max();
  for (auto& queue : deadlines_) {
    while (!queue.empty()) {
      const auto found = open_.find(queue.front().token);
      if (found != open_.end()) {
        if (queue.front().when > now) break;
        Error error{ErrorCode::kTimeout, fmt::format("NATS did not answer within {} ms",
                                                     timeout(found->second.kind).count())};
        refused_.emplace_back();
        refused_.back() = {std::move(*take(queue.front().token)), std::move(error)};
      }
      queue.pop_front();
    }
    if (!queue.empty()) soonest = std::min(soonest, queue.front().when);
  }
  return soonest;
}

void RequestMux::look() {
  std::vector<Refused> refused;
  {
    const MutexLock lock(mutex_);
    const MonotonicTime at = now();
    next_look_ = at + kWithoutMemory;
    contained("what has expired", [&]() REQUIRES(mutex_) { next_look_ = expire(at); });
    look_.set(next_look_);
    refused.swap(refused_);
  }
  tell(std::move(refused));
}

}  // namespace toolway::bus
