#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/json.h"

namespace toolway::tools::messages {

/// Whose words a message is.
enum class Role {
  kSystem,
  kUser,
  kAssistant,
  kResults,   ///< of the calls of the assistant's message before it
  kInjected,  ///< what happened elsewhere, told to the model on the user's side
  kSummary,   ///< of what came before; it is kept next to the messages, and is none of them
};
std::string_view role_name(Role role);
std::optional<Role> parse_role(std::string_view name);

/// What a provider made in its own form: it goes back to that provider as it is, and to no other.
struct Native {
  std::string provider;
  OrderedJson value;
};

/// One call that a model asks for.
struct Call {
  std::string id;
  std::string tool;       ///< as the model names it; may be anything
  std::string arguments;  ///< as the model wrote them; may be anything
};

/// A piece of an assistant's message; they are in the model's order.
struct Part {
  enum class Kind {
    kText,
    kCall,
    kOpaque,  ///< thinking, signatures, encrypted reasoning: only `native`
  };
  Kind kind = Kind::kText;
  std::string text{};
  Call call{};
  std::optional<Native> native{};
};

/// What a model can see of a result, or of a message of the user, besides its text, where its API
/// takes that; elsewhere it reads the block's line of the text: `[image image/png, 70 bytes]`.
struct Block {
  enum class Kind { kImage, kDocument };
  Kind kind = Kind::kImage;
  std::string media_type;
  std::string name{};     ///< of a document; may be empty
  std::string data{};     ///< in base64; empty: it is a text or elsewhere
  std::string url{};      ///< of an image that the provider reads from there; empty: it is here
  std::size_t at = 0;     ///< where its line begins in the text, in bytes
  std::size_t line = 0;   ///< how long that is
  std::size_t label = 0;  ///< of a document that is text: the bytes of its line before that
  // What the data says; it is not stored.
  std::uint32_t width = 0;  ///< of an image, in pixels
  std::uint32_t height = 0;
  unsigned pages = 0;  ///< of a PDF; 0: it does not tell

  /// A document that is text: its line ends with that.
  bool is_text() const { return kind == Kind::kDocument && data.empty(); }
};
/// Which blocks are sent as such, and not as their lines of text.
enum class Blocks {
  kShown,
  kOfUser,  ///< those of messages of the user, and none of results
  kAsText,
};

/// The one answer to one call, as a model reads it.
struct CallResult {
  std::string call_id;
  std::string text;
  bool is_error = false;
  std::string ran_as{};   ///< the id under which the fleet runs it; empty: it is not known there
  bool detached = false;  ///< it was still running: what it returns comes later
  std::vector<Block> blocks{};  ///< in the order of their lines
};

struct Usage {
  std::uint64_t input = 0;   ///< tokens of the request, those from a cache included
  std::uint64_t output = 0;  ///< tokens of the reply
  /// Messages directly before the reply that its request had, when it had no others; 0: not known.
  std::uint64_t sent = 0;
};

/// Why a model stopped.
enum class Finish {
  kStop,
  kCalls,
  kLength,    ///< cut off by the limit of tokens
  kRefusal,   ///< the model declined
  kFiltered,  ///< a content filter ended it
  kPaused,    ///< the provider wants the same conversation sent again
  kStopped,   ///< the turn was stopped: this is what the model had said by then
};
std::string_view finish_name(Finish finish);
std::optional<Finish> parse_finish(std::string_view name);

/// How far the model was told that a call is.
struct ToldProgress {
  std::string ran_as;
  std::string event;  ///< the id of the newest of its events that was told

  bool operator==(const ToldProgress&) const = default;
};

struct Message {
  Role role = Role::kUser;
  std::string text{};                 ///< of system, user, injected and summary
  std::vector<Block> blocks{};        ///< of user, in the order of their lines of the text
  std::vector<Part> parts{};          ///< of the assistant
  std::vector<CallResult> results{};  ///< of results, in the order of the calls
  Finish finish = Finish::kStop;      ///< of the assistant
  std::optional<Usage> usage{};       ///< of the assistant, where the provider tells
  std::string model{};                ///< of the assistant
  /// Of the assistant: how long its calls may take before they run on, where the provider says so,
  /// in milliseconds. It is not kept.
  std::optional<unsigned> inline_ms{};
  std::vector<std::string> about{};      ///< of injected: the calls (`ran_as`) whose end it tells
  std::vector<ToldProgress> progress{};  ///< of injected: how far others are
  /// Of a summary: how many messages directly before it are not part of it.
  std::size_t keeps = 0;
  std::int64_t at_us = 0;  ///< Unix time in microseconds; 0: not known
};

/// What is sent, oldest first; the messages outlive it.
using Selection = std::vector<const Message*>;

Message text_message(Role role, std::string text);

/// The calls of an assistant's message.
std::vector<Call> calls_of(const Message& message);
bool has_calls(const Message& message);
/// The text of any message; of the assistant all its text parts.
std::string text_of(const Message& message);

/// The calls (`ran_as`) that were still running, and whose end no message has told yet.
std::vector<std::string> pending_calls(const std::vector<Message>& messages);
/// What was told last of each call.
std::vector<ToldProgress> told_progress(const std::vector<Message>& messages);
/// The newer one counts.
void note_progress(std::vector<ToldProgress>& all, const ToldProgress& told);

}  // namespace toolway::tools::messages
