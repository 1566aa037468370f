#include "cli/bench/chat/turn_streams.h"

#include <poll.h>
#include <unistd.h>

#include <utility>

#include "base/json.h"
#include "base/try.h"
#include "cli/bench/connections/exchange.h"
#include "cli/bench/connections/sockets.h"
#include "cli/bench/figures/load_record.h"

namespace toolway::cli::bench::chat {
namespace {

/// So long until the next one begins; each streams until after the last has begun.
constexpr std::chrono::milliseconds kBeginInterval{10};
constexpr std::chrono::seconds kTimeout{60};

/// A turn as its client follows it.
class TurnStream {
 public:
  static Result<TurnStream> begin(const ChatTarget& target, const std::string& session,
                                  std::string content) {
    ASSIGN_OR_RETURN(const int fd, connections::dial(target.where));
    TurnStream stream(fd, std::move(content));
    if (!connections::write_all(
            fd, message_request(target, session, stream.content_, "Accept: text/event-stream\r\n")))
      return fail(ErrorCode::kBusUnavailable, "the gateway closed a connection");
    return stream;
  }
  TurnStream(TurnStream&& other) noexcept
      : fd_(std::exchange(other.fd_, -1)),
        content_(std::move(other.content_)),
        events_(std::move(other.events_)) {}
  TurnStream& operator=(TurnStream&&) = delete;
  ~TurnStream() {
    if (fd_ >= 0) close(fd_);
  }

  int fd() const { return fd_; }
  bool ended() const { return ended_; }
  const std::string& content() const { return content_; }
  std::optional<Steady::time_point> first_text() const { return first_text_; }
  bool has_every_word() const { return shown_ == streamed_text(); }

  void read() {
    std::string in;
    const bool there = connections::receive(fd_, in);
    const auto now = Steady::now();
    const bool stream = events_.feed(in, [&](const connections::WireEvents::Event& event) {
      if (event.type == "progress") show(event.data, now);
      if (event.type == "completed") ended_ = true;
    });
    ended_ = ended_ || !there || !stream || events_.ended();
  }

 private:
  TurnStream(int fd, std::string content) : fd_(fd), content_(std::move(content)) {}

  void show(std::string_view data, Steady::time_point now) {
    const auto json = parse_ordered_json(data);
    if (!json || !json->is_object() || !json->contains("data")) return;
    for (const auto& part : json->at("data")) {
      if (part.value("type", "") != "text") continue;
      if (!first_text_) first_text_ = now;
      shown_ += part.value("text", "");
    }
  }

  int fd_;
  std::string content_;
  connections::WireEvents events_;
  std::string shown_;
  std::optional<Steady::time_point> first_text_;
  bool ended_ = false;
};

/// Reads what comes until `until`, or until all have ended.
bool follow(std::vector<TurnStream>& streams, Steady::time_point until) {
  for (;;) {
    std::vector<pollfd> open;
    std::vector<TurnStream*> of;
    for (auto& stream : streams)
      if (!stream.ended()) {
        open.push_back({.fd = stream.fd(), .events = POLLIN, .revents = 0});
        of.push_back(&stream);
      }
    const auto left = std::chrono::ceil<std::chrono::milliseconds>(until - Steady::now());
    if (left.count() <= 0) return open.empty();
    if (open.empty() && !streams.empty()) return true;
    ::poll(open.data(), open.size(), static_cast<int>(left.count()));
    for (std::size_t i = 0; i < open.size(); ++i)
      if (open[i].revents != 0) of[i]->read();
  }
}

/// Whether the conversation's last message is what the model has sent.
Result<bool> is_stored(const ChatTarget& target, const std::string& session,
                       connections::Exchange& exchange) {
  ASSIGN_OR_RETURN(const auto answer,
                   exchange.ask(session_request(target, session, "/messages", "")));
  ASSIGN_OR_RETURN(const auto json, parse_ordered_json(answer.body));
  const auto messages = json.value("messages", OrderedJson::array());
  if (messages.empty()) return false;
  const auto parts = messages.back().value("parts", OrderedJson::array());
  return parts.size() == 1 && parts[0].value("text", "") == streamed_text();
}

}  // namespace

Result<StreamFigures> measure_streams(const ChatTarget& target, unsigned count) {
  RETURN_IF_ERROR(open_sessions(target, "stream", count));
  StreamFigures figures{.streams = count};
  std::vector<TurnStream> streams;
  streams.reserve(count);
  const auto begun = Steady::now();
  for (unsigned i = 0; i < count; ++i) {
    static_cast<void>(follow(streams, begun + i * kBeginInterval));
    ASSIGN_OR_RETURN(auto stream, TurnStream::begin(target, session_name(target, "stream", i),
                                                    "stream " + std::to_string(i)));
    streams.push_back(std::move(stream));
  }
  if (!follow(streams, Steady::now() + kTimeout))
    return fail(ErrorCode::kTimeout, "a turn that streams did not end within a minute");
  std::vector<float> delays_ms;
  ASSIGN_OR_RETURN(auto exchange, connections::Exchange::create(target.where));
  for (unsigned i = 0; i < count; ++i) {
    const auto& stream = streams[i];
    const auto served = target.model.take(stream.content());
    if (!stream.first_text() || !served.first_text || !stream.has_every_word()) {
      ++figures.failed;
      continue;
    }
    const std::chrono::duration<float, std::milli> delay =
        *stream.first_text() - *served.first_text;
    delays_ms.push_back(delay.count());
    ASSIGN_OR_RETURN(const bool whole,
                     is_stored(target, session_name(target, "stream", i), exchange));
    if (whole) ++figures.whole;
  }
  figures.first_delta_p50_ms = figures::percentile(delays_ms, 0.5);
  figures.first_delta_p99_ms = figures::percentile(delays_ms, 0.99);
  return figures;
}

}  // namespace toolway::cli::bench::chat
