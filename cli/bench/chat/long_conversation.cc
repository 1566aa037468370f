#include "cli/bench/chat/long_conversation.h"

#include <fmt/format.h>

#include "base/ids.h"
#include "base/try.h"
#include "chat/engine/engine_config.h"
#include "chat/engine/read_back.h"
#include "chat/turns/stored_memory.h"
#include "chat/window/window.h"
#include "cli/bench/chat/model_at_hand.h"
#include "cli/bench/figures/load_record.h"
#include "tools/messages/message_json.h"

namespace toolway::cli::bench::chat {
namespace {

namespace conversations = persistence::conversations;
using toolway::chat::turns::StoredMemory;
using toolway::tools::messages::Role;

constexpr unsigned kTimes = 100;
constexpr std::size_t kTextBytes = 400;

std::string text_of(std::size_t number) {
  std::string text = fmt::format("This is message {} of a long conversation.", number);
  while (text.size() < kTextBytes) text += " It says what such messages say.";
  return text;
}

/// A question, its answer, the next question.
conversations::StoredMessage message_of(std::size_t number, const std::string& turn) {
  toolway::tools::messages::Message message{.role =
                                                number % 2 == 1 ? Role::kUser : Role::kAssistant};
  if (message.role == Role::kUser)
    message.text = text_of(number);
  else
    message.parts.push_back({.text = text_of(number)});
  return {.number = number,
          .turn = turn,
          .role = std::string(toolway::tools::messages::role_name(message.role)),
          .body = to_text(toolway::tools::messages::message_json(message)),
          .kept = conversations::Kept::kWithNext};
}

}  // namespace

Result<WindowFigures> measure_window(conversations::ConversationStore& store,
                                     std::size_t messages) {
  const conversations::Owner owner{.session_key = SessionKey::make().text()};
  const conversations::Writer writer{.turn = SessionKey::make().text()};
  ASSIGN_OR_RETURN(auto taken, store.take(owner, writer));
  auto& opened = taken.opened;
  WindowFigures figures{.messages = messages};
  for (std::size_t number = 1; number <= messages; ++number) {
    const auto message = message_of(number, writer.turn);
    figures.bytes += message.body.size();
    RETURN_IF_ERROR(store.append(opened.conversation, writer, message, {}));
  }
  opened.head = messages;
  const toolway::chat::engine::EngineConfig config;
  const auto room = config.context_window - config.options.max_tokens;
  figures.may_send_bytes = config.context_window * toolway::chat::turns::kBytesPerToken;
  const SystemClock clock;
  std::vector<float> times_ms;
  for (unsigned i = 0; i < kTimes; ++i) {
    const auto begun = Steady::now();
    ASSIGN_OR_RETURN(const auto memory, StoredMemory::open(store, owner, writer, opened,
                                                           config.context_window, clock));
    toolway::chat::window::Estimate estimate;
    toolway::chat::window::Counts counts;
    const toolway::chat::window::Bounds bounds{.tokens = room};
    RETURN_IF_ERROR(toolway::chat::engine::read_back({*memory, estimate, counts}, bounds, false));
    const auto window =
        toolway::chat::window::choose(memory->history().messages(), bounds, estimate, counts);
    const std::chrono::duration<float, std::milli> took = Steady::now() - begun;
    times_ms.push_back(took.count());
    figures.sent_messages = window.messages.size();
    figures.read_messages = memory->read().messages;
    figures.read_bytes = memory->read().bytes;
  }
  figures.p50_ms = figures::percentile(times_ms, 0.5);
  figures.p99_ms = figures::percentile(times_ms, 0.99);
  RETURN_IF_ERROR(store.release(owner, writer));
  return figures;
}

}  // namespace toolway::cli::bench::chat
