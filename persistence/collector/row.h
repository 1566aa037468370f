#pragma once

#include <cstddef>
#include <cstdint>
#include <string_view>

#include "persistence/collector/copy_encoder.h"

/// A message, and a row that is made of it.
namespace toolway::persistence::collector {

/// The streams that the collector takes.
enum class Source : std::uint8_t { kCalls, kEvents, kBlobs, kSessions, kAudit, kApiKeys };
inline constexpr std::size_t kSources = 6;

/// A message as it was pulled.
struct Message {
  Source source = Source::kCalls;
  std::string_view subject;
  std::string_view payload;
  std::int64_t incarnation = 0;
  std::uint64_t sequence = 0;
  bool redelivered = false;
};

/// Where a payload's JSON goes: into a json column of its own, or, when
/// Postgres refuses it as json, it stays in the message.
enum class JsonPlacement : std::uint8_t { kColumn, kMessage };

/// One row, encoded for COPY.
struct Row {
  UuidBytes key{};  ///< call_id, session_key, or the beginning of a key's id
  std::uint64_t sequence = 0;
  std::size_t offset = 0;  ///< in TableRows::bytes
  std::size_t length = 0;
  std::size_t message = 0;  ///< index of the message in its batch
  JsonPlacement json = JsonPlacement::kColumn;
};

}  // namespace toolway::persistence::collector
