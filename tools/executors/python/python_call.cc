#include "tools/executors/python/python_call.h"

#include <fmt/format.h>
#include <poll.h>
#include <signal.h>
#include <sys/socket.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <thread>

#include "base/answer_json.h"
#include "base/base64.h"
#include "base/mutex.h"
#include "tools/executors/python/call_output.h"
#include "tools/executors/python/stopping.h"

namespace toolway::tools::executors::python {
namespace {

using Steady = std::chrono::steady_clock;
using State = PythonCallEnd::Interpreter;
/// Of what waits to be written to it besides the call itself: answers that it asks for and does not
/// read.
constexpr std::size_t kMaxUnread = 1024 * 1024;
/// Of a call's content blocks, as frames.
constexpr std::size_t kMaxBlocks = 1000;
constexpr std::size_t kMaxContentBytes = 4 * 1024 * 1024;
constexpr int kReadsAfterEnd = 64;  // of 16 KB: a child that was left behind may print forever

std::string quoted(const std::string& text) { return to_text(Json(text)); }

/// The fields of a call that is part of a trace; empty: it is of none.
std::string about_trace(const TraceContext& trace) {
  if (!trace.valid()) return {};
  auto fields = fmt::format(R"(,"traceparent":"{}")", trace.traceparent());
  if (!trace.state.empty()) fields += R"(,"tracestate":)" + quoted(trace.state);
  return fields;
}

/// What the context argument of the tool says.
std::string about(const model::ToolContext& context) {
  const model::Limits& limits = context.limits();
  return fmt::format(
      R"({{"session_id":{},"user_id":{},"call_id":{},"attempt":{},"idempotency_key":{},"limits":)"
      R"({{"queue":{},"run":{},"total":{},"heartbeat":{}}},"askable":{}{}}})",
      quoted(context.session_id()), quoted(context.user_id()), quoted(context.call_id()),
      context.attempt(), quoted(context.idempotency_key()), limits.queue.count(),
      limits.run.count(), limits.total.count(), limits.heartbeat.count(),
      to_text(Json(context.askable())), about_trace(context.trace()));
}

tl::unexpected<model::ToolError> failed(ErrorCode code, std::string message) {
  return tl::unexpected(model::ToolError(std::string(code_name(code)), std::move(message)));
}

double number(const Json& object, const char* name) {
  const auto found = object.find(name);
  return found != object.end() && found->is_number() ? found->get<double>() : 0;
}

std::string text(const Json& object, const char* name) {
  const auto found = object.find(name);
  return found != object.end() && found->is_string() ? found->get<std::string>() : std::string();
}

model::Execution answer(const Frame& frame) {
  auto parsed = parse_answer(frame.payload);
  if (frame.kind == FrameKind::kResult) {
    if (parsed) return std::move(*parsed);
    if (parsed.error().code == ErrorCode::kPayloadTooLarge)
      return failed(ErrorCode::kResultTooLarge,
                    "the tool's result is too large: " + parsed.error().message);
    return failed(ErrorCode::kInvalidResult,
                  "the tool's result cannot be sent: " + parsed.error().message);
  }
  if (!parsed || !parsed->is_object())
    return failed(ErrorCode::kToolCrashed, "the tool's error cannot be read");
  model::ToolError error(text(*parsed, "code"), text(*parsed, "message"));
  error.retryable = parsed->value("retryable", Json()) == Json(true);
  if (const double wait = number(*parsed, "retry_after_ms"); wait > 0) {
    error.retry_after = std::chrono::milliseconds(static_cast<std::int64_t>(std::min(wait, 1e12)));
  }
  if (const auto details = parsed->find("details"); details != parsed->end())
    error.details = *details;
  return tl::unexpected(std::move(error));
}

class Running {
 public:
  Running(Interpreter& interpreter, const PythonRequest& request, model::ToolContext& context,
          model::Progress& progress)
      : interpreter_(interpreter),
        request_(request),
        context_(context),
        progress_(progress),
        output_(context) {}

  PythonCallEnd run() {
    ++interpreter_.calls;
    outgoing_ =
        encode_frame(FrameKind::kCall,
                     fmt::format("{} {}\n{}\n{}\n{}", interpreter_.calls, request_.largest_result,
                                 request_.function, about(context_), to_text(request_.arguments)));
    call_bytes_ = outgoing_.size();
    const std::stop_callback stop(context_.cancellation(), [this] { interpreter_.wake().call(); });
    write_some();
    while (!end_) turn();
    if (end_->interpreter != State::kStale) {
      drain();
      output_.finish();
    }
    interpreter_.inbox().trim();
    return std::move(*end_);
  }

 private:
  /// Waits for something to happen, and deals with it.
  void turn() {
    pollfd files[] = {
        {interpreter_.socket(), short(outgoing_.empty() ? POLLIN : POLLIN | POLLOUT), 0},
        {interpreter_.out(), POLLIN, 0},
        {interpreter_.err(), POLLIN, 0},
        {interpreter_.wake().get(), POLLIN, 0},
        {interpreter_.child().pidfd(), POLLIN, 0}};
    if (out_closed_) files[1].fd = -1;
    if (err_closed_) files[2].fd = -1;
    if (poll(files, 5, stopping_.patience(Steady::now())) < 0) return;  // interrupted: again
    if ((files[3].revents & POLLIN) != 0) {
      interpreter_.wake().clear();
      send_answers();
    }
    if (context_.cancellation().stop_requested()) stop();
    if (files[1].revents != 0)
      out_closed_ = !read_output(interpreter_.out(), CallOutput::Stream::kOut);
    if (files[2].revents != 0)
      err_closed_ = !read_output(interpreter_.err(), CallOutput::Stream::kErr);
    if ((files[0].revents & POLLOUT) != 0) write_some();
    if ((files[0].revents & (POLLIN | POLLHUP | POLLERR)) != 0) {
      read_frames();
    } else if (files[4].revents != 0) {
      // A process that it forked may hold the socket open.
      lost();
    }
  }

  void write_some() {
    const auto count =
        send(interpreter_.socket(), outgoing_.data(), outgoing_.size(), MSG_NOSIGNAL);
    if (count > 0) outgoing_.erase(0, static_cast<std::size_t>(count));
  }

  void read_frames() {
    Inbox& inbox = interpreter_.inbox();
    char* const space = inbox.space();
    const auto count = recv(interpreter_.socket(), space, inbox.room(), 0);
    if (count == 0 || (count < 0 && errno != EAGAIN && errno != EINTR)) return lost();
    if (count > 0) inbox.came(static_cast<std::size_t>(count));
    Frame frame{};
    while (!end_) {
      switch (inbox.next(request_.largest_result, frame)) {
        case Inbox::State::kIncomplete: return;
        case Inbox::State::kGarbage: return garbage();
        case Inbox::State::kFrame: take(frame);
      }
    }
    // It waits for the next call, and has nothing more to say.
    if (!inbox.empty()) end_->interpreter = State::kSpent;
  }

  void take(const Frame& frame) {
    switch (frame.kind) {
      case FrameKind::kResult:
      case FrameKind::kError: {
        // Its number first: nothing that an earlier call left in the socket is taken for the
        // answer.
        const auto number = std::to_string(interpreter_.calls) + '\n';
        if (!frame.payload.starts_with(number)) return garbage();
        return end_with(state_, answer({frame.kind, frame.payload.substr(number.size())}));
      }
      case FrameKind::kStale: return end_with(State::kStale, Json());
      case FrameKind::kRecycle: state_ = State::kSpent; return;
      case FrameKind::kLog: {
        if (frame.payload.empty()) return;
        const auto level = std::clamp(static_cast<int>(frame.payload.front()), 0, 3);
        return output_.log(static_cast<model::LogLevel>(level), frame.payload.substr(1));
      }
      case FrameKind::kProgress: return report(frame.payload);
      case FrameKind::kContent: return add_content(frame.payload);
      case FrameKind::kSecret: {
        if (outgoing_.size() > call_bytes_ + kMaxUnread) return does_not_read();
        const auto secret = context_.secret(frame.payload);
        outgoing_ +=
            encode_frame(FrameKind::kSecret, secret ? '\1' + *secret : std::string(1, '\0'));
        return write_some();
      }
      case FrameKind::kAsk: return ask(frame.payload);
      case FrameKind::kHello:
      case FrameKind::kOptions:
      case FrameKind::kCall:
      case FrameKind::kCancel: return;
    }
  }

  void report(std::string_view payload) {
    auto parsed = parse_answer(payload);
    if (!parsed || !parsed->is_object()) {
      return output_.log(model::LogLevel::kWarning, "a progress report cannot be sent: " +
                                                        (parsed ? std::string("it is not an object")
                                                                : parsed.error().message));
    }
    model::ProgressReport report{.progress = number(*parsed, "progress"),
                                 .total = number(*parsed, "total"),
                                 .message = text(*parsed, "message"),
                                 .step = text(*parsed, "step")};
    if (const auto data = parsed->find("data"); data != parsed->end())
      report.data = std::move(*data);
    progress_.report(std::move(report));
  }

  /// A block that the host would have refused (host/toolway.py) is logged and left out.
  void add_content(std::string_view payload) {
    const auto parsed = parse_answer(payload);
    const bool object = parsed && parsed->is_object();
    auto data = object ? from_base64(text(*parsed, "data")) : std::nullopt;
    content_bytes_ += payload.size();
    if (!data || ++blocks_ > kMaxBlocks || content_bytes_ > kMaxContentBytes)
      return output_.log(model::LogLevel::kWarning, "a content block cannot be sent");
    context_.add_content({.type = text(*parsed, "type"),
                          .text = text(*parsed, "text"),
                          .data = *std::move(data),
                          .mime_type = text(*parsed, "mime_type"),
                          .uri = text(*parsed, "uri"),
                          .name = text(*parsed, "name")});
  }

  /// On a thread of its own: this one must read what the tool prints, and may
  /// have to stop it.
  void ask(std::string_view payload) {
    std::vector<model::Question> questions;
    if (auto parsed = parse_answer(payload); parsed && parsed->is_array()) {
      for (auto& one : *parsed)
        if (one.is_array() && one.size() == 3 && one[0].is_string() && one[1].is_string())
          questions.push_back({.key = one[0].get<std::string>(),
                               .method = one[1].get<std::string>(),
                               .params = std::move(one[2])});
    }
    asks_ = std::jthread([this, questions = std::move(questions)](const std::stop_token& stop) {
      const auto answers = context_.ask(questions, stop);
      {
        const MutexLock lock(mutex_);
        answers_ = answers ? '\1' + to_text(Json(*answers))
                           : '\0' + to_text(Json{{"code", answers.error().code},
                                                 {"message", answers.error().message},
                                                 {"details", answers.error().details}});
      }
      interpreter_.wake().call();
    });
  }

  void send_answers() {
    std::optional<std::string> answers;
    {
      const MutexLock lock(mutex_);
      answers.swap(answers_);
    }
    if (!answers) return;
    outgoing_ += encode_frame(FrameKind::kAsk, *answers);
    write_some();
  }

  /// One step further, when it is time for it.
  void stop() {
    switch (stopping_.next(Steady::now())) {
      case Stopping::Step::kNone: return;
      case Stopping::Step::kAsk:
        if (!asked_) {
          outgoing_ += encode_frame(FrameKind::kCancel, std::to_string(interpreter_.calls));
          write_some();
          asked_ = true;
        }
        return interpreter_.child().signal(SIGUSR1);
      case Stopping::Step::kInterrupt:
        state_ = State::kSpent;  // it may have been interrupted anywhere
        interpreter_.child().signal(SIGUSR1);
        return interpreter_.child().signal(SIGINT);
      case Stopping::Step::kTerminate: return interpreter_.child().signal_group(SIGTERM);
      case Stopping::Step::kKill: interpreter_.kill(); return lost();
    }
  }

  void garbage() {
    end_with(State::kSpent, failed(ErrorCode::kToolCrashed,
                                   "the tool wrote to the file that controls its process"));
  }

  void does_not_read() {
    end_with(State::kSpent,
             failed(ErrorCode::kToolCrashed,
                    "the tool's process asks for secrets but does not read the answers"));
  }

  /// The process is gone, or as good as gone.
  void lost() {
    const auto end = interpreter_.kill_after(std::chrono::milliseconds(200));
    if (context_.cancellation().stop_requested()) {
      context_.ended_by_force();
      return end_with(State::kSpent,
                      failed(ErrorCode::kCancelled,
                             "the tool did not stop when asked, so its process was killed"));
    }
    std::string how = "does not end";
    if (end && end->signal == 0) how = fmt::format("ended with status {}", end->status);
    if (end && end->signal != 0) {
      const char* const name = sigabbrev_np(end->signal);
      how =
          fmt::format("was killed by signal {} (SIG{})", end->signal, name == nullptr ? "?" : name);
    }
    end_with(State::kSpent,
             failed(ErrorCode::kToolCrashed, fmt::format("the tool's Python process {}", how)));
  }

  void end_with(State state, model::Execution execution) {
    if (!end_) end_ = PythonCallEnd{state, std::move(execution)};
  }

  /// Whether there may be more to come.
  bool read_output(int file, CallOutput::Stream stream) {
    char bytes[16 * 1024];
    const auto count = read(file, bytes, sizeof bytes);
    if (count > 0) output_.add(stream, {bytes, static_cast<std::size_t>(count)});
    return count > 0 || (count < 0 && (errno == EAGAIN || errno == EINTR));
  }

  /// What was printed before the answer came is there by now.
  void drain() {
    for (int turns = 0; turns < kReadsAfterEnd; ++turns) {
      pollfd files[] = {{out_closed_ ? -1 : interpreter_.out(), POLLIN, 0},
                        {err_closed_ ? -1 : interpreter_.err(), POLLIN, 0}};
      if (poll(files, 2, 0) <= 0) return;
      if (files[0].revents != 0)
        out_closed_ = !read_output(interpreter_.out(), CallOutput::Stream::kOut);
      if (files[1].revents != 0)
        err_closed_ = !read_output(interpreter_.err(), CallOutput::Stream::kErr);
    }
  }

  Interpreter& interpreter_;
  const PythonRequest& request_;
  model::ToolContext& context_;
  model::Progress& progress_;
  CallOutput output_;
  Stopping stopping_;
  std::string outgoing_;
  std::size_t call_bytes_ = 0;
  std::size_t blocks_ = 0;
  std::size_t content_bytes_ = 0;
  State state_ = State::kGood;
  bool asked_ = false;
  bool out_closed_ = false;
  bool err_closed_ = false;
  std::optional<PythonCallEnd> end_;
  Mutex mutex_;
  std::optional<std::string> answers_ GUARDED_BY(mutex_);  ///< that the tool waits for
  std::jthread asks_;  ///< while it does; its end comes before that of all else
};

}  // namespace

PythonCallEnd run_python_call(Interpreter& interpreter, const PythonRequest& request,
                              model::ToolContext& context, model::Progress& progress) {
  return Running(interpreter, request, context, progress).run();
}

}  // namespace toolway::tools::executors::python
