#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <string_view>

#include "base/clock.h"
#include "base/result.h"

namespace toolway {

/// Fills `bytes` from the kernel's generator (getrandom(2)); aborts when it is unavailable.
void random_bytes(void* bytes, std::size_t count);

/// A call's id: UUIDv7 (RFC 9562 §5.7) in canonical text, made by the gateway.
/// 74 random bits: it cannot be guessed. Ordered by time to the millisecond.
class CallId {
 public:
  static constexpr std::size_t kLength = 36;
  CallId() = default;
  static CallId make(WallTime now);
  /// Accepts canonical lower-case text only, and only version 7.
  static Result<CallId> parse(std::string_view text);
  const std::string& text() const { return text_; }
  /// When the call was made, to the millisecond.
  WallTime made_at() const;
  auto operator<=>(const CallId&) const = default;

 private:
  explicit CallId(std::string text) : text_(std::move(text)) {}
  std::string text_;
};

/// A session's inner name: 128 random bits as 32 lower-case hex digits. Made by
/// the server, used in subjects and tables, never shown.
class SessionKey {
 public:
  static constexpr std::size_t kLength = 32;
  SessionKey() = default;
  static SessionKey make();
  static Result<SessionKey> parse(std::string_view text);
  const std::string& text() const { return text_; }
  /// The first 12 bits, as three hex digits: the token in subjects.
  std::string_view shard() const { return std::string_view(text_).substr(0, 3); }
  /// The same as a number, 0 to 4095.
  unsigned shard_number() const;
  auto operator<=>(const SessionKey&) const = default;

 private:
  explicit SessionKey(std::string text) : text_(std::move(text)) {}
  std::string text_;
};

/// A random lower-case hex string of `bytes` bytes, for inboxes, worker and request ids.
std::string random_hex(std::size_t bytes);

/// `[A-Za-z0-9._:@-]{1,128}`: what a client may choose as its session_id.
bool valid_session_id(std::string_view text);
/// `[A-Za-z0-9_-]{1,64}`: names of tools and namespaces.
bool valid_name(std::string_view text);
/// Opaque client text (user ids, tool_call_ids): 1 to 255 bytes of UTF-8, no control characters.
bool valid_opaque(std::string_view text);

}  // namespace toolway
