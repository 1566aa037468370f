#include "chat/engine/engine.h"

#include <fmt/format.h>

#include <algorithm>

#include "base/try.h"
#include "chat/engine/injected.h"
#include "chat/engine/read_back.h"
#include "chat/engine/summarizer.h"
#include "chat/engine/tool_choice.h"
#include "tools/messages/blocks.h"
#include "tools/messages/shown.h"

namespace toolway::chat::engine {
namespace {

using providers::ProviderError;
using tools::messages::Blocks;
using tools::messages::CallResult;
using tools::messages::Interruption;
using tools::messages::Message;
using tools::messages::Role;
using How = Reply::How;

/// How long a gateway knows the key of a message's calls, less an hour.
constexpr std::chrono::hours kKeysAreKnown{23};

/// Parts of what a request may have: the results of one message get the one, a result that comes
/// later the other. So there is room for the question.
constexpr std::uint64_t kResultsPart = 2;
constexpr std::uint64_t kInjectedPart = 16;

/// Calls that no model made, before one request.
constexpr std::size_t kMaxToldAtOnce = 32;

}  // namespace

Result<std::unique_ptr<ToolAwareChatEngine>> ToolAwareChatEngine::create(
    std::shared_ptr<Memory> memory, std::shared_ptr<providers::Provider> provider,
    std::shared_ptr<ToolBox> tools, EngineConfig config, const Clock& clock) {
  if (config.limits.max_iterations == 0 || config.limits.max_equal_failures == 0 ||
      config.options.max_tokens == 0)
    return fail(ErrorCode::kInvalidRequest,
                "max_iterations, max_equal_failures and max_tokens must be at least 1");
  if (config.context_window <= config.options.max_tokens)
    return fail(ErrorCode::kInvalidRequest,
                "context_window must be larger than max_tokens: a reply counts as part of it");
  return std::unique_ptr<ToolAwareChatEngine>(new ToolAwareChatEngine(
      std::move(memory), std::move(provider), std::move(tools), std::move(config), clock));
}

ToolAwareChatEngine::ToolAwareChatEngine(std::shared_ptr<Memory> memory,
                                         std::shared_ptr<providers::Provider> provider,
                                         std::shared_ptr<ToolBox> tools, EngineConfig config,
                                         const Clock& clock)
    : memory_(std::move(memory)),
      provider_(std::move(provider)),
      tools_(std::move(tools)),
      config_(std::move(config)),
      clock_(clock) {}

Reply ToolAwareChatEngine::send(std::string message, const Events& events, const Stops& stops) {
  return turn(Begin::kMessage, std::move(message), events, stops);
}

Reply ToolAwareChatEngine::resume(const Events& events, const Stops& stops) {
  return turn(Begin::kResume, {}, events, stops);
}

Reply ToolAwareChatEngine::tell_ended(const Events& events, const Stops& stops) {
  return turn(Begin::kEnded, {}, events, stops);
}

void ToolAwareChatEngine::tell_again(const Events& events) const {
  const auto& messages = memory_->history().messages();
  for (auto i = turn::begin_of(messages); i < messages.size(); ++i) {
    const auto text = messages[i].role == Role::kAssistant ? text_of(messages[i]) : std::string();
    if (!text.empty() && events.on_text) events.on_text(text);
    for (const auto& call : tools::messages::calls_of(messages[i]))
      if (events.on_call) events.on_call(call, tools_->shown_name(call.tool));
    for (const auto& result : messages[i].results)
      if (events.on_result) events.on_result(result);
  }
}

bool ToolAwareChatEngine::interrupted() const {
  return !std::holds_alternative<turn::EndTurn>(
      turn::next_step(memory_->history().messages(), config_.limits));
}

void ToolAwareChatEngine::stop() {
  const MutexLock lock(mutex_);
  if (running_) running_->request_stop();
}

Reply ToolAwareChatEngine::turn(Begin begin, std::string message, const Events& events,
                                const Stops& stops) {
  std::stop_source source;
  const auto pass_on = [&source] { source.request_stop(); };
  const std::stop_callback of_end(stops.end, pass_on);
  const std::stop_callback of_leave(stops.leave, pass_on);
  {
    const MutexLock lock(mutex_);
    if (running_) return failure("a turn is running: wait for it, or stop it", "conversation_busy");
    running_ = source;
  }
  leave_ = stops.leave;
  tools_->set_leave(leave_);
  auto reply = run_turn(begin, std::move(message), events, source.get_token());
  const MutexLock lock(mutex_);
  running_.reset();
  return reply;
}

Reply ToolAwareChatEngine::run_turn(Begin begin, std::string message, const Events& events,
                                    const std::stop_token& stop) {
  summary_failed_ = false;
  if (const auto recovered = recover(begin, events, stop); !recovered)
    return failed(recovered.error());
  if (begin == Begin::kMessage) {
    const auto stored = store(text_message(Role::kUser, std::move(message)));
    if (!stored) return failed(stored.error());
  } else if (begin == Begin::kEnded && !interrupted()) {
    // How far others are is told before the request.
    const auto told =
        inject(config_.inject == Inject::kNone ? Inject::kNone : Inject::kCompletions, events);
    if (!told) return failed(told.error());
    if (!*told) return {};
  }
  Reply reply;
  for (;;) {
    const auto step = turn::next_step(memory_->history().messages(), config_.limits);
    std::optional<Reply> ended;
    if (const auto* end = std::get_if<turn::EndTurn>(&step)) {
      ended = engine::ended(*end);
    } else if (const auto* calls = std::get_if<turn::RunCalls>(&step)) {
      ended = run(calls->calls, events, stop);
    } else if (const auto* drop = std::get_if<turn::DropCalls>(&step)) {
      const auto stored =
          store(tools::messages::interrupted_results(*memory_->history().open(), drop->why));
      if (!stored) ended = failed(stored.error());
    } else {
      ended = ask(events, stop, reply);
    }
    if (!ended) continue;
    if (ended->how == How::kStopped) mark_stopped();
    ended->iterations = reply.iterations;
    ended->cut = reply.cut;
    ended->usage = reply.usage;
    return std::move(*ended);
  }
}

Result<void> ToolAwareChatEngine::recover(Begin begin, const Events& events,
                                          const std::stop_token& stop) {
  const Message* open = memory_->history().open();
  if (open == nullptr) return {};
  const auto age = clock_.wall() - from_unix_us(open->at_us);
  std::vector<CallResult> known;
  if (tools_->remembers() && age < kKeysAreKnown) {
    if (events.on_status) events.on_status("Asking for the results of calls that were interrupted");
    const auto calls = tools::messages::calls_of(*open);
    // The user may have cancelled the turn that made them.
    auto found = begin == Begin::kResume ? tools_->run(calls, key_of_calls(), stop)
                                         : tools_->settle(calls, key_of_calls(), stop);
    if (leave_.stop_requested()) return fail(ErrorCode::kCancelled, "another process continues it");
    // What cannot be asked now can be asked later.
    if (!found && is_temporary(found.error().code)) return tl::unexpected(found.error());
    if (found) known = std::move(*found);
    bound(known, result_bounds());
  }
  return store(tools::messages::interrupted_results(*open, Interruption::kUnknown, known));
}

std::optional<Reply> ToolAwareChatEngine::ask(const Events& events, const std::stop_token& stop,
                                              Reply& so_far) {
  said_.clear();
  if (stop.stop_requested()) return stopped();
  if (const auto told = inject(config_.inject, events); !told) return failed(told.error());
  const auto tools = tools_->definitions(provider_->api(), stop);
  if (!tools) return stop.stop_requested() ? stopped() : failed(tools.error());
  if (turn::iterations_of(memory_->history().messages()) == 0)
    if (const auto known = check_tool_choice(config_.options.tool_choice, (*tools)->definitions);
        !known)
      return failure("tool_choice: " + known.error().message, code_name(known.error().code));
  ++so_far.iterations;
  const Summarizer summarizer(
      {.memory = *memory_,
       .provider = *provider_,
       .config = config_,
       .estimate = estimate_,
       .store = [this](Message message) { return store(std::move(message)); },
       .usage = so_far.usage});
  if (const auto read = read_back({*memory_, estimate_, counts_}, summarizer.bounds(room(), *tools),
                                  config_.enable_summarization);
      !read)
    return failed(read.error());
  if (const auto done = summarize(summarizer, room(), *tools, events, stop); !done)
    return failed(done.error());
  auto heard = events;
  heard.on_text = [&](std::string_view text) {
    said_ += text;
    if (events.on_text) events.on_text(text);
  };
  auto asked = ask_within(summarizer, {.tokens = room()}, *tools, heard, stop, so_far);
  if (!asked && asked.error().kind == ProviderError::Kind::kTooLong && said_.empty()) {
    if (events.on_status) events.on_status("The conversation is too long: sending less of it");
    if (const auto done = summarize(summarizer, room() / 2, *tools, events, stop); !done)
      return failed(done.error());
    asked = ask_within(summarizer, {.tokens = room() / 2, .all_as_text = true}, *tools, heard, stop,
                       so_far);
  }
  if (!asked) return failed(asked.error());
  if (asked->usage) {
    so_far.usage.input += asked->usage->input;
    so_far.usage.output += asked->usage->output;
  }
  said_.clear();
  if (const auto stored = store(std::move(*asked)); !stored) return failed(stored.error());
  return std::nullopt;
}

ToolAwareChatEngine::Elsewhere ToolAwareChatEngine::ended_elsewhere(Inject what) {
  auto calls = memory_->ended_elsewhere().value_or(std::vector<std::string>());
  if (calls.empty()) return {};
  if (what != Inject::kNone) {
    // Each is a request to the gateway; the others are told before a later one to the model.
    calls.resize(std::min(calls.size(), kMaxToldAtOnce));
    auto ended = tools_->made_by_no_model(calls);
    if (!ended) return {};  // they are told before a later request
    if (!ended->empty()) return {std::move(calls), std::move(*ended)};
  }
  memory_->heard_of(calls.size());
  return {};
}

Result<bool> ToolAwareChatEngine::inject(Inject what, const Events& events) {
  const auto elsewhere = ended_elsewhere(what);
  if (what == Inject::kNone) return false;
  const auto pending = memory_->pending_calls();
  if (pending.empty() && elsewhere.ended.empty()) return false;
  std::vector<EndedCall> ended;
  std::vector<CallProgress> progress;
  // What cannot be asked now is told before a later request.
  if (auto known = pending.empty() ? std::vector<EndedCall>() : tools_->ended(pending)) {
    ended = std::move(*known);
    if (what == Inject::kProgress) progress = progress_since(pending, ended);
  }
  ended.insert(ended.end(), elsewhere.ended.begin(), elsewhere.ended.end());
  const auto most = std::min(config_.max_injected_tokens, room() / kInjectedPart);
  auto message = injected_message(ended, progress, static_cast<double>(most));
  if (message.text.empty()) return false;
  const auto told = message.about.size();
  memory_->heard_of(heard_of(elsewhere.calls, elsewhere.ended, message.about));
  RETURN_IF_ERROR(store(std::move(message)));
  for (std::size_t i = 0; i < told && events.on_status; ++i) {
    const auto& call = ended[i];
    events.on_status(fmt::format("{} of {}", call.is_error ? "Failure" : "Result", call.name));
  }
  if (events.on_told && told > 0) events.on_told(told);
  return told > 0;
}

std::vector<CallProgress> ToolAwareChatEngine::progress_since(
    const std::vector<std::string>& pending, const std::vector<EndedCall>& ended) {
  const auto told = memory_->told_progress();
  std::vector<tools::messages::ToldProgress> running;
  for (const auto& call : pending) {
    if (std::ranges::find(ended, call, &EndedCall::ran_as) != ended.end()) continue;
    const auto known = std::ranges::find(told, call, &tools::messages::ToldProgress::ran_as);
    running.push_back(
        known == told.end() ? tools::messages::ToldProgress{.ran_as = call, .event = {}} : *known);
  }
  if (running.empty()) return {};
  return tools_->progress(running).value_or(std::vector<CallProgress>());
}

Result<void> ToolAwareChatEngine::summarize(const Summarizer& summarizer, std::uint64_t tokens,
                                            const window::ToolListPtr& tools, const Events& events,
                                            const std::stop_token& stop) {
  if (summary_failed_) return {};
  ASSIGN_OR_RETURN(const bool done, summarizer.summarize(tokens, tools, events, stop));
  summary_failed_ = !done;
  return {};
}

providers::ReplyResult ToolAwareChatEngine::ask_within(const Summarizer& summarizer, Room room,
                                                       const window::ToolListPtr& tools,
                                                       const Events& events,
                                                       const std::stop_token& stop, Reply& so_far) {
  const auto& messages = memory_->history().messages();
  const auto system = text_message(Role::kSystem, config_.system_prompt);
  const auto go_on = text_message(Role::kUser, config_.continuation_prompt);
  const auto summary = summarizer.sent();
  auto bounds = summarizer.bounds(room.tokens, tools);
  if (room.all_as_text) bounds.blocks = Blocks::kAsText;
  auto window = window::choose(messages, bounds, estimate_, counts_);
  if (!window.may_fit && bounds.blocks != Blocks::kAsText) {
    // As lines of text, its images and documents have next to no tokens.
    bounds.blocks = Blocks::kAsText;
    window = window::choose(messages, bounds, estimate_, counts_);
  }
  // While the model is waited for, they would only take up memory.
  counts_ = {};
  // What likely fits is sent: the provider knows.
  if (!window.may_fit)
    return providers::fail_with(
        ProviderError::Kind::kTooLong,
        fmt::format("the last message and what belongs to it need about {} tokens; the model's "
                    "window has {} for them. Send less, or begin a new conversation",
                    estimate_.likely(window.load), room.tokens));
  if (window.messages.size() < memory_->head()) ++so_far.cut;
  providers::ModelRequest request{.messages = {}, .tools = tools, .options = config_.options};
  request.tokens = estimate_.likely(window.load);
  request.sure = window.fits;
  request.blocks = bounds.blocks;
  request.on_retry = events.on_retry;
  if (!config_.system_prompt.empty()) request.messages.push_back(&system);
  if (summary) request.messages.push_back(&*summary);
  request.messages.insert(request.messages.end(), window.messages.begin(), window.messages.end());
  if (summarizer.goes_on()) request.messages.push_back(&go_on);
  // A model that must call a tool would never come to an end.
  if (config_.options.tool_choice != "none" && turn::iterations_of(messages) > 0)
    request.options.tool_choice = "auto";
  auto asked = provider_->ask(request, [&](std::string_view text) { events.on_text(text); }, stop);
  if (asked && asked->usage) {
    estimate_.learn(window.chosen, bounds.besides, window.load, asked->usage->input);
    asked->usage->sent = window.chosen.newest();
  }
  return asked;
}

std::optional<Reply> ToolAwareChatEngine::run(const std::vector<tools::messages::Call>& calls,
                                              const Events& events, const std::stop_token& stop) {
  const Message& open = *memory_->history().open();
  if (stop.stop_requested()) {
    if (leaves()) return stopped();
    const auto stored =
        store(tools::messages::interrupted_results(open, Interruption::kNeverStarted));
    return stored ? stopped() : failed(stored.error());
  }
  for (const auto& call : calls)
    if (events.on_call) events.on_call(call, tools_->shown_name(call.tool));
  tools_->set_inline_wait(open.inline_ms ? std::optional<std::chrono::milliseconds>(*open.inline_ms)
                                         : std::nullopt);
  auto results = tools_->run(calls, key_of_calls(), stop);
  // Another process asks for them under the same key.
  if (leaves()) return stopped();
  // Where nothing is known of the calls, they may run.
  const auto why =
      results && stop.stop_requested() ? Interruption::kStopped : Interruption::kUnknown;
  if (!results && tools_->remembers() && !stop.stop_requested()) {
    // The calls stay open: the next turn asks for their results.
    return failed(results.error());
  }
  auto known = results ? std::move(*results) : std::vector<CallResult>();
  bound(known, result_bounds());
  for (const auto& result : known)
    if (events.on_result) events.on_result(result);
  const auto stored = store(tools::messages::interrupted_results(open, why, known));
  if (!stored) return failed(stored.error());
  if (stop.stop_requested()) return stopped();
  if (!results) return failed(results.error());
  return std::nullopt;
}

ResultBounds ToolAwareChatEngine::result_bounds() const {
  return {.bytes = config_.max_result_bytes, .tokens = static_cast<double>(room() / kResultsPart)};
}

void ToolAwareChatEngine::mark_stopped() {
  if (leave_.stop_requested()) return;
  auto said = std::exchange(said_, {});
  // Without the mark, the turn is continued the next time; that is all that is lost.
  if (!tools::messages::is_blank(said)) {
    auto message = text_message(Role::kAssistant, std::move(said));
    message.finish = tools::messages::Finish::kStopped;
    static_cast<void>(store(std::move(message)));
  } else if (memory_->history().messages().back().role != Role::kAssistant) {
    static_cast<void>(store({.role = Role::kAssistant}));
  }
}

Result<void> ToolAwareChatEngine::store(Message message) {
  message.at_us = to_unix_us(clock_.wall());
  return memory_->append(std::move(message));
}

std::string ToolAwareChatEngine::key_of_calls() const {
  return fmt::format("{}.{}", memory_->conversation(), memory_->head() - 1);
}

}  // namespace toolway::chat::engine
