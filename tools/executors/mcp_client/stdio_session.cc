#include "tools/executors/mcp_client/stdio_session.h"

#include <fmt/format.h>

#include <algorithm>

#include "tools/executors/mcp_client/replies.h"

namespace toolway::tools::executors::mcp_client {
namespace {

using std::chrono::milliseconds;

/// Servers older than 2026-07-28 may not answer what they do not know.
constexpr milliseconds kMaxProbe{3'000};

std::optional<std::int64_t> own_id(const std::optional<mcp::RequestId>& id) {
  const auto* number = id ? std::get_if<std::int64_t>(&*id) : nullptr;
  return number == nullptr ? std::nullopt : std::optional(*number);
}

}  // namespace

StdioSession::Turn StdioSession::begin(MonotonicTime now) {
  Turn turn;
  begun_ = now;
  next_word_ = now + kFirstWord;
  if (options_.opening == mcp::Opening::kHandshake)
    shake(mcp::newest_with(mcp::Opening::kHandshake), now, turn);
  else
    probe(now, turn);
  return turn;
}

std::optional<mcp::Opening> StdioSession::opening() const {
  if (opening_) return opening_;
  if (!refusal_.empty()) return mcp::Opening::kEachRequest;
  if (phase_ == Phase::kProbing) return mcp::Opening::kHandshake;
  return std::nullopt;
}

void StdioSession::probe(MonotonicTime now, Turn& turn) {
  phase_ = Phase::kProbing;
  probed_ = true;
  discover_id_ = next_id();
  // A server that has refused the handshake has nothing else to say: it gets all the time.
  deadline_ = now + (refusal_.empty() ? std::min(options_.start_timeout / 3, kMaxProbe)
                                      : options_.start_timeout);
  const mcp::ClientMessages messages(mcp::newest_with(mcp::Opening::kEachRequest), options_.client);
  turn.send.push_back(mcp::encode(messages.discover(discover_id_)));
}

void StdioSession::shake(mcp::Revision revision, MonotonicTime now, Turn& turn) {
  phase_ = Phase::kShaking;
  initialize_id_ = next_id();
  deadline_ = now + options_.start_timeout;
  turn.send.push_back(mcp::encode(
      mcp::ClientMessages(revision, options_.client, options_.asks).initialize(initialize_id_)));
}

void StdioSession::give_up(std::string why, Turn& turn) {
  phase_ = Phase::kFailed;
  deadline_ = next_word_ = MonotonicTime::max();
  turn.failed = std::move(why);
}

void StdioSession::run_out(std::string why, Turn& turn) {
  give_up(strange_.empty() ? std::move(why) : why + "; " + strange_, turn);
}

void StdioSession::warn(std::string text, Turn& turn) {
  if (starting()) strange_ = text;
  turn.warnings.push_back(std::move(text));
}

void StdioSession::discovered(const mcp::Answer& answer, MonotonicTime now, Turn& turn) {
  discover_id_ = 0;
  if (phase_ != Phase::kProbing && phase_ != Phase::kShaking) return;
  auto agreed = mcp::after_discover(answer);
  if (std::holds_alternative<mcp::Speak>(agreed)) return agree(std::move(agreed), now, turn);
  // It says that it wants a handshake, or makes no sense: the answer to initialize decides, where
  // it was sent already.
  if (!refusal_.empty()) return give_up(refusal_, turn);
  if (phase_ == Phase::kProbing) agree(std::move(agreed), now, turn);
}

void StdioSession::initialized(const mcp::Answer& answer, MonotonicTime now, Turn& turn) {
  initialize_id_ = 0;
  const bool modern = !answer.result && answer.result.error().code == mcp::kUnsupportedRevision;
  if (!modern) return agree(mcp::after_initialize(answer), now, turn);
  // It was slow to start and took server/discover first, or was only believed to be an old one:
  // either way it speaks a revision without a handshake, on this connection.
  refusal_ = std::get<mcp::NoRevision>(mcp::after_initialize(answer)).why;
  if (discover_id_ == 0 && probed_) return give_up(refusal_, turn);
  if (discover_id_ == 0) return probe(now, turn);
  phase_ = Phase::kProbing;
}

void StdioSession::agree(mcp::Agreed agreed, MonotonicTime now, Turn& turn) {
  if (const auto* handshake = std::get_if<mcp::Handshake>(&agreed))
    return shake(handshake->revision, now, turn);
  if (auto* none = std::get_if<mcp::NoRevision>(&agreed))
    return give_up(std::move(none->why), turn);
  auto& speak = std::get<mcp::Speak>(agreed);
  messages_.emplace(speak.revision, options_.client);
  server_ = std::move(speak.server);
  const auto& rules = mcp::rules_of(speak.revision);
  opening_ = rules.opening;
  phase_ = Phase::kReady;
  deadline_ = next_word_ = MonotonicTime::max();
  turn.ready = true;
  if (rules.opening == mcp::Opening::kHandshake)
    turn.send.push_back(mcp::encode(messages_->initialized()));
  if (!speak.capabilities.tools) {
    turn.warnings.emplace_back("the server says that it has no tools");
    turn.listed = ListedTools{speak.revision, server_, {}, {}};
    return;
  }
  // Before the list: a change while it is read must not be missed.
  if (rules.changes == mcp::Changes::kSubscription && speak.capabilities.tools_list_changed) {
    listen_id_ = next_id();
    turn.send.push_back(mcp::encode(messages_->listen(listen_id_)));
  }
  list(now, turn);
}

void StdioSession::list(MonotonicTime now, Turn& turn) {
  listing_.emplace();
  list_again_ = false;
  listing_id_ = next_id();
  deadline_ = now + options_.start_timeout;
  turn.send.push_back(mcp::encode(messages_->list_tools(listing_id_)));
}

void StdioSession::list_again(MonotonicTime now, Turn& turn) {
  list_again_ = true;
  if (listing_) return;  // once more after it
  if (all_written_ && now >= list_again_at_) {
    list_again_at_ = now + kListInterval;
    return list(now, turn);
  }
  deadline_ = std::max<MonotonicTime>(list_again_at_, all_written_ ? now : now + kListInterval);
}

void StdioSession::give_up_list(std::string why, MonotonicTime now, Turn& turn) {
  listing_.reset();
  listing_id_ = 0;
  deadline_ = MonotonicTime::max();
  turn.warnings.push_back("its tools cannot be listed, and the known ones stay offered: " + why);
  turn.unlisted = std::move(why);
  if (list_again_) list_again(now, turn);
}

void StdioSession::page(std::string_view line, const mcp::Answer& answer, MonotonicTime now,
                        Turn& turn) {
  listing_id_ = 0;
  if (!answer.result) {
    return give_up_list(
        fmt::format("error {}: {}", answer.result.error().code, answer.result.error().message), now,
        turn);
  }
  const auto next = listing_->take(line);
  if (!next) return give_up_list(next.error().message, now, turn);
  if (*next == ToolListing::Next::kPage) {
    listing_id_ = next_id();
    deadline_ = now + options_.start_timeout;
    turn.send.push_back(mcp::encode(messages_->list_tools(listing_id_, listing_->cursor())));
    return;
  }
  deadline_ = MonotonicTime::max();
  turn.listed = std::move(*listing_).listed(messages_->revision(), server_);
  listing_.reset();
  if (list_again_) list_again(now, turn);
}

void StdioSession::answered(std::string_view line, mcp::Answer answer, MonotonicTime now,
                            Turn& turn) {
  const auto id = own_id(answer.id);
  const auto answers = [&id](std::int64_t ours) { return ours != 0 && id == ours; };
  if (!answer.id) {
    turn.nonsense = Nonsense{std::nullopt, fmt::format("it could not read what it was sent: {}",
                                                       answer.result.error().message)};
  } else if (answers(discover_id_)) {
    discovered(answer, now, turn);
  } else if (answers(initialize_id_) && phase_ == Phase::kShaking) {
    initialized(answer, now, turn);
  } else if (phase_ == Phase::kReady && answers(listing_id_)) {
    if (!all_written_)
      return give_up("it answers a request for its tools that it has yet to read", turn);
    page(line, answer, now, turn);
  } else if (phase_ == Phase::kReady && answers(listen_id_)) {
    listen_id_ = 0;
    turn.warnings.push_back(answer.result
                                ? "it no longer reports changes to its tools"
                                : fmt::format("it does not report changes to its tools: {}",
                                              answer.result.error().message));
  } else if (id && *id > 0 && *id <= last_id_) {
    // Perhaps of a call that has stopped waiting.
    turn.answers.push_back({*id, std::move(answer.result)});
  } else {
    warn(fmt::format("an answer to request {}, which was never made", mcp::id_text(*answer.id)),
         turn);
  }
}

void StdioSession::notified(const mcp::Notification& notification, MonotonicTime now, Turn& turn) {
  if (phase_ != Phase::kReady) return;
  if (mcp::is_progress(notification)) {
    if (auto progress = mcp::decode_progress(notification.params))
      turn.progress.push_back(*std::move(progress));
  } else if (mcp::is_tools_changed(notification)) {
    list_again(now, turn);  // once, however often it says so
  } else if (auto withdrawn = mcp::cancelled_request(notification)) {
    turn.withdrawn.push_back(*std::move(withdrawn));
  }
}

void StdioSession::asked(const mcp::Request& request, Turn& turn) {
  const bool shakes = messages_ && mcp::rules_of(revision()).requests == mcp::Requests::kBothWays;
  const bool may_ask = shakes && options_.asks != mcp::ClientCapabilities{};
  // Also what it may not ask: how much that is bounds the call.
  if (may_ask && mcp::is_question(request.method)) return turn.asked.push_back(request);
  if (request.method != "ping")
    turn.warnings.push_back(fmt::format("it asks for {} and is refused", request.method));
  // Where servers ask nothing, nothing may be answered (2026-07-28, basic/transports/stdio,
  // "Sending Messages").
  if (messages_ && mcp::rules_of(revision()).requests == mcp::Requests::kOfClients) return;
  if (auto reply = reply_to(request))
    turn.replies.push_back(*std::move(reply));
  else
    turn.warnings.push_back(fmt::format(
        "it asks under an id of more than {} bytes, and gets no answer", kMaxRepliedId));
}

StdioSession::Turn StdioSession::take(std::string_view line, MonotonicTime now) {
  Turn turn;
  if (phase_ == Phase::kFailed) return turn;
  // Many servers print a greeting first.
  if (line.front() != '{' && line.front() != '[') {
    warn(fmt::format("a line that is not a message: {}", line.substr(0, 200)), turn);
    return turn;
  }
  auto message = mcp::decode_message(line, options_.bounds);
  if (!message) {
    sent_nonsense({own_id(mcp::id_at_beginning(line)), std::move(message.error().message)}, now,
                  turn);
  } else if (auto* answer = std::get_if<mcp::Answer>(&*message)) {
    answered(line, std::move(*answer), now, turn);
  } else if (const auto* notification = std::get_if<mcp::Notification>(&*message)) {
    notified(*notification, now, turn);
  } else {
    asked(std::get<mcp::Request>(*message), turn);
  }
  return turn;
}

void StdioSession::sent_nonsense(Nonsense nonsense, MonotonicTime now, Turn& turn) {
  const auto answers = [&](std::int64_t ours) { return ours != 0 && nonsense.id == ours; };
  if (phase_ == Phase::kShaking && answers(initialize_id_)) {
    give_up("its answer to initialize is not a message: " + nonsense.what, turn);
  } else if (phase_ == Phase::kProbing && answers(discover_id_)) {
    if (!refusal_.empty()) return give_up(refusal_, turn);
    // An older server may answer anything to what it does not know.
    warn("its answer to server/discover is not a message: " + nonsense.what, turn);
    discover_id_ = 0;
    agree(mcp::after_discover(std::nullopt), now, turn);
  } else if (phase_ == Phase::kReady && answers(listing_id_)) {
    give_up_list("its answer is not a message: " + nonsense.what, now, turn);
  } else {
    if (starting()) strange_ = "it sent something that is not a message: " + nonsense.what;
    turn.nonsense = std::move(nonsense);
  }
}

StdioSession::Turn StdioSession::take_too_long(std::string_view beginning, std::size_t bytes,
                                               MonotonicTime now) {
  Turn turn;
  if (phase_ == Phase::kFailed) return turn;
  sent_nonsense({own_id(mcp::id_at_beginning(beginning)),
                 fmt::format("it sent a message of {} bytes; the limit is {} (max_message_bytes)",
                             bytes, options_.bounds.bytes)},
                now, turn);
  return turn;
}

StdioSession::Turn StdioSession::pass(MonotonicTime now) {
  Turn turn;
  if (now >= next_word_) {
    const auto so_far = now - begun_;
    next_word_ = now + so_far;
    turn.starting = std::chrono::duration_cast<std::chrono::seconds>(so_far);
  }
  if (now < deadline_) return turn;
  deadline_ = MonotonicTime::max();
  if (phase_ == Phase::kProbing && !refusal_.empty()) {
    run_out(fmt::format("{}; nor does it answer server/discover within {} ms", refusal_,
                        options_.start_timeout.count()),
            turn);
  } else if (phase_ == Phase::kProbing) {
    // It may only be slow to start: its answer still counts when it comes.
    agree(mcp::after_discover(std::nullopt), now, turn);
  } else if (phase_ == Phase::kShaking) {
    run_out(fmt::format("it did not answer initialize within {} ms (start_timeout_ms)",
                        options_.start_timeout.count()),
            turn);
  } else if (phase_ == Phase::kReady && listing_) {
    give_up_list(fmt::format("no answer within {} ms", options_.start_timeout.count()), now, turn);
  } else if (phase_ == Phase::kReady && list_again_) {
    list_again(now, turn);
  }
  return turn;
}

StdioSession::Sent StdioSession::call(const mcp::ToolCall& call) {
  const auto id = next_id();
  return {id, mcp::encode(messages_->call_tool(id, call))};
}

std::string StdioSession::cancel(std::int64_t id, std::string_view reason) const {
  return mcp::encode(messages_->cancelled(id, reason));
}

}  // namespace toolway::tools::executors::mcp_client
