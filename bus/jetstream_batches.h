#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "base/result.h"

/// The JSON of JetStream's API that is about atomic batches.
namespace toolway::bus::api {

/// What became of an atomic batch.
struct BatchAnswer {
  enum class Kind {
    kStored,    ///< all of it
    kRefused,   ///< nothing of it is stored
    kNotTaken,  ///< likewise, since the stream takes no batches
    kUnclear,   ///< an error that may come after some of it was stored, or no answer to a batch
  };
  Kind kind = Kind::kUnclear;
  std::uint64_t last = 0;   ///< sequence of the last one, if stored
  std::uint64_t count = 0;  ///< how many, if stored
  std::string words{};      ///< the server's, if not
};
BatchAnswer parse_batch_answer(std::string_view json);

/// Whether the stream that the answer to `STREAM.INFO` describes takes atomic batches, and its
/// server syncs each once. With replicas it does not: there Raft gathers what is stored.
Result<bool> parse_takes_batches(std::string_view json);
/// From an answer to `STREAM.INFO`, the request to `STREAM.UPDATE` that makes the stream take
/// atomic batches; nothing where the server would not sync them once.
Result<std::optional<std::string>> allow_batches_request(std::string_view json);
/// Errors: what the server refused.
Result<void> parse_update(std::string_view json);

}  // namespace toolway::bus::api
