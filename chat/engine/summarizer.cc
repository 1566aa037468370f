#include "chat/engine/summarizer.h"

#include <algorithm>

#include "base/try.h"
#include "chat/engine/summary.h"
#include "tools/messages/shown.h"

namespace toolway::chat::engine {
namespace {

using tools::messages::Message;
using tools::messages::Role;

/// Requests for summaries before one request: a long history is summarized in pieces.
constexpr unsigned kMaxPieces = 8;
/// The part of a request that a summary may take up, whatever the model makes of it.
constexpr unsigned kSummaryPart = 4;

}  // namespace

std::optional<Message> Summarizer::sent() const {
  const Message* summary = parts_.memory.history().summary();
  if (!parts_.config.enable_summarization || summary == nullptr) return std::nullopt;
  return shown_summary(summary->text);
}

window::Bounds Summarizer::bounds(std::uint64_t tokens, const window::ToolListPtr& tools) const {
  window::Bounds bounds{.tokens = tokens, .max_messages = parts_.config.max_history};
  const auto& config = parts_.config;
  bounds.blocks = parts_.provider.blocks_for(config.options.model);
  if (!config.system_prompt.empty())
    bounds.besides.system_prompt =
        window::tokens_of(text_message(Role::kSystem, config.system_prompt));
  bounds.besides.tools = tools->tokens;
  if (goes_on())
    bounds.besides.continuation =
        window::tokens_of(text_message(Role::kUser, config.continuation_prompt));
  if (const auto summary = sent()) {
    bounds.besides.summary = window::tokens_of(*summary);
    bounds.covered = parts_.memory.history().covered();
  }
  return bounds;
}

bool Summarizer::goes_on() const {
  const auto& messages = parts_.memory.history().messages();
  return !parts_.config.continuation_prompt.empty() && !messages.empty() &&
         messages.back().role == Role::kResults;
}

Result<bool> Summarizer::summarize(std::uint64_t tokens, const window::ToolListPtr& tools,
                                   const Events& events, const std::stop_token& stop) const {
  if (!parts_.config.enable_summarization) return true;
  const auto& messages = parts_.memory.history().messages();
  for (unsigned piece = 0; piece < kMaxPieces && !stop.stop_requested(); ++piece) {
    auto within = bounds(tokens, tools);
    const auto window = window::choose(messages, within, parts_.estimate);
    if (window.from >= window.to) return true;
    // Half of what is left is summarized, too, so that this is not done for each request.
    within.tokens = parts_.estimate.likely(window.load) / 2;
    within.by = window::Bounds::By::kLikely;
    within.max_messages = (within.max_messages + 1) / 2;
    auto left_out = window::choose(messages, within, parts_.estimate);
    left_out.to = std::max(left_out.to, window.to);
    if (events.on_status) events.on_status("Summarizing what was said before");
    auto summary = ask(left_out, tokens, stop);
    if (!summary) {
      if (events.on_status && !stop.stop_requested())
        events.on_status("It could not be summarized: the model is sent less of it");
      return false;
    }
    RETURN_IF_ERROR(parts_.store(std::move(*summary)));
  }
  return true;
}

std::optional<Message> Summarizer::ask(const window::Window& left_out, std::uint64_t tokens,
                                       const std::stop_token& stop) const {
  const auto& history = parts_.memory.history();
  const auto instructions = summary_instructions();
  const std::span<const Message> messages(history.messages());
  // What is written around the two messages is counted, too.
  auto around = window::tokens_of(instructions);
  around += window::tokens_of(Message{});
  const auto room = static_cast<double>(tokens) - around.most;
  const auto* before = history.summary();
  const auto asked =
      to_summarize(before != nullptr ? before->text : std::string_view(),
                   messages.subspan(left_out.from, left_out.to - left_out.from), room);
  if (asked.count == 0) return std::nullopt;
  const auto text = text_message(Role::kUser, asked.text);
  providers::ModelRequest request{.messages = {&instructions, &text},
                                  .options = parts_.config.options};
  request.options.tool_choice = "none";
  const auto reply = parts_.provider.ask(request, [](std::string_view) {}, stop);
  if (!reply) return std::nullopt;
  if (reply->usage) {
    parts_.usage.input += reply->usage->input;
    parts_.usage.output += reply->usage->output;
  }
  const auto said = tools::messages::text_of(*reply);
  const bool whole = reply->finish == tools::messages::Finish::kStop ||
                     reply->finish == tools::messages::Finish::kLength;
  if (!whole || tools::messages::has_calls(*reply) || tools::messages::is_blank(said))
    return std::nullopt;
  Message summary{.role = Role::kSummary};
  summary.text = window::prefix_within(said, static_cast<double>(tokens) / kSummaryPart);
  summary.keeps = messages.size() - left_out.from - asked.count;
  return summary;
}

}  // namespace toolway::chat::engine
