#include "chat/turns/turn_tool.h"

#include <fmt/format.h>

#include <utility>

#include "base/try.h"
#include "chat/engine/engine.h"
#include "chat/engine/tool_choice.h"
#include "chat/turns/observed_provider.h"
#include "chat/turns/stored_memory.h"
#include "chat/turns/turn_ending.h"
#include "chat/turns/turn_events.h"
#include "chat/turns/turn_stop.h"
#include "tools/builtin/turn_spec.h"
#include "tools/messages/message_json.h"
#include "tools/native/native_tool.h"

namespace toolway::chat::turns {
namespace {

namespace conversations = persistence::conversations;
namespace turn = tools::builtin::turn;
using engine::Reply;
using tools::model::Execution;
using tools::model::ToolContext;
using tools::model::ToolError;
using How = Reply::How;

constexpr std::chrono::milliseconds kTakeInterval{200};
/// Before a turn that does not wait says that another one runs: that may just have ended.
constexpr int kTriesOfOneThatRefuses = 5;

tl::unexpected<ToolError> failed(std::string code, std::string message) {
  return tl::unexpected(ToolError(std::move(code), std::move(message)));
}

/// One turn, on its thread.
class Turn {
 public:
  Turn(TurnParts& parts, LeaseKeeper& keeper, ReportTicker& ticker, const Json& arguments,
       ToolContext& context, tools::model::Progress& progress)
      : parts_(parts),
        keeper_(keeper),
        arguments_(arguments),
        context_(context),
        events_(progress, parts.clock, ticker),
        alone_(arguments.contains(turn::kMessages) && text(turn::kStep) != turn::kImport),
        report_(parts.telemetry, parts.clock, context, begun_label(text(turn::kStep), alone_)),
        owner_{context.on_behalf()->tenant_id, context.on_behalf()->session_key},
        writer_{context.call_id(), context.attempt()} {}

  Execution run() {
    auto ended = run_step();
    report_.ended(ended);
    events_.flush();
    return ended;
  }

 private:
  Execution run_step() {
    Mistakes mistakes;
    auto asked = arguments_.value(turn::kOptions, Json());
    if (alone_) bound_tokens(asked);
    options_ = read_turn_options(asked, parts_.usual, mistakes);
    if (mistakes.count() > 0) {
      // The next turn need not wait for its place to expire.
      if (!alone_) static_cast<void>(parts_.store.release(owner_, writer_));
      return failed("invalid_arguments", std::move(mistakes).take().front().text());
    }
    if (alone_) {
      report_.begins();
      return with_messages();
    }
    ASSIGN_OR_RETURN(const auto opened, take());
    report_.begins();
    auto ended = with_conversation(opened);
    if (released_) return ended;
    // A reply is stored, and another attempt finds it. After any other end one would write: the
    // turn keeps its place until its call's completion is known. So does one whose store is away.
    const bool replied =
        ended && text(turn::kStep) != turn::kNew && text(turn::kStep) != turn::kImport;
    static_cast<void>(replied ? parts_.store.release(owner_, writer_)
                              : parts_.store.leave(owner_, writer_));
    return ended;
  }

  std::string text(std::string_view member) const {
    return arguments_.value(std::string(member), std::string());
  }

  /// Clients of a model's API ask for what their model could, and get what there is.
  void bound_tokens(Json& asked) const {
    const auto found = asked.is_object() ? asked.find("max_tokens") : asked.end();
    if (asked.is_object() && found != asked.end() && found->is_number_unsigned() &&
        *found > parts_.usual.engine.options.max_tokens)
      *found = parts_.usual.engine.options.max_tokens;
  }

  /// A history that came with the call, and that is not kept. Its id, and so the keys of its calls,
  /// are the call's: another attempt runs nothing twice.
  Execution with_messages() {
    const std::shared_ptr<engine::Memory> memory = engine::make_memory(context_.call_id());
    ASSIGN_OR_RETURN(auto messages, read_messages());
    RETURN_IF_ERROR(append_all(*memory, std::move(messages)));
    const auto first = memory->head() + 1;
    ASSIGN_OR_RETURN(auto provider, make_provider());
    ASSIGN_OR_RETURN(const auto engine, make_engine(memory, std::move(provider)));
    const TurnStop stop(context_);
    return ended(engine->resume(events(), stop.stops()), *memory, first);
  }

  /// The messages that came with the call.
  tools::model::ToolResult<std::vector<tools::messages::Message>> read_messages() const {
    Mistakes mistakes;
    auto messages = tools::messages::read_messages(arguments_.at(std::string(turn::kMessages)),
                                                   mistakes, "/messages");
    if (mistakes.count() > 0)
      return failed("invalid_arguments", std::move(mistakes).take().front().text());
    return messages;
  }

  static tools::model::ToolResult<void> append_all(engine::Memory& memory,
                                                   std::vector<tools::messages::Message> messages) {
    for (auto& message : messages) RETURN_IF_ERROR(memory.append(std::move(message)));
    return {};
  }

  /// A conversation of its own, or the rest of one.
  Execution import_messages(const conversations::Opened& opened) {
    ASSIGN_OR_RETURN(auto messages, read_messages());
    ASSIGN_OR_RETURN(const auto memory, arguments_.contains(turn::kAfter)
                                            ? continue_import(opened, messages)
                                            : begin_import());
    // Its last message may be one that no reply follows.
    memory->keep_each_at_once();
    RETURN_IF_ERROR(append_all(*memory, std::move(messages)));
    return Json{{"conversation", memory->conversation()},
                {"messages", memory->head()},
                {turn::kRepairs, arguments_.value(turn::kRepairs, Json::array())}};
  }

  using MemoryResult = tools::model::ToolResult<std::unique_ptr<StoredMemory>>;

  /// An attempt that broke off has left one that is not the current one.
  MemoryResult begin_import() {
    ASSIGN_OR_RETURN(const auto made, parts_.store.start_new(owner_, writer_, {}));
    return open_for_import(made, 0);
  }

  /// The conversation must be as its importer knows it. What an attempt that broke off has stored
  /// of the messages is taken out.
  MemoryResult continue_import(const conversations::Opened& opened,
                               std::vector<tools::messages::Message>& messages) {
    constexpr std::size_t kMoreThanAnImport = 32UL << 20;
    const auto conversation = text(turn::kConversation);
    const auto after = arguments_.value(std::string(turn::kAfter), std::uint64_t{0});
    if (opened.conversation != conversation)
      return failed("conversation_changed",
                    fmt::format("the session's conversation is {} now, not {}", opened.conversation,
                                conversation));
    ASSIGN_OR_RETURN(auto memory,
                     open_for_import(opened, writer_.attempt == 1 ? 0 : kMoreThanAnImport));
    const auto stored = memory->own_at_end();
    if (opened.head != after + stored || memory->head() != opened.head || stored > messages.size())
      return failed("conversation_changed", fmt::format("conversation {} has {} messages, not {}",
                                                        conversation, opened.head - stored, after));
    if (stored == 0 && memory->history().open() != nullptr)
      return failed("conversation_changed",
                    "the last message of the conversation has calls without results");
    messages.erase(messages.begin(), messages.begin() + static_cast<std::ptrdiff_t>(stored));
    return memory;
  }

  MemoryResult open_for_import(const conversations::Opened& opened, std::size_t window) {
    ASSIGN_OR_RETURN(auto memory, StoredMemory::open(parts_.store, owner_, writer_, opened, window,
                                                     parts_.clock));
    return memory;
  }

  Result<std::unique_ptr<engine::ToolAwareChatEngine>> make_engine(
      std::shared_ptr<engine::Memory> memory, std::shared_ptr<providers::Provider> provider) {
    return engine::ToolAwareChatEngine::create(std::move(memory), std::move(provider), make_tools(),
                                               options_.engine, parts_.clock);
  }

  std::shared_ptr<engine::ToolBox> make_tools() const {
    return parts_.make_tools({.session_id = context_.session_id(),
                              .on_behalf = context_.on_behalf()->token,
                              .inline_ms = options_.inline_ms,
                              .trace = report_.trace()});
  }

  tools::model::ToolResult<conversations::Opened> take() {
    const auto busy = text(turn::kOnBusy);
    bool told = false;
    for (int tries = 1;; ++tries) {
      ASSIGN_OR_RETURN(auto asked, parts_.store.take(owner_, writer_));
      if (asked.taken == conversations::Taken::kTaken) return std::move(asked.opened);
      if (asked.taken == conversations::Taken::kCrowd)
        return failed("conversation_busy", "too many messages wait for this conversation already");
      if (busy == "refuse" && tries >= kTriesOfOneThatRefuses) {
        static_cast<void>(parts_.store.release(owner_, writer_));
        return failed("conversation_busy", "a turn of this conversation is running");
      }
      if (busy == "interrupt") RETURN_IF_ERROR(parts_.store.ask_to_stop(owner_));
      if (!std::exchange(told, true)) events_.status("Waiting for the turn before this one");
      // It may be its process that ends, not the call: its place stays.
      if (!parts_.pause(kTakeInterval, context_.cancellation()))
        return failed("cancelled", "the turn was cancelled while it waited");
    }
  }

  Execution with_conversation(const conversations::Opened& opened) {
    if (text(turn::kStep) == turn::kNew) {
      const auto asked = arguments_.value(turn::kOptions, Json());
      RETURN_IF_ERROR(settle_tool_choice(tools::exports::ModelApi::kOpenAi, false));
      ASSIGN_OR_RETURN(
          const auto made,
          parts_.store.start_new(owner_, writer_, asked.is_null() ? "" : to_text(asked)));
      return Json{{"conversation", made.conversation}};
    }
    if (text(turn::kStep) == turn::kImport) return import_messages(opened);
    // Before anything can fail: what fails is begun again when more calls end.
    ASSIGN_OR_RETURN(const bool first, may_continue(opened, writer_.attempt == 1));
    if (!first) return nothing_said(opened);
    take_options(opened.options);
    ASSIGN_OR_RETURN(auto provider, make_provider());
    ASSIGN_OR_RETURN(const auto left, left_by_this(opened));
    ASSIGN_OR_RETURN(std::shared_ptr<StoredMemory> memory,
                     StoredMemory::open(parts_.store, owner_, writer_, left.value_or(opened),
                                        options_.engine.context_window, parts_.clock));
    // The attempt before it may have ended before it was counted. Too few turns are better than
    // too many.
    ASSIGN_OR_RETURN(const bool next,
                     may_continue(opened, writer_.attempt > 1 && !memory->begun()));
    if (!next) return nothing_said(opened);
    RETURN_IF_ERROR(settle_tool_choice(provider->api(), memory->begun()));
    ASSIGN_OR_RETURN(const auto engine, make_engine(memory, std::move(provider)));
    if (left && (!memory->begun() || engine->interrupted()))
      return failed("conversation_changed",
                    "another conversation began before this turn had ended in its own");
    TurnStop stop(context_);
    const auto held = keeper_.hold(owner_, writer_, [&] { stop.interrupt(); });
    ASSIGN_OR_RETURN(const auto reply, reply_of(*engine, *memory, stop.stops()));
    released_ = memory->released();
    if (reply.how == How::kStopped &&
        (stop.interrupted() || !context_.cancellation().stop_requested()))
      return failed("interrupted", "a later message stopped this turn");
    return ended(reply, *memory, memory->first());
  }

  /// An attempt before this one may have stored the reply, and could not say so: a new conversation
  /// may have begun since, in which the turn must not begin again.
  Result<std::optional<conversations::Opened>> left_by_this(const conversations::Opened& opened) {
    if (writer_.attempt == 1) return std::optional<conversations::Opened>();
    return parts_.store.left_by(owner_, writer_.turn, opened.conversation);
  }

  /// Whether a turn that completions begin may go on. `counts`: it is counted.
  Result<bool> may_continue(const conversations::Opened& opened, bool counts) {
    if (text(turn::kStep) != turn::kContinue || !counts) return true;
    return parts_.store.count_auto_turn(opened.conversation);
  }

  static Json nothing_said(const conversations::Opened& opened) {
    return {{"conversation", opened.conversation}, {"reply", ""}};
  }

  /// Those of the conversation, and on top of them those of this turn, which were read before.
  void take_options(const std::string& kept) {
    const auto known = kept.empty() ? Result<Json>(Json()) : parse_json(kept);
    const auto asked = arguments_.value(turn::kOptions, Json());
    const auto options = with_options(known.value_or(Json()), asked, parts_.usual);
    Mistakes none;
    options_ = read_turn_options(options, parts_.usual, none);
    if (!options.empty()) kept_options_ = to_text(options);
  }

  /// Before options are kept: a tool that the session does not have would fail each turn. One that
  /// it no longer has is not asked for.
  tools::model::ToolResult<void> settle_tool_choice(tools::exports::ModelApi api, bool kept) {
    auto& choice = options_.engine.options.tool_choice;
    if (!providers::names_tool(choice)) return {};
    ASSIGN_OR_RETURN(const auto tools, make_tools()->definitions(api, context_.cancellation()));
    const auto known = engine::check_tool_choice(choice, tools->definitions);
    if (known) return {};
    if (!kept && arguments_.value(turn::kOptions, Json::object()).contains("tool_choice"))
      return failed("invalid_arguments", "/options/tool_choice: " + known.error().message);
    choice = parts_.usual.engine.options.tool_choice;
    return {};
  }

  tools::model::ToolResult<std::shared_ptr<providers::Provider>> make_provider() {
    ASSIGN_OR_RETURN(auto made, parts_.make_provider());
    if (const auto* none = std::get_if<providers::NotConfigured>(&made))
      return failed("not_configured", none->why);
    auto provider = std::get<std::shared_ptr<providers::Provider>>(std::move(made));
    provider_ = provider_name(*provider);
    return std::shared_ptr<providers::Provider>(
        observed(std::move(provider), {.metrics = parts_.telemetry.metrics,
                                       .tracer = parts_.telemetry.tracer,
                                       .clock = parts_.clock,
                                       .parent = report_.trace()}));
  }

  engine::Events events() {
    auto events = events_.events();
    events.on_retry = [this](const providers::Retry& retry) {
      const double after_s = std::chrono::duration<double>(retry.after).count();
      if (retry.ours)
        return events_.status(
            fmt::format("Too many requests in this minute: asking the model in {:.1f} s", after_s));
      report_.retried(provider_, retry);
      events_.status(fmt::format("The model's provider answers {}: asking again in {:.1f} s",
                                 providers::kind_name(retry.why), after_s));
    };
    events.on_told = [this](std::size_t calls) { report_.told(calls); };
    return events;
  }

  tools::model::ToolResult<Reply> reply_of(engine::ToolAwareChatEngine& engine,
                                           StoredMemory& memory, const engine::Stops& stops) {
    const auto events = this->events();
    // What an earlier attempt has stored is not stored again, and counts as the turn's.
    if (memory.begun()) {
      earlier_.iterations = chat::turn::iterations_of(memory.history().messages());
      earlier_.usage = chat::turn::usage_of(memory.history().messages());
      engine.tell_again(events_.told_again());
      return engine.resume(events, stops);
    }
    if (text(turn::kStep) == turn::kContinue) return engine.tell_ended(events, stops);
    memory.begin({.wakes = options_.wakes,
                  .on_behalf = context_.on_behalf()->token,
                  .options = kept_options_});
    return engine.send(text(turn::kContent), events, stops);
  }

  Execution ended(Reply reply, const engine::Memory& memory, std::uint64_t first) {
    report_.replied(provider_, reply);
    const bool asked = reply.iterations > 0;
    reply.iterations += earlier_.iterations;
    reply.usage.input += earlier_.usage.input;
    reply.usage.output += earlier_.usage.output;
    auto ending = ending_of(reply, memory, first);
    if (ending && asked) events_.usage(reply.usage);
    return ending;
  }

  TurnParts& parts_;
  LeaseKeeper& keeper_;
  const Json& arguments_;
  ToolContext& context_;
  TurnEvents events_;
  const bool alone_;  ///< its history came with it, and is not kept
  TurnReport report_;
  std::string_view provider_;  ///< once there is one
  bool released_ = false;      ///< the conversation, with the reply
  Reply earlier_;              ///< what earlier attempts have used up
  const conversations::Owner owner_;
  const conversations::Writer writer_;
  TurnOptions options_;
  std::string kept_options_;  ///< of the conversation, as it keeps them
};

}  // namespace

std::shared_ptr<const tools::model::Tool> make_turn_tool(TurnParts parts) {
  struct Shared {
    explicit Shared(TurnParts made)
        : parts(std::move(made)),
          keeper(parts.keeper ? parts.keeper : std::make_shared<LeaseKeeper>(parts.store)),
          ticker(parts.clock, parts.beat) {}
    TurnParts parts;
    const std::shared_ptr<LeaseKeeper> keeper;
    ReportTicker ticker;
  };
  auto body = [shared = std::make_shared<Shared>(std::move(parts))](
                  const Json& arguments, ToolContext& context,
                  tools::model::Progress& progress) -> Execution {
    if (context.on_behalf() == nullptr)
      return failed("unauthenticated", "a turn needs the token of a gateway");
    return Turn(shared->parts, *shared->keeper, shared->ticker, arguments, context, progress).run();
  };
  return std::make_shared<tools::native::NativeTool>(tools::builtin::turn_spec(), std::move(body));
}

}  // namespace toolway::chat::turns
