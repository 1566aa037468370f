#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>

#include "base/json.h"
#include "tools/exports/model_message.h"
#include "tools/messages/message.h"

/// Replies in the words of APIs, as their servers write them. Pure.
namespace toolway::tools::messages {

/// Writes one reply, as a stream of events or in one piece.
class ApiWriter {
 public:
  virtual ~ApiWriter() = default;
  /// What a stream begins with.
  virtual std::string begin() = 0;
  /// A piece of text.
  virtual std::string text(std::string_view piece) = 0;
  /// The rest: calls, why it ended, usage.
  virtual std::string end(const Message& message) = 0;
  /// The whole reply as one object.
  virtual OrderedJson whole(const Message& message) = 0;
};

/// What a reply says of itself.
struct ReplyIdentity {
  std::string id = "1";
  std::string model = "scripted";
  std::int64_t created_s = 1;  ///< Unix time in seconds
  /// Whether a stream of Chat Completions has its usage: a chunk without a choice, which clients
  /// meet only if they ask for it.
  bool streams_usage = false;
};

/// Whether a request of Chat Completions asks for that: `stream_options.include_usage`.
bool wants_usage(const OrderedJson& request);

std::unique_ptr<ApiWriter> make_api_writer(exports::ModelApi api, ReplyIdentity identity = {});

/// An error in the form of the API. `code`: which one it is, for programs; empty: it has none.
OrderedJson api_error(exports::ModelApi api, std::string_view type, std::string_view message,
                      std::string_view code = {});

}  // namespace toolway::tools::messages
