#pragma once

#include <memory>
#include <set>
#include <string>
#include <string_view>

#include "base/ordered_object.h"
#include "chat/providers/provider.h"
#include "tools/http/http_message.h"
#include "tools/http/sse_reader.h"

/// How the API of a model is spoken: no socket, no clock.
namespace toolway::chat::providers {

/// Names of parameters that a model has refused.
using LeftOut = std::set<std::string, std::less<>>;
/// One of them for the blocks of results, which are sent as text then.
inline constexpr std::string_view kBlocks = "blocks";
tools::messages::Blocks sent_blocks(const ModelRequest& request, const LeftOut& left_out);

/// Puts one reply together from the events of a stream. One thread.
class ReplyReader {
 public:
  virtual ~ReplyReader() = default;
  virtual void take(const tools::http::SseEvent& event) = 0;
  /// A reply that came in one piece: some servers do not stream.
  virtual void take_whole(OrderedJson response) = 0;
  /// Whether the reply is complete, or can no longer become one: what follows is not read.
  virtual bool done() const = 0;
  /// The reply, or what is wrong with it. Call it once.
  virtual ReplyResult finish() = 0;
};

/// One API.
class Dialect {
 public:
  virtual ~Dialect() = default;
  virtual tools::exports::ModelApi api() const = 0;
  /// Where it is when no other base URL is given.
  virtual std::string_view default_base_url() const = 0;
  /// Below the base URL.
  virtual std::string_view path() const = 0;
  virtual tools::http::HttpHeaders headers(const std::string& key) const = 0;
  /// The body of a request without the parameters that are `left_out`.
  virtual OrderedJson body(const ModelRequest& request, std::string_view provider,
                           const LeftOut& left_out) const = 0;
  /// The parameters that a model may do without.
  virtual const LeftOut& optional() const = 0;
  virtual std::unique_ptr<ReplyReader> reader(std::string provider, OnText on_text) const = 0;
};

/// `Authorization: Bearer KEY`; nothing without a key.
tools::http::HttpHeaders bearer_headers(const std::string& key);

/// The most that a body has.
inline constexpr std::size_t kBodyMembers = 12;
/// Gives `body` the members of `more` as well. `update` would copy a whole history.
void add_members(OrderedJson& body, OrderedJson more);

/// `openai`, `openai-responses` or `anthropic`; null: there is none of that name.
std::unique_ptr<Dialect> make_dialect(std::string_view name);
std::unique_ptr<Dialect> make_openai_dialect();
std::unique_ptr<Dialect> make_responses_dialect();
std::unique_ptr<Dialect> make_anthropic_dialect();

}  // namespace toolway::chat::providers
