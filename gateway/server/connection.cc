#include "gateway/server/connection.h"

#include <fmt/compile.h>
#include <spdlog/spdlog.h>
#include <sys/socket.h>

#include <algorithm>
#include <cerrno>

#include "base/text.h"
#include "gateway/answers/held_answer.h"
#include "gateway/endpoints/face_error.h"
#include "gateway/server/request_view.h"
#include "gateway/server/server_span.h"

namespace toolway::gateway::server {
namespace {

using answers::kNotCounted;
using boost::system::error_code;
constexpr std::size_t kReadSize = 4096;
constexpr std::size_t kWriteSize = 64 * 1024;
/// How much of what a refused client keeps sending is read, so that it sees the answer: of a body
/// whose length it announced, or of anything else.
constexpr std::size_t kLingerBody = 8 * 1024 * 1024;
constexpr std::size_t kLinger = 32 * 1024;
/// How long a request that its client sent before it could know of our end may take to arrive.
constexpr std::chrono::milliseconds kLastRequest{500};
/// The last words of an event stream whose gateway ends: continue elsewhere, soon.
constexpr std::string_view kReconnect =
    "event: reconnect\nretry: 100\ndata: {\"reason\":\"draining\"}\n\n";
/// The same of one whose follower must say again who it is.
constexpr std::string_view kExpelled =
    "event: reconnect\nretry: 1000\ndata: {\"reason\":\"credential_ended\"}\n\n";
/// How often it is looked whether a follower's credential still counts.
constexpr std::chrono::seconds kCredentialLook{1};

}  // namespace

Connection::Connection(const ConnectionContext& context, loop::Socket socket,
                       asio::ip::address peer)
    : context_(context),
      socket_(std::move(socket)),
      peer_(std::move(peer)),
      trusted_(context.edge.trusted.holds(peer_)),
      reader_(context.edge.bounds),
      request_bytes_(context.request_bytes, wire::MemoryUse::kRequest),
      request_memory_(context.memory, wire::MemoryUse::kRequest) {
  error_code ignored;
  socket_.set_option(asio::ip::tcp::no_delay(true), ignored);
}

std::optional<MonotonicTime> Connection::idle_since() const {
  if (phase_ != Phase::kIdle || timed_out_ || !socket_.is_open()) return std::nullopt;
  return idle_since_;
}

void Connection::enter(Phase phase) {
  phase_ = phase;
  switch (phase) {
    case Phase::kIdle:
      idle_since_ = context_.clock.monotonic();
      deadline_ = idle_since_ + (draining_ ? kLastRequest : context_.idle_timeout);
      break;
    case Phase::kReading: deadline_ = context_.clock.monotonic() + context_.read_timeout; break;
    case Phase::kWriting: deadline_ = context_.clock.monotonic() + context_.write_timeout; break;
    case Phase::kAnswering: deadline_ = MonotonicTime::max(); break;
  }
}

void Connection::sweep(MonotonicTime now) {
  look_at_credential(now);
  if (now < deadline_ || timed_out_) return;
  timed_out_ = true;
  error_code ignored;
  if (phase_ == Phase::kWriting) {
    socket_.close(ignored);
  } else {
    socket_.cancel(ignored);
  }
}

void Connection::look_at_credential(MonotonicTime now) {
  if (events_ == nullptr || !credential_holds_ || now < next_look_) return;
  next_look_ = now + kCredentialLook;
  if (credential_holds_()) return;
  credential_holds_ = nullptr;
  expelled_ = true;
  events_->stop();
}

void Connection::drain() {
  draining_ = true;
  if (events_ != nullptr) events_->stop();
  if (wake_ != nullptr) wake_->cancel();
  if (phase_ == Phase::kIdle) enter(Phase::kIdle);
}

void Connection::close() {
  draining_ = gone_ = true;
  if (events_ != nullptr) events_->stop();
  if (wake_ != nullptr) wake_->cancel();
  error_code ignored;
  socket_.close(ignored);
}

void Connection::watch(loop::Timer& wake) {
  wake_ = &wake;
  auto readable = [self = shared_from_this()](error_code error) {
    if (error || self->wake_ == nullptr) return;
    char byte;
    const auto got = ::recv(self->socket_.native_handle(), &byte, 1, MSG_PEEK | MSG_DONTWAIT);
    // The next request is already there, or the client will send nothing more and still reads.
    if (got > 0 || (got == 0 && !self->closing_is_leaving_)) return;
    self->gone_ = true;
    self->wake_->cancel();
  };
  socket_.async_wait(loop::Socket::wait_read, std::move(readable));
}

void Connection::unwatch() {
  wake_ = nullptr;
  error_code ignored;
  socket_.cancel(ignored);
}

/// Whether there is room for what the reader holds. A small request always fits, and an idle
/// connection is small: neither takes room from others, and large ones cannot keep it out.
bool Connection::account() {
  const std::size_t bytes = reader_.held();
  return request_bytes_.try_resize(bytes > kNotCounted ? bytes : 0);
}

loop::Task<Connection::Read> Connection::read_request(wire::Problem& problem) {
  enter(reader_.waiting() > 0 ? Phase::kReading : Phase::kIdle);
  for (;;) {
    auto step = reader_.step();
    if (step == wire::RequestReader::Step::kHead) {
      step = reader_.step();
      const bool waits = step == wire::RequestReader::Step::kMore && reader_.head().version >= 11 &&
                         same_word(reader_.head().find("Expect").value_or(""), "100-continue");
      if (waits) {
        const bool written = co_await write_text("HTTP/1.1 100 Continue\r\n\r\n");
        if (!written) co_return Read::kEnd;
        enter(Phase::kReading);
      }
    }
    if (!account()) {
      problem.error = {
          ErrorCode::kOverloaded,
          "the requests in progress use all of this gateway's room for requests: send this one again"};
      co_return Read::kRefused;
    }
    if (!hold_request()) {
      problem = wire::memory_problem();
      co_return Read::kRefused;
    }
    if (step == wire::RequestReader::Step::kWhole) co_return Read::kRequest;
    if (step == wire::RequestReader::Step::kRefused) {
      problem = reader_.problem();
      co_return Read::kRefused;
    }
    if (phase_ == Phase::kIdle && reader_.begun()) enter(Phase::kReading);
    error_code error;
    auto token = asio::redirect_error(loop::use_task, error);
    const std::size_t got = co_await socket_.async_read_some(reader_.prepare(kReadSize), token);
    reader_.commit(got);
    if (timed_out_ && phase_ == Phase::kReading) {
      problem.error = {
          ErrorCode::kRequestTimeout,
          fmt::format("the request did not arrive within {} s", context_.read_timeout.count())};
      co_return Read::kRefused;
    }
    if (error) co_return Read::kEnd;
  }
}

wire::Request Connection::view() {
  wire::Request request =
      request_of(reader_, trusted_ ? wire::UserHeader::kTrusted : wire::UserHeader::kUntrusted);
  request.address = edge::address_key(peer_);
  request.watch = this;
  closing_is_leaving_ = false;
  return request;
}

loop::Task<void> Connection::run() {
  const auto self = shared_from_this();  // until the end
  bool more = true;
  while (more && socket_.is_open()) {
    wire::Problem problem;
    const Read read = co_await read_request(problem);
    if (read == Read::kEnd) break;
    if (read == Read::kRequest) {
      more = co_await answer();
      continue;
    }
    timed_out_ = false;
    const wire::Request request = view();
    wire::Response response = endpoints::refusal(problem, request);
    context_.requests.answered(wire::Route::kNone, response.status);
    response.headers += "x-request-id: " + request.request_id + "\r\n";
    const bool honest =
        (response.status == 413 || response.status == 503) && reader_.head().find("Content-Length");
    if (co_await write(response, false, false)) co_await linger(honest ? kLingerBody : kLinger);
    break;
  }
  error_code ignored;
  socket_.shutdown(loop::Socket::shutdown_both, ignored);
  socket_.close(ignored);
}

loop::Task<bool> Connection::answer() {
  enter(Phase::kAnswering);
  const auto begun = context_.clock.monotonic();
  wire::Request request = view();
  const RequestSpan span(context_.tracer, context_.clock, request);
  const bool head = request.method == "HEAD";
  const bool keep = reader_.keep_alive();
  const bool chunked = reader_.head().version >= 11;
  wire::Route route = wire::Route::kNone;
  context_.in_flight.add(1);
  wire::Response response = co_await endpoints::handle(context_.endpoints, request, route);
  // What was done is not refused for the length of its answer.
  const bool reads = head || request.method == "GET";
  const auto sent = reads ? answers::Sent::kIfThereIsRoom : answers::Sent::kAlways;
  if (!answers::hold_answer(context_.memory, response, sent))
    response = endpoints::refusal(wire::memory_problem(), request);
  context_.in_flight.add(-1);
  context_.requests.answered(route, response.status);
  span.answered(request, route, response.status);
  response.headers += "x-request-id: " + request.request_id + "\r\n";
  if (response.events && !head) {
    const auto events = std::move(response.events);
    credential_holds_ = std::move(response.credential_holds);
    expelled_ = false;
    reader_.next();  // a follower may stay for days
    account();
    request_memory_.resize(0);
    response.headers += chunked ? "transfer-encoding: chunked\r\n" : "";
    std::string text =
        fmt::format("HTTP/1.1 200 OK\r\ncontent-type: {}\r\n{}{}\r\n", response.content_type,
                    response.headers, keep && chunked ? "" : "connection: close\r\n");
    const bool written = co_await write_text(text);
    text = std::string();
    const bool whole = written && co_await write_events(*events, chunked);
    co_return whole&& keep&& chunked && !draining_;
  }
  // A probe's trace has no span that an exemplar could lead to.
  context_.requests.took(route, context_.clock.monotonic() - begun,
                         wire::is_about_us(route) ? TraceContext() : request.trace);
  const bool keep_alive = keep && !draining_;
  co_return co_await write(response, keep_alive, head) && keep_alive;
}

loop::Task<bool> Connection::write(const wire::Response& response, bool keep_alive, bool head) {
  std::string text;
  text.reserve(256 + response.headers.size());
  fmt::format_to(std::back_inserter(text), FMT_COMPILE("HTTP/1.1 {} {}\r\n"), response.status,
                 wire::reason_of(response.status));
  if (response.status != 304 && response.status != 204) {
    if (!response.content_type.empty())
      fmt::format_to(std::back_inserter(text), FMT_COMPILE("content-type: {}\r\n"),
                     response.content_type);
    fmt::format_to(std::back_inserter(text), FMT_COMPILE("content-length: {}\r\n"),
                   response.stream ? response.length : response.body.size());
  }
  text.append(response.headers).append(keep_alive ? "\r\n" : "connection: close\r\n\r\n");
  reader_.next();
  account();
  request_memory_.resize(0);
  // One write for a small body, and no copy of a large one.
  const bool together = response.body.size() <= kWriteSize;
  if (!head && together) text += response.body;
  if (!co_await write_text(text)) co_return false;
  if (head) co_return true;
  if (!together && !co_await write_text(response.body)) co_return false;
  if (!response.stream) co_return true;
  co_return co_await write_stream(*response.stream);
}

bool Connection::hold_request() {
  // The body, the arguments in it, and the message made of them.
  constexpr std::size_t kCopies = 4;
  const std::size_t bytes = reader_.held() + reader_.body().size() * (kCopies - 1);
  return request_memory_.try_resize(bytes > kNotCounted ? bytes : 0);
}

loop::Task<bool> Connection::write_stream(wire::BodyStream& stream) {
  for (;;) {
    const auto piece = co_await stream.next();
    if (!piece) {
      spdlog::warn("the body of an answer was cut short: {}", piece.error().message);
      co_return false;
    }
    if (piece->empty()) co_return true;
    // A little at a time: a slow reader has the write time-out for each piece.
    for (std::size_t at = 0; at < piece->size(); at += kWriteSize) {
      const auto part = std::string_view(*piece).substr(at, kWriteSize);
      if (gone_ || !co_await write_text(part)) co_return false;
    }
  }
}

loop::Task<bool> Connection::write_text(std::string_view text) {
  enter(Phase::kWriting);
  error_code error;
  while (!text.empty() && !error) {
    // Not async_write: Asio writes to all sockets that have become writable, 128 at once, in one
    // turn. That of one takes up to 0.2 ms.
    const auto sent = ::send(socket_.native_handle(), text.data(),
                             std::min(text.size(), kWriteSize), MSG_DONTWAIT | MSG_NOSIGNAL);
    if (sent >= 0) {
      text.remove_prefix(static_cast<std::size_t>(sent));
      co_await asio::post(socket_.get_executor(), loop::use_task);
    } else if (errno == EAGAIN) {
      auto token = asio::redirect_error(loop::use_task, error);
      co_await socket_.async_wait(loop::Socket::wait_write, token);
    } else if (errno != EINTR) {
      error.assign(errno, boost::system::system_category());
    }
  }
  enter(Phase::kAnswering);
  co_return !error;
}

void Connection::watch_follower() {
  auto readable = [self = shared_from_this()](error_code error) {
    if (error || self->events_ == nullptr) return;
    char byte;
    const auto got = ::recv(self->socket_.native_handle(), &byte, 1, MSG_PEEK | MSG_DONTWAIT);
    if (got > 0) return;  // the next request waits its turn
    self->gone_ = true;
    self->events_->stop();
  };
  socket_.async_wait(loop::Socket::wait_read, std::move(readable));
}

loop::Task<bool> Connection::write_events(wire::EventStream& events, bool chunked) {
  context_.followers.add(1);
  events_ = &events;
  if (draining_) events.stop();
  watch_follower();
  bool written = true;
  while (written) {
    std::string out;
    const wire::EventStream::Turn turn = co_await events.next(out);
    if (gone_) {
      written = false;
      break;
    }
    if (turn == wire::EventStream::Turn::kQuiet) out = ": still here\n\n";
    if (turn == wire::EventStream::Turn::kEnded) out = ": end\n\n";
    if (turn == wire::EventStream::Turn::kStopped) out = expelled_ ? kExpelled : kReconnect;
    const bool last =
        turn == wire::EventStream::Turn::kEnded || turn == wire::EventStream::Turn::kStopped;
    if (chunked) {
      out.insert(0, fmt::format("{:x}\r\n", out.size()));
      out += last ? "\r\n0\r\n\r\n" : "\r\n";
    }
    written = co_await write_text(out);
    if (last) break;
  }
  events_ = nullptr;
  credential_holds_ = nullptr;
  error_code ignored;
  socket_.cancel(ignored);
  context_.followers.add(-1);
  if (!written && !draining_ && !timed_out_) co_await events.left();
  co_return written;
}

loop::Task<void> Connection::linger(std::size_t most) {
  // If it were closed with unread bytes, the kernel would send a reset, and the client would lose
  // our answer.
  error_code error;
  socket_.shutdown(loop::Socket::shutdown_send, error);
  deadline_ = context_.clock.monotonic() + std::chrono::seconds(2);
  phase_ = Phase::kWriting;  // closed when past the deadline
  reader_.drop_waiting();
  for (std::size_t taken = 0; !error && taken < most;) {
    auto token = asio::redirect_error(loop::use_task, error);
    taken += co_await socket_.async_read_some(reader_.prepare(kReadSize), token);
  }
}

}  // namespace toolway::gateway::server
