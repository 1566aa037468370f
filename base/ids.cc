#include "base/ids.h"

#include <sys/random.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstdio>
#include <cstdlib>
#include <cstring>

#include "base/id_text.h"
#include "base/stored_session_id.h"
#include "base/text.h"
#include "base/utf8.h"

namespace toolway {
namespace {

bool is_lower_hex(char c) { return (c >= '0' && c <= '9') || (c >= 'a' && c <= 'f'); }

bool is_word(char c) {
  return (c >= '0' && c <= '9') || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z');
}

unsigned hex_value(char c) {
  return c <= '9' ? static_cast<unsigned>(c - '0') : static_cast<unsigned>(c - 'a' + 10);
}

bool is_dash_position(std::size_t i) { return i == 8 || i == 13 || i == 18 || i == 23; }

void ask_kernel(void* bytes, std::size_t count) {
  auto* at = static_cast<unsigned char*>(bytes);
  while (count > 0) {
    const ssize_t got = ::getrandom(at, count, 0);
    if (got < 0) {
      if (errno == EINTR) continue;
      std::perror("getrandom");
      std::abort();
    }
    at += got;
    count -= static_cast<std::size_t>(got);
  }
}

}  // namespace

void random_bytes(void* bytes, std::size_t count) {
  // Ahead of need, since a system call costs more than an id, and forgotten
  // when given out. A copy by fork() would give out the same: ours do nothing
  // but execute another program.
  thread_local std::array<unsigned char, 512> ready;
  thread_local std::size_t left = 0;
  if (count > ready.size()) return ask_kernel(bytes, count);
  if (count > left) {
    ask_kernel(ready.data(), ready.size());
    left = ready.size();
  }
  left -= count;
  std::memcpy(bytes, ready.data() + left, count);
  ::explicit_bzero(ready.data() + left, count);
}

CallId CallId::make(WallTime now) {
  std::array<unsigned char, 16> b;
  random_bytes(b.data() + 6, b.size() - 6);
  const auto ms = static_cast<std::uint64_t>(to_unix_us(now) / 1000);
  for (std::size_t i = 0; i < 6; ++i) b[i] = static_cast<unsigned char>(ms >> (8 * (5 - i)));
  b[6] = static_cast<unsigned char>((b[6] & 0x0f) | 0x70);
  b[8] = static_cast<unsigned char>((b[8] & 0x3f) | 0x80);
  std::string text;
  text.reserve(kLength);
  for (std::size_t i = 0; i < b.size(); ++i) {
    if (i == 4 || i == 6 || i == 8 || i == 10) text.push_back('-');
    append_hex(text, {b.data() + i, 1});
  }
  return CallId(std::move(text));
}

bool is_call_id(std::string_view text) {
  bool good = text.size() == CallId::kLength;
  for (std::size_t i = 0; good && i < text.size(); ++i) {
    good = is_dash_position(i) ? text[i] == '-' : is_lower_hex(text[i]);
  }
  return good && text[14] == '7';
}

Result<CallId> CallId::parse(std::string_view text) {
  if (!is_call_id(text)) {
    return fail(ErrorCode::kInvalidIdentifier, "a call_id is a lower-case UUID of version 7");
  }
  return CallId(std::string(text));
}

WallTime CallId::made_at() const {
  std::int64_t ms = 0;
  for (std::size_t i = 0; i < 13 && i < text_.size(); ++i) {
    if (text_[i] != '-') ms = ms << 4 | hex_value(text_[i]);
  }
  return from_unix_us(ms * 1000);
}

SessionKey SessionKey::make() { return SessionKey(random_hex(16)); }

bool is_session_key(std::string_view text) {
  return text.size() == SessionKey::kLength && std::all_of(text.begin(), text.end(), is_lower_hex);
}

Result<SessionKey> SessionKey::parse(std::string_view text) {
  if (!is_session_key(text)) {
    return fail(ErrorCode::kInvalidIdentifier, "a session_key is 32 lower-case hex digits");
  }
  return SessionKey(std::string(text));
}

unsigned SessionKey::shard_number() const {
  unsigned value = 0;
  for (const char c : shard()) value = value << 4 | hex_value(c);
  return value;
}

std::string random_hex(std::size_t bytes) {
  std::string raw(bytes, '\0');
  random_bytes(raw.data(), bytes);
  std::string text;
  text.reserve(bytes * 2);
  append_hex(text, {reinterpret_cast<const unsigned char*>(raw.data()), bytes});
  return text;
}

bool valid_session_id(std::string_view text) {
  // Clients take these two out of paths (RFC 3986 §5.2.4).
  return may_be_stored_session_id(text) && text != "." && text != "..";
}

bool may_be_stored_session_id(std::string_view text) {
  constexpr std::string_view kExtra = "._:@-";
  return !text.empty() && text.size() <= 128 && std::all_of(text.begin(), text.end(), [&](char c) {
    return is_word(c) || kExtra.find(c) != std::string_view::npos;
  });
}

bool valid_name(std::string_view text) {
  return !text.empty() && text.size() <= 64 && std::all_of(text.begin(), text.end(), [](char c) {
    return is_word(c) || c == '_' || c == '-';
  });
}

bool valid_opaque(std::string_view text) {
  return !text.empty() && text.size() <= 255 && valid_utf8(text) &&
         std::none_of(text.begin(), text.end(),
                      [](char c) { return static_cast<unsigned char>(c) < 0x20 || c == 0x7f; });
}

}  // namespace toolway
