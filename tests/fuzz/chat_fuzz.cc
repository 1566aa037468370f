// Arbitrary bytes as what models' servers stream, as conversations and as scripts. Nothing may
// crash; a stream that is cut elsewhere must read the same; what is taken must be valid afterwards,
// and the same when it is written and read again.
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <string>
#include <string_view>

#include "chat/providers/dialect.h"
#include "chat/providers/script.h"
#include "tools/messages/export.h"
#include "tools/messages/import.h"
#include "tools/messages/message_json.h"

namespace {

using namespace toolway;
using namespace toolway::chat;
using tools::exports::Format;

std::string reply_to(const providers::Dialect& dialect, std::string_view one,
                     std::string_view two) {
  std::string seen;
  const auto reader = dialect.reader("p", [&](std::string_view text) { seen += text; });
  tools::http::SseReader events([&](const auto& event) { reader->take(event); }, 10'000);
  if (!events.feed(one) || !events.feed(two)) return seen + "\x1flong";
  auto reply = reader->finish();
  return seen + "\x1f" +
         (reply ? to_text(tools::messages::message_json(*reply)) : reply.error().message);
}

/// Each call has its result, right after it.
void check_valid(const tools::messages::History& history) {
  std::size_t open = 0;
  for (const auto& message : history.messages()) {
    if (message.results.size() != open) std::abort();
    open = tools::messages::calls_of(message).size();
  }
}

/// A provider's own forms are those of its API.
void check_import(std::string_view text, Format format) {
  using tools::exports::format_name;
  auto read = tools::messages::import_conversation(text, format, tools::messages::Mended::kRepair,
                                                   format_name(format));
  if (!read) return;
  read->history.repair(tools::messages::Interruption::kUnknown);
  check_valid(read->history);
  for (const auto out :
       {Format::kToolway, Format::kOpenAi, Format::kOpenAiResponses, Format::kAnthropic}) {
    const auto written = tools::messages::export_conversation(read->history, out, format_name(out));
    const auto again = tools::messages::import_conversation(
        *written, out, tools::messages::Mended::kRefuse, format_name(out));
    if (!again) std::abort();
    if (out == Format::kToolway &&
        *tools::messages::export_conversation(again->history, out, format_name(out)) != *written)
      std::abort();
  }
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  const auto cut = size == 0 ? 0 : data[0] % size;
  for (const auto* name : {"openai", "openai-responses", "anthropic"}) {
    const auto dialect = providers::make_dialect(name);
    if (reply_to(*dialect, text, "") != reply_to(*dialect, text.substr(0, cut), text.substr(cut)))
      std::abort();
  }
  for (const auto format :
       {Format::kToolway, Format::kOpenAi, Format::kOpenAiResponses, Format::kAnthropic})
    check_import(text, format);
  (void)providers::read_script(text, "s");
  return 0;
}
