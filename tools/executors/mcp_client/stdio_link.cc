#include "tools/executors/mcp_client/stdio_link.h"

#include <fmt/format.h>
#include <poll.h>

#include <array>
#include <thread>

#include "base/answer_json.h"
#include "base/mutex.h"
#include "base/os/wake_fd.h"
#include "base/pause.h"
#include "base/try.h"
#include "tools/executors/mcp_client/call_wait.h"
#include "tools/executors/mcp_client/calls_in_progress.h"
#include "tools/executors/mcp_client/line_reader.h"
#include "tools/executors/mcp_client/pipe_io.h"
#include "tools/executors/mcp_client/replies.h"
#include "tools/executors/mcp_client/restart_back_off.h"
#include "tools/executors/mcp_client/server_log.h"
#include "tools/executors/mcp_client/server_process.h"
#include "tools/executors/mcp_client/stdio_session.h"
#include "tools/executors/mcp_client/unwritten_lines.h"
#include "tools/executors/mcp_client/waiting_call.h"
#include "tools/process/shortage.h"

namespace toolway::tools::executors::mcp_client {
namespace {

using Steady = std::chrono::steady_clock;
using std::chrono::milliseconds;

constexpr milliseconds kEndPatience{1'000};
/// How often a call that no server has seen is sent again.
constexpr unsigned kMaxUnsent = 5;

class StdioLink final : public ServerLink {
 public:
  StdioLink(LinkOptions options, std::shared_ptr<const command::Sandbox> sandbox, os::WakeFd wake)
      : options_(std::move(options)),
        sandbox_(std::move(sandbox)),
        log_(options_.server.name),
        wake_(std::move(wake)),
        back_off_(options_.server.restart_delay, options_.server.longest_restart_delay),
        keeper_([this](std::stop_token stop) { keep(stop); }) {}

  ~StdioLink() override {
    keeper_.request_stop();
    wake_.call();
    keeper_.join();
  }

  model::ToolResult<mcp::ToolCallResult> call(LinkCall call) override {
    const auto until =
        call.timeout.count() > 0 ? Steady::now() + call.timeout : MonotonicTime::max();
    Tries tries{.died = call.again == LinkCall::Again::kOnce};
    return carry_to_end(options_.server.name, call, [&] { return send(call, tries, until); });
  }

 private:
  /// How often a call may still be sent again, by what went wrong.
  struct Tries {
    bool died = false;
    unsigned unsent = kMaxUnsent;
  };
  struct SentCall {
    std::int64_t id = 0;
    std::uint64_t process = 0;  ///< which one
    mcp::Revision revision{};
    std::shared_ptr<WaitingCall> waiting;
  };

  model::ToolResult<CallAnswer> send(const LinkCall& call, Tries& tries, MonotonicTime until) {
    const auto& name = options_.server.name;
    while (true) {
      ASSIGN_OR_RETURN(auto begun, begin(call, until));
      auto end = wait_for_end(
          *begun.waiting, call, begun.revision, until,
          [this, process = begun.process](const mcp::Answer& answer) { reply(process, answer); });
      if (!end) return tl::unexpected(give_up(call, begun));
      if (const auto* lost = std::get_if<AnswerLost>(&*end))
        return tl::unexpected(protocol_error(name, log_.clean(lost->what), call.again));
      if (auto* answer = std::get_if<0>(&*end))
        return CallAnswer{begun.revision, std::move(*answer)};
      if (std::holds_alternative<NotSent>(*end) && tries.unsent > 0)
        --tries.unsent;
      else if (!std::exchange(tries.died, false))
        return tl::unexpected(server_died(name, call.again));
    }
  }

  /// Waits for a server, and writes the request.
  model::ToolResult<SentCall> begin(const LinkCall& call, MonotonicTime until) {
    MutexLock lock(mutex_);
    // As long as the machine has no room for its process, which is not its fault, calls wait.
    do {
      const auto patience = std::min(until, Steady::now() + options_.server.start_timeout);
      came_up_.wait_until(lock, call.cancelled, patience, [this]() REQUIRES(mutex_) {
        return session_ready() || (back_off_.hopeless() && !starved_);
      });
    } while (starved_ && !session_ready() && !call.cancelled.stop_requested() &&
             Steady::now() < until);
    if (call.cancelled.stop_requested()) return tl::unexpected(call_cancelled());
    if (!session_ready()) {
      if (!back_off_.hopeless() && Steady::now() >= until)
        return tl::unexpected(call_timed_out(options_.server.name, call.timeout));
      return tl::unexpected(server_unavailable(
          options_.server.name, trouble_.empty() ? "it has not started yet" : trouble_));
    }
    if (unwritten_.full()) {
      return tl::unexpected(
          server_unavailable(options_.server.name, "it does not read what it is sent"));
    }
    auto sent = session_->call(call.call);
    SentCall begun{sent.id, process_number_, session_->revision(), std::make_shared<WaitingCall>()};
    calls_.add(begun.id, begun.waiting);
    unwritten_.add(std::move(sent.line), sent.id);
    lock.unlock();
    wake_.call();
    return begun;
  }

  /// To what one process asked.
  void reply(std::uint64_t process, const mcp::Answer& answer) {
    if (!answer.id || mcp::id_text(*answer.id).size() > kMaxRepliedId) return;
    {
      const MutexLock lock(mutex_);
      if (process_number_ != process || !session_ready()) return;
      if (!unwritten_.add_reply(mcp::encode(answer))) return;  // it reads none of them
    }
    wake_.call();
  }

  /// Tells the server that the call no longer waits.
  model::ToolError give_up(const LinkCall& call, const SentCall& begun) {
    const bool cancelled = call.cancelled.stop_requested();
    {
      const MutexLock lock(mutex_);
      if (process_number_ == begun.process && session_ready() && calls_.forget(begun.id)) {
        unwritten_.add(session_->cancel(
            begun.id, cancelled ? "the call was cancelled" : "the call took too long"));
      }
    }
    wake_.call();
    return cancelled ? call_cancelled() : call_timed_out(options_.server.name, call.timeout);
  }

  bool session_ready() const REQUIRES(mutex_) { return session_ && session_->ready(); }

  // What follows runs on the keeper's thread.

  void keep(const std::stop_token& stop) {
    survive_broken_pipes();
    while (!stop.stop_requested()) {
      ready_at_.reset();
      auto why = serve(stop);
      if (stop.stop_requested()) return;
      const auto delay = ended(why);
      log_.warn(
          fmt::format("{}; it is started again {}", why,
                      delay.count() == 0 ? "at once" : fmt::format("in {} ms", delay.count())));
      options_.events.on_trouble({log_.clean(why), log_.last_lines()});
      pause(delay, stop);
    }
  }

  /// One process, from its start to its end; returns why it ended.
  std::string serve(const std::stop_token& stop) {
    log_.hide(secret_values(options_.server, *options_.secrets));
    log_.forget_lines();
    started_at_ = Steady::now();
    auto process = ServerProcess::start(options_.server, *options_.secrets, sandbox_.get());
    {
      const MutexLock lock(mutex_);
      starved_ = !process && process.error().code == ErrorCode::kOverloaded;
    }
    if (!process) return process.error().message;
    {
      const MutexLock lock(mutex_);
      session_.emplace(StdioSession::Options{.client = options_.client,
                                             .bounds = {.bytes = options_.server.max_message_bytes},
                                             .start_timeout = options_.server.start_timeout,
                                             .opening = opening_,
                                             .asks = shared_by_calls(options_.server.asks)});
      ++process_number_;
    }
    handle([&]() REQUIRES(mutex_) { return session_->begin(Steady::now()); });
    LineReader lines(
        options_.server.max_message_bytes,
        {.on_line =
             [this, &stop](std::string_view line) {
               const auto room = answer_room().enter(line.size(), stop);
               handle([&]() REQUIRES(mutex_) { return session_->take(line, Steady::now()); });
             },
         .on_too_long =
             [this](std::string_view beginning, std::size_t bytes) {
               handle([&]() REQUIRES(mutex_) {
                 return session_->take_too_long(beginning, bytes, Steady::now());
               });
             }});
    LineReader errors(64 * 1024, {.on_line = [this](std::string_view line) { log_.said(line); },
                                  .on_too_long = [this](std::string_view beginning,
                                                        std::size_t) { log_.said(beginning); }});
    failed_.reset();
    while (!stop.stop_requested() && !failed_) {
      if (!step(**process, lines, errors)) break;
    }
    std::string why;
    if (failed_) {
      why = *std::exchange(failed_, std::nullopt);
      // After a restart it may speak a revision that it did not speak before.
      opening_.reset();
    } else if (!stop.stop_requested()) {
      why = (*process)->how_it_ended(kEndPatience / 10);
      why = why.empty() ? "it closed its standard output" : "it " + why;
      const MutexLock lock(mutex_);
      opening_ = session_->opening();
    }
    // Why it ended is often the last thing that it says.
    if (!stop.stop_requested()) errors.read_rest((*process)->errors().get());
    (*process)->end(kEndPatience);
    return why;
  }

  /// Waits for what comes next; false: there is nothing more to come.
  bool step(ServerProcess& process, LineReader& lines, LineReader& errors) {
    bool writes = false;
    MonotonicTime next;
    {
      const MutexLock lock(mutex_);
      writes = !unwritten_.empty();
      next = session_->next_time();
    }
    std::array<pollfd, 5> watched{{{process.output().get(), POLLIN, 0},
                                   {process.errors().get(), POLLIN, 0},
                                   {writes ? process.input().get() : -1, POLLOUT, 0},
                                   {wake_.get(), POLLIN, 0},
                                   {process.child().pidfd(), POLLIN, 0}}};
    poll(watched.data(), watched.size(), patience_until(next, Steady::now()));
    if (watched[3].revents != 0) {
      wake_.clear();
      write_now(process);
    } else if (watched[2].revents != 0) {
      write_now(process);
    }
    if (watched[1].revents != 0 && !errors.read_from(process.errors().get()))
      process.close_errors();
    if (watched[0].revents != 0) return lines.read_from(process.output().get());
    // It has ended, and all that it wrote has been read.
    if (watched[4].revents != 0) return false;
    if (Steady::now() >= next)
      handle([&]() REQUIRES(mutex_) { return session_->pass(Steady::now()); });
    return true;
  }

  void write_now(ServerProcess& process) {
    while (true) {
      UnwrittenLines::Line line;
      {
        const MutexLock lock(mutex_);
        if (unwritten_.empty()) return;
        line = unwritten_.take();
      }
      const auto rest = std::string_view(line.text).substr(written_);
      const auto done = write_some(process.input().get(), rest);
      const MutexLock lock(mutex_);
      if (done < rest.size()) {
        written_ += done;
        unwritten_.put_back(std::move(line));
        return;
      }
      unwritten_.written(line);
      written_ = 0;
    }
  }

  /// Lets the session decide, and does what it says.
  template <typename Decide>
  void handle(Decide decide) {
    StdioSession::Turn turn;
    std::string revision;
    CallsInProgress::Ends ends;
    {
      const MutexLock lock(mutex_);
      session_->all_written(!unwritten_.own_waits());
      turn = decide();
      hand_on_questions(turn);
      for (auto& line : turn.send) unwritten_.add_own(std::move(line));
      for (auto& line : turn.replies) {
        if (!unwritten_.add_reply(std::move(line)))
          turn.failed = "it asks but does not read the answers";
      }
      for (auto& answer : turn.answers) calls_.end(answer.id, std::move(answer.result), ends);
      for (auto& report : turn.progress) calls_.report(std::move(report));
      if (turn.nonsense) calls_.lose(*turn.nonsense, ends);
      if (turn.ready) {
        ready_at_ = Steady::now();
        back_off_.answered();
        revision = mcp::revision_name(session_->revision());
      }
    }
    for (auto& [waiting, end] : ends) waiting->end(std::move(end));
    if (turn.ready) {
      came_up_.notify_all();
      log_.info("speaks revision " + revision);
    }
    if (!turn.send.empty() || !turn.replies.empty()) wake_.call();
    for (const auto& text : turn.warnings) log_.warn(text);
    if (turn.nonsense) log_.warn("it sent something that is not a message: " + turn.nonsense->what);
    if (turn.starting) say_starting(*turn.starting);
    if (turn.listed) options_.events.on_tools(*std::move(turn.listed));
    if (turn.unlisted) options_.events.on_unlisted({log_.clean(*turn.unlisted), log_.last_lines()});
    if (turn.failed) failed_ = std::move(turn.failed);
  }

  void hand_on_questions(StdioSession::Turn& turn) REQUIRES(mutex_) {
    for (const auto& asked : turn.asked) {
      if (calls_.ask(asked)) continue;
      const bool declared =
          mcp::may_ask(shared_by_calls(options_.server.asks), asked.method, asked.params);
      turn.warnings.push_back(fmt::format("it asks for {} and is refused{}", asked.method,
                                          declared ? ": in which call is not certain" : ""));
      if (auto refusal = declared ? stray_reply_to(asked) : reply_to(asked))
        turn.replies.push_back(*std::move(refusal));
    }
    for (const auto& id : turn.withdrawn) calls_.withdraw(id);
  }

  void say_starting(std::chrono::seconds so_far) {
    const auto lines = log_.last_lines();
    auto text = fmt::format("is starting: it has not answered for {} s", so_far.count());
    if (!lines.empty()) text += "; it last wrote: " + lines.back();
    {
      const MutexLock lock(mutex_);
      trouble_ = "it " + text;
    }
    log_.info(text);
    options_.events.on_starting(text);
  }

  milliseconds ended(const std::string& why) {
    CallsInProgress::Ends ends;
    milliseconds delay{0};
    {
      const MutexLock lock(mutex_);
      ends = calls_.server_died(unwritten_.forget(written_ > 0));
      session_.reset();
      written_ = 0;
      trouble_ = log_.clean(why);
      const auto now = Steady::now();
      delay = back_off_.ended(ready_at_ ? now - *ready_at_ : Steady::duration::zero(), now);
      if (!ready_at_ && now - started_at_ >= options_.server.start_timeout)
        back_off_.ran_out_of_time();
    }
    for (auto& [waiting, end] : ends) waiting->end(std::move(end));
    came_up_.notify_all();  // some need not wait any longer
    return delay;
  }

  const LinkOptions options_;
  const std::shared_ptr<const command::Sandbox> sandbox_;
  ServerLog log_;
  const os::WakeFd wake_;

  Mutex mutex_;
  StoppableCondVar came_up_;
  std::optional<StdioSession> session_ GUARDED_BY(mutex_);  // written by the keeper alone
  std::uint64_t process_number_ GUARDED_BY(mutex_) = 0;
  CallsInProgress calls_ GUARDED_BY(mutex_);  // of this process
  UnwrittenLines unwritten_ GUARDED_BY(mutex_);
  bool starved_ GUARDED_BY(mutex_) = false;  // the system has no process or descriptor for it
  std::string trouble_ GUARDED_BY(mutex_);
  RestartBackOff back_off_ GUARDED_BY(mutex_);

  // The keeper's.
  std::size_t written_ = 0;  // of the first line that waits
  MonotonicTime started_at_{};
  std::optional<MonotonicTime> ready_at_;
  std::optional<mcp::Opening> opening_;
  std::optional<std::string> failed_;

  std::jthread keeper_;  // last: it uses all of the above
};

}  // namespace

Result<std::unique_ptr<ServerLink>> make_stdio_link(
    LinkOptions options, std::shared_ptr<const command::Sandbox> sandbox) {
  os::WakeFd wake;
  if (!wake)
    return fail(ErrorCode::kOverloaded,
                fmt::format("MCP server '{}': no descriptors are left", options.server.name));
  const std::string what = fmt::format("MCP server '{}'", options.server.name);
  return process::when_threads_are_left(what, [&]() -> Result<std::unique_ptr<ServerLink>> {
    return std::make_unique<StdioLink>(std::move(options), std::move(sandbox), std::move(wake));
  });
}

}  // namespace toolway::tools::executors::mcp_client
