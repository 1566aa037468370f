#include "tools/messages/import.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <iterator>

#include "base/ids.h"
#include "base/strict_object.h"
#include "base/try.h"
#include "tools/messages/assemble.h"
#include "tools/messages/export.h"
#include "tools/messages/foreign.h"
#include "tools/messages/message_json.h"

namespace toolway::tools::messages {
namespace {

using exports::Format;

/// Exports have calls' arguments inside strings, and natives inside messages.
constexpr std::size_t kMaxDepth = 128;
constexpr std::size_t kMaxShown = 10;
/// Of one message: more calls than this are never answered (tools/exports/model_message.h).
constexpr std::size_t kMaxParts = 2000;

/// Whether what a message says of calls are their ids: what is stored of them is looked up by
/// those.
void check_calls(const Message& message, Mistakes& mistakes, const std::string& place) {
  const auto check = [&](const std::string& id, std::string at) {
    if (!CallId::parse(id))
      mistakes.add({place + std::move(at), "expected the id of a call, a UUID of version 7"});
  };
  for (std::size_t i = 0; i < message.results.size(); ++i)
    if (!message.results[i].ran_as.empty())
      check(message.results[i].ran_as, fmt::format("/results/{}/ran_as", i));
  for (std::size_t i = 0; i < message.about.size(); ++i)
    check(message.about[i], fmt::format("/about/{}", i));
  for (std::size_t i = 0; i < message.progress.size(); ++i) {
    check(message.progress[i].ran_as, fmt::format("/progress/{}/ran_as", i));
    if (!valid_name(message.progress[i].event))
      mistakes.add({fmt::format("{}/progress/{}/event", place, i), "expected the id of an event"});
  }
}

std::vector<Message> read_own(const OrderedJson& document, Mistakes& mistakes) {
  std::vector<Message> messages;
  StrictObject<OrderedJson> object(document, mistakes);
  object.choice("format", {"toolway"});
  std::int64_t version = 1;
  object.whole<std::int64_t>("version", version, {1, 1});
  const auto* list = object.list("messages");
  if (list == nullptr) {
    if (document.is_object() && !document.contains("messages"))
      object.wrong("messages", "it is missing", "required");
    return messages;
  }
  for (std::size_t i = 0; i < list->size(); ++i) {
    const auto place = fmt::format("/messages/{}", i);
    messages.push_back(read_message((*list)[i], mistakes, place));
    check_calls(messages.back(), mistakes, place);
    if (messages.back().role == Role::kSummary)
      mistakes.add({place + "/role", "a summary cannot be imported: import what it is of"});
  }
  object.nothing_else();
  return messages;
}

std::vector<std::string> texts_of(Mistakes mistakes) {
  std::vector<std::string> texts;
  for (const Mistake& mistake : std::move(mistakes).take()) texts.push_back(mistake.text());
  return texts;
}

Error refused(std::vector<std::string> mistakes) {
  const auto more = mistakes.size() > kMaxShown ? mistakes.size() - kMaxShown : 0;
  mistakes.resize(std::min(mistakes.size(), kMaxShown));
  auto text = fmt::format("this is not a valid conversation: {}", fmt::join(mistakes, "; "));
  if (more > 0) text += fmt::format("; and {} more", more);
  return {ErrorCode::kInvalidRequest, std::move(text)};
}

}  // namespace

Result<Imported> import_conversation(std::string_view text, Format format, Mended mended,
                                     std::string_view provider) {
  ASSIGN_OR_RETURN(const auto document, parse_ordered_json(text, kMaxDepth));
  const auto api = api_of(format);
  if (!api && format != Format::kToolway)
    return fail(ErrorCode::kInvalidRequest,
                "conversations are imported from toolway, openai, openai-responses or anthropic");
  Mistakes mistakes;
  Mistakes lost;
  auto messages =
      api ? read_foreign(document, *api, provider, mistakes, lost) : read_own(document, mistakes);
  for (std::size_t i = 0; i < messages.size(); ++i)
    if (messages[i].parts.size() > kMaxParts || messages[i].results.size() > kMaxParts)
      mistakes.add({fmt::format("/{}", i),
                    fmt::format("a message has at most {} parts and results", kMaxParts)});
  if (mistakes.count() > 0) return fail(refused(texts_of(std::move(mistakes))));
  std::vector<Repair> repairs;
  for (auto& wrong : texts_of(std::move(lost)))
    repairs.push_back({std::move(wrong), "it was left out"});
  auto assembled = assemble(std::move(messages));
  std::ranges::move(assembled.repairs, std::back_inserter(repairs));
  std::vector<std::string> texts;
  for (const auto& [wrong, done] : repairs)
    texts.push_back(mended == Mended::kRepair ? fmt::format("{}; {}", wrong, done) : wrong);
  if (mended == Mended::kRepair || texts.empty())
    return Imported{std::move(assembled.history), std::move(texts)};
  auto error = refused(std::move(texts));
  if (mended == Mended::kOffer) error.message += " (repair=true mends that)";
  return fail(std::move(error));
}

}  // namespace toolway::tools::messages
