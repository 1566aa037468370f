#include "tools/executors/mcp_client/http_link.h"

#include <fmt/format.h>

#include <atomic>

#include "base/mutex.h"
#include "base/pause.h"
#include "base/try.h"
#include "tools/executors/mcp_client/call_questions.h"
#include "tools/executors/mcp_client/call_wait.h"
#include "tools/executors/mcp_client/errand_runner.h"
#include "tools/executors/mcp_client/http_conversation.h"
#include "tools/executors/mcp_client/replies.h"
#include "tools/executors/mcp_client/restart_back_off.h"
#include "tools/executors/mcp_client/running_calls.h"
#include "tools/executors/mcp_client/server_log.h"
#include "tools/process/shortage.h"

namespace toolway::tools::executors::mcp_client {
namespace {

using Steady = std::chrono::steady_clock;
using std::chrono::milliseconds;

/// A stream on which nothing comes for this long is reopened, in case the server is gone.
constexpr milliseconds kQuietStream{300'000};
constexpr milliseconds kStreamRetryDelay{1'000};
/// A changed list is read again at most this often, after the first time.
constexpr milliseconds kListInterval{1'000};

class HttpLink final : public ServerLink {
 public:
  HttpLink(LinkOptions options, std::shared_ptr<const HttpPeer> peer)
      : options_(std::move(options)),
        peer_(std::move(peer)),
        conversation_(options_, peer_,
                      [this](const HttpSession& session, const mcp::Request& asked) {
                        refuse(session, asked);
                      }),
        log_(options_.server.name),
        back_off_(options_.server.restart_delay, options_.server.longest_restart_delay),
        keeper_([this](std::stop_token stop) { keep(stop); }) {}

  ~HttpLink() override {
    keeper_.request_stop();
    keeper_.join();
    if (session_) conversation_.close(*session_);
  }

  model::ToolResult<mcp::ToolCallResult> call(LinkCall call) override {
    const auto until =
        call.timeout.count() > 0 ? Steady::now() + call.timeout : MonotonicTime::max();
    Tries tries{.died = call.again == LinkCall::Again::kOnce ? 1U : 0U};
    const RunningCalls::Entry running(running_, call);
    return carry_to_end(options_.server.name, call, [&] { return send(call, tries, until); });
  }

 private:
  /// How often a call may still be sent again, by what went wrong.
  struct Tries {
    unsigned died = 0;
    unsigned not_sent = 20;
  };
  using Answered = model::ToolResult<tl::expected<Json, mcp::RpcError>>;

  model::ToolResult<CallAnswer> send(const LinkCall& call, Tries& tries, MonotonicTime until) {
    while (true) {
      ASSIGN_OR_RETURN(const auto session, wait_for_session(call, until));
      const auto id = conversation_.next_id();
      const auto request = conversation_.messages_of(session).call_tool(id, call.call);
      ASSIGN_OR_RETURN(auto returned, post_call(session, call, id, request, until));
      auto answer = judge(session, call, id, returned, tries);
      if (!answer) continue;  // once more
      RETURN_IF_ERROR(*answer);
      return CallAnswer{session.revision, **std::move(answer)};
    }
  }

  model::ToolResult<HttpSession> wait_for_session(const LinkCall& call, MonotonicTime until) {
    MutexLock lock(mutex_);
    // As long as this machine has no room for its connection, which is not its fault, calls wait.
    do {
      const auto patience = std::min(until, Steady::now() + options_.server.start_timeout);
      came_up_.wait_until(lock, call.cancelled, patience, [this]() REQUIRES(mutex_) {
        return session_.has_value() || (back_off_.hopeless() && !starved_);
      });
    } while (starved_ && !session_ && !call.cancelled.stop_requested() && Steady::now() < until);
    if (call.cancelled.stop_requested()) return tl::unexpected(call_cancelled());
    if (session_) return *session_;
    if (!back_off_.hopeless() && Steady::now() >= until)
      return tl::unexpected(call_timed_out(options_.server.name, call.timeout));
    return tl::unexpected(server_unavailable(
        options_.server.name, trouble_.empty() ? "it has not answered yet" : trouble_));
  }

  model::ToolResult<HttpReturn> post_call(const HttpSession& session, const LinkCall& call,
                                          std::int64_t id, const mcp::Request& request,
                                          MonotonicTime until) {
    auto errand = HttpConversation::errand(session, request.method, request.params);
    errand.body = mcp::encode(request);
    errand.awaits = id;
    errand.trace = call.call.trace;
    if (!session.handshakes())
      errand.headers.insert(errand.headers.end(), call.headers.begin(), call.headers.end());
    if (until != MonotonicTime::max())
      errand.total =
          std::max(milliseconds(1), std::chrono::ceil<milliseconds>(until - Steady::now()));
    if (call.again == LinkCall::Again::kOnce)
      errand.replay = tools::http::HttpRequest::Replay::kAllowed;
    if (call.questions != nullptr && session.handshakes()) call.questions->restart();
    std::optional<double> highest;
    errand.on_notification = [&](const mcp::Notification& notification) {
      if (mcp::is_tools_changed(notification)) return list_later();
      if (const auto withdrawn = mcp::cancelled_request(notification); withdrawn && call.questions)
        call.questions->withdraw(*withdrawn);
      if (!mcp::is_progress(notification)) return;
      const auto progress = mcp::decode_progress(notification.params);
      if (!progress || progress->token != mcp::RequestId(id) ||
          (highest && progress->progress <= *highest))
        return;
      highest = progress->progress;
      if (call.on_progress) call.on_progress(*progress);
    };
    errand.on_request = [&](const mcp::Request& asked) { take(session, call, asked); };
    auto returned = peer_->run(errand, call.cancelled);
    // A stream may break off before its answer; the server may keep that for a client that comes
    // back.
    while (returned && session.handshakes() && returned->broke_off() &&
           !returned->last_event_id.empty() && Steady::now() < until &&
           !call.cancelled.stop_requested()) {
      pause(std::clamp(returned->retry, milliseconds(10), kSmallErrand), call.cancelled);
      errand.verb = HttpErrand::Verb::kGet;
      errand.body.clear();
      errand.last_event_id = returned->last_event_id;
      auto resumed = peer_->run(errand, call.cancelled);
      if (resumed && resumed->last_event_id.empty() && resumed->broke_off()) break;
      returned = std::move(resumed);
    }
    if (!returned)
      return tl::unexpected(server_unavailable(options_.server.name, returned.error().message));
    return *std::move(returned);
  }

  /// The answer, or what is wrong; nothing: the call may be sent again.
  std::optional<Answered> judge(const HttpSession& session, const LinkCall& call, std::int64_t id,
                                HttpReturn& returned, Tries& tries) {
    using Why = tools::http::HttpEnd::Why;
    const auto& name = options_.server.name;
    const auto wrong = [](model::ToolError error) {
      return Answered(tl::unexpected(std::move(error)));
    };
    if (returned.answer) {
      if (returned.status == 200 || !session_gone(session, returned))
        return Answered(std::move(returned.answer->result));
    }
    if (!returned.nonsense.empty())
      return wrong(protocol_error(name, log_.clean(returned.nonsense), call.again));
    const auto& end = returned.end;
    if (end.why == Why::kCancelled ||
        (end.why == Why::kTimedOut && end.limit == tools::http::HttpEnd::Limit::kTotal)) {
      const bool cancelled = end.why == Why::kCancelled;
      cancel(session, id, cancelled ? "the call was cancelled" : "the call took too long");
      return wrong(cancelled ? call_cancelled() : call_timed_out(name, call.timeout));
    }
    if (session_gone(session, returned)) {
      lose(session, "its session has ended");
      if (tries.not_sent-- > 0) return std::nullopt;
    }
    if (returned.status == 0 && end.reached == tools::http::HttpEnd::Reached::kNothing) {
      lose(session, end.message);
      if (tries.not_sent-- > 0 && returned.lost_connection()) return std::nullopt;
      return wrong(server_unavailable(name, end.message));
    }
    if (returned.status != 0 && returned.status != 200) {
      auto error = server_unavailable(name, fmt::format("it answered {}", returned.status));
      error.retryable = returned.status == 429 || returned.status >= 500;
      return wrong(std::move(error));
    }
    if (end.why == Why::kTooLarge) return wrong(protocol_error(name, end.message, call.again));
    if (tries.died > 0) {
      --tries.died;
      return std::nullopt;
    }
    return wrong(server_died(name, call.again));
  }

  /// 2025-11-25, basic/transports, "Session Management": 404 to a request with a session.
  bool session_gone(const HttpSession& session, const HttpReturn& returned) const {
    return returned.status == 404 && !session.id.empty();
  }

  /// What was agreed on no longer holds; the keeper agrees again.
  void lose(const HttpSession& session, const std::string& why) {
    const MutexLock lock(mutex_);
    if (!session_ || session_->number != session.number) return;
    session_.reset();
    trouble_ = log_.clean(why);
    following_.request_stop();
  }

  /// In 2026-07-28 the end of the request says it (basic/patterns/cancellation).
  void cancel(const HttpSession& session, std::int64_t id, std::string_view reason) {
    running_.gave_up(session.number);
    if (session.handshakes())
      post_later(session, mcp::encode(conversation_.messages_of(session).cancelled(id, reason)),
                 "notifications/cancelled");
  }

  /// What the server asks on the stream of a call is of that call.
  void take(const HttpSession& session, const LinkCall& call, const mcp::Request& asked) {
    const auto send = [this, session](const mcp::Answer& answer, const std::stop_token& stop) {
      if (!conversation_.answer(session, answer, stop)) log_.warn("an answer could not be sent");
    };
    const bool may_ask = session.handshakes() && call.questions != nullptr;
    if (!may_ask || !call.questions->pass_on(asked, send)) refuse(session, asked);
  }

  /// What it asks on a stream of no call is of the call that runs, if one alone does, and none that
  /// was given up may still run.
  void take_stray(const HttpSession& session, const mcp::Request& asked) {
    const auto declared = shared_by_calls(options_.server.asks);
    if (!session.handshakes() || !mcp::may_ask(declared, asked.method, asked.params))
      return refuse(session, asked);
    const auto take_it = [&](const LinkCall& call) { take(session, call, asked); };
    if (running_.with_only(session.number, take_it)) return;
    log_.warn(
        fmt::format("it asks for {} and is refused: in which call is not certain", asked.method));
    if (auto reply = stray_reply_to(asked)) post_later(session, *std::move(reply), "");
  }

  void refuse(const HttpSession& session, const mcp::Request& asked) {
    if (asked.method != "ping")
      log_.warn(fmt::format("it asks for {} and is refused", asked.method));
    if (!session.handshakes()) return;
    if (auto reply = reply_to(asked))
      post_later(session, *std::move(reply), "");
    else
      log_.warn(fmt::format("it asks under an id of more than {} bytes, and gets no answer",
                            kMaxRepliedId));
  }

  void post_later(const HttpSession& session, std::string body, std::string_view method) {
    auto errand = HttpConversation::errand(session, method);
    errand.body = std::move(body);
    errand.total = kSmallErrand;
    errands_.later([this, errand = std::move(errand)](const std::stop_token& stop) {
      const auto returned = peer_->run(errand, stop);
      if (!returned || returned->status == 0) log_.warn("a message could not be sent");
    });
  }

  void list_later() {
    if (listing_.exchange(true)) return;
    const MutexLock lock(mutex_);
    const auto list_it = [this](const std::stop_token& stop) {
      listing_ = false;
      std::optional<HttpSession> session;
      {
        const MutexLock inside(mutex_);
        session = session_;
        list_again_at_ = Steady::now() + kListInterval;
      }
      if (session) list(*session, stop);
    };
    if (!errands_.later(list_it, list_again_at_)) listing_ = false;
  }

  // What follows runs on the keeper's thread.

  void keep(const std::stop_token& stop) {
    log_.hide(secret_values(options_.server, *options_.secrets));
    while (!stop.stop_requested()) {
      const auto opened = open(stop);
      if (stop.stop_requested()) return;
      if (opened) {
        follow(stop);
        continue;
      }
      const auto& why = opened.error().message;
      milliseconds delay{0};
      {
        const MutexLock lock(mutex_);
        starved_ = opened.error().code == ErrorCode::kOverloaded;
        trouble_ = log_.clean(why);
        delay =
            std::max(back_off_.ended(Steady::duration::zero(), Steady::now()), milliseconds(50));
      }
      came_up_.notify_all();
      log_.warn(fmt::format("{}; next try in {} ms", why, delay.count()));
      options_.events.on_trouble({log_.clean(why)});
      pause(delay, stop);
    }
  }

  /// Errors: kOverloaded (this machine has nothing left to reach it with), and why it is unusable.
  Result<void> open(const std::stop_token& stop) {
    ASSIGN_OR_RETURN(const auto session, conversation_.open(++opened_, stop));
    {
      const MutexLock lock(mutex_);
      session_ = session;
      starved_ = false;
      following_ = std::stop_source();
      back_off_.ended(RestartBackOff::kProven, Steady::now());
    }
    came_up_.notify_all();
    log_.info(fmt::format("speaks revision {}", mcp::revision_name(session.revision)));
    if (!session.capabilities.tools)
      options_.events.on_tools({session.revision, session.server, {}, {}});
    else
      list(session, stop);
    return {};
  }

  void list(const HttpSession& session, const std::stop_token& stop) {
    const MutexLock one_at_a_time(list_mutex_);
    auto listed = conversation_.list(session, stop);
    if (stop.stop_requested()) return;
    if (listed) return options_.events.on_tools(*std::move(listed));
    log_.warn("its tools cannot be listed, and the known ones stay offered: " +
              listed.error().message);
    options_.events.on_unlisted({log_.clean(listed.error().message)});
  }

  /// Hears of changes until what was agreed on is lost.
  void follow(const std::stop_token& stop) {
    std::optional<HttpSession> session;
    std::stop_token lost;
    {
      const MutexLock lock(mutex_);
      session = session_;
      lost = following_.get_token();
    }
    if (!session) return;
    std::stop_source either;
    const std::stop_callback on_stop(stop, [&either] { either.request_stop(); });
    const std::stop_callback on_lost(lost, [&either] { either.request_stop(); });
    const bool changes = session->capabilities.tools_list_changed;
    // A server may ask there what belongs to a call (2025-11-25, basic/transports).
    const bool asks = session->handshakes() && mcp::any(shared_by_calls(options_.server.asks));
    std::string last_event_id;
    for (bool first = true; !either.stop_requested(); first = false) {
      if (!changes && !asks) {
        pause(kQuietStream, either.get_token());
        continue;
      }
      auto errand = conversation_.listening(*session, last_event_id);
      errand.idle = kQuietStream;
      errand.on_notification = [this](const mcp::Notification& notification) {
        if (mcp::is_tools_changed(notification)) list_later();
      };
      errand.on_request = [&](const mcp::Request& asked) { take_stray(*session, asked); };
      // Something may have changed while no stream was open.
      if (!first && changes && last_event_id.empty()) list_later();
      const auto returned = peer_->run(errand, either.get_token());
      if (either.stop_requested()) return;
      if (returned && session_gone(*session, *returned))
        return lose(*session, "its session has ended");
      // It offers no such stream (2025-11-25, basic/transports, "Listening for Messages").
      const bool none = returned && returned->status >= 400 && returned->status < 500;
      if (returned) last_event_id = returned->last_event_id;
      const auto retry = returned ? std::min(returned->retry, kSmallErrand) : milliseconds(0);
      pause(none ? kQuietStream : std::max(retry, kStreamRetryDelay), either.get_token());
    }
  }

  const LinkOptions options_;
  const std::shared_ptr<const HttpPeer> peer_;
  HttpConversation conversation_;
  ServerLog log_;
  std::atomic<bool> listing_{false};  ///< a list must be read

  Mutex mutex_;
  StoppableCondVar came_up_;
  std::optional<HttpSession> session_ GUARDED_BY(mutex_);
  std::stop_source following_ GUARDED_BY(mutex_);  // of the stream of changes
  bool starved_ GUARDED_BY(mutex_) = false;  // this machine has no descriptor or thread for it
  MonotonicTime list_again_at_ GUARDED_BY(mutex_) = MonotonicTime::min();  // not before
  std::string trouble_ GUARDED_BY(mutex_);
  RestartBackOff back_off_ GUARDED_BY(mutex_);
  Mutex list_mutex_;  // held while a list is read
  RunningCalls running_;
  std::uint64_t opened_ = 0;  // the keeper's
  ErrandRunner errands_;
  std::jthread keeper_;  // last: it uses all of the above
};

}  // namespace

Result<std::unique_ptr<ServerLink>> make_http_link(
    LinkOptions options, std::shared_ptr<tools::http::HttpEngine> engine) {
  ASSIGN_OR_RETURN(auto peer, HttpPeer::create(options.server, std::move(engine), options.secrets));
  const std::string what = fmt::format("MCP server '{}'", options.server.name);
  return process::when_threads_are_left(what, [&]() -> Result<std::unique_ptr<ServerLink>> {
    return std::make_unique<HttpLink>(std::move(options), std::move(peer));
  });
}

}  // namespace toolway::tools::executors::mcp_client
