#pragma once

#include <chrono>
#include <optional>
#include <string>
#include <string_view>

#include "base/clock.h"
#include "chat/providers/dialect.h"
#include "tools/http/http_message.h"

/// What an answer that is not a reply means, and what to do after it. Pure.
namespace toolway::chat::providers {

/// An answer whose status is not 200, or that is not of this API.
struct FailedAnswer {
  int status = 0;
  tools::http::HttpHeaders headers{};
  std::string body{};  ///< its beginning
};

/// In words, and how long it asks to wait. `key_name`: where the key comes from, for a message
/// about it.
ProviderError error_of(const FailedAnswer& answer, std::string_view key_name, WallTime now);
/// Of a request that had no whole answer.
ProviderError error_of(const tools::http::HttpEnd& end);

/// The parameter of `sent` that the model refuses, and may do without; nothing: it is something
/// else. Models of today refuse what those of yesterday took.
std::optional<std::string> refused_parameter(const FailedAnswer& answer, const OrderedJson& sent,
                                             const LeftOut& optional);

/// What an answer says of the blocks of the request that it is to.
enum class BlocksRefused {
  kNo,
  kPerhaps,   ///< it does not say what it refuses
  kThisTime,  ///< these: too large, damaged, too many
  kAlways,    ///< the model, or its server, takes none
};
/// `optional`: what is to blame instead when the answer names one of them.
BlocksRefused refused_blocks(const FailedAnswer& answer, const LeftOut& optional);

/// How long to wait before the same request is sent again; nothing: it is not. `tries`: so far.
/// Follows `x-should-retry`, `retry-after-ms` and `retry-after`; a server that asks for more than a
/// minute is not waited for.
std::optional<std::chrono::milliseconds> retry_delay(const FailedAnswer& answer, unsigned tries,
                                                     WallTime now);
/// The same after no answer.
std::optional<std::chrono::milliseconds> retry_delay(const tools::http::HttpEnd& end,
                                                     unsigned tries);

}  // namespace toolway::chat::providers
