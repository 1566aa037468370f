#include "chat/engine/summarizer.h"

#include <algorithm>

#include "base/text.h"
#include "base/try.h"
#include "base/utf8.h"
#include "chat/engine/summary.h"

namespace toolway::chat::engine {
namespace {

using history::Message;
using history::Role;

/// Requests for summaries before one request: a long history is summarized in pieces.
constexpr unsigned kMaxPieces = 8;
/// The part of a request that a summary may take up, whatever the model makes of it.
constexpr std::size_t kSummaryPart = 4;

}  // namespace

std::optional<Message> Summarizer::sent() const {
  const Message* summary = parts_.memory.history().summary();
  if (!parts_.config.enable_summarization || summary == nullptr) return std::nullopt;
  return shown_summary(summary->text);
}

window::Bounds Summarizer::bounds(std::uint64_t tokens, const OrderedJson& tools) const {
  window::Bounds bounds{.tokens = tokens,
                        .fixed_bytes = parts_.config.system_prompt.size() + to_text(tools).size(),
                        .max_messages = parts_.config.max_history};
  if (const auto summary = sent()) {
    bounds.fixed_bytes += window::sent_bytes(*summary);
    bounds.covered = parts_.memory.history().covered();
  }
  return bounds;
}

Result<bool> Summarizer::summarize(std::uint64_t tokens, const OrderedJson& tools,
                                   const Events& events, const std::stop_token& stop) const {
  if (!parts_.config.enable_summarization) return true;
  const auto& messages = parts_.memory.history().messages();
  for (unsigned piece = 0; piece < kMaxPieces && !stop.stop_requested(); ++piece) {
    auto within = bounds(tokens, tools);
    const auto window = window::choose(messages, within, parts_.estimate);
    if (window.from >= window.to) return true;
    // Half is summarized, so that this is not done for each request.
    within.tokens /= 2;
    within.max_messages = (within.max_messages + 1) / 2;
    if (events.on_status) events.on_status("Summarizing what was said before");
    auto summary = ask(window::choose(messages, within, parts_.estimate), tokens, stop);
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
  const auto around = window::sent_bytes(instructions) + window::sent_bytes(Message{});
  const auto room = parts_.estimate.bytes(tokens) - std::min(parts_.estimate.bytes(tokens), around);
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
  const auto said = history::text_of(*reply);
  const bool whole =
      reply->finish == history::Finish::kStop || reply->finish == history::Finish::kLength;
  if (!whole || history::has_calls(*reply) || trimmed(said, " \t\r\n").empty()) return std::nullopt;
  Message summary{.role = Role::kSummary};
  summary.text = utf8_prefix(said, parts_.estimate.bytes(tokens) / kSummaryPart);
  summary.keeps = messages.size() - left_out.from - asked.count;
  return summary;
}

}  // namespace toolway::chat::engine
