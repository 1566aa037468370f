#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "bus/bus.h"

/// The JSON and text that JetStream's API speaks, without a connection.
namespace toolway::bus::api {

/// What `$JS.ACK.…` says about a delivery.
struct DeliverySubject {
  std::uint64_t delivery_count = 0;
  std::uint64_t stream_sequence = 0;
  std::int64_t stored_at_ns = 0;
  std::uint64_t pending = 0;
};
/// Both forms: nine tokens, and eleven or more with domain and account.
std::optional<DeliverySubject> parse_delivery_subject(std::string_view reply);

/// Errors: kWrongLastSequence (10071, 10164), kOverloaded (the stream is full),
/// kInternal with the server's words.
Result<PubAck> parse_pub_ack(std::string_view json);

Result<StreamState> parse_stream_info(std::string_view json);
Result<ConsumerState> parse_consumer_info(std::string_view json);
/// The answer to `STREAM.MSG.GET`. Errors: kNotFound (10037).
Result<StoredMessage> parse_stored_message(std::string_view json);

/// A page of the answer to `CONSUMER.NAMES`.
struct Names {
  std::vector<std::string> names;
  std::uint64_t total = 0;
};
Result<Names> parse_names(std::string_view json);
std::string names_request(std::size_t offset);

std::string pull_request(std::size_t batch, std::chrono::nanoseconds expires,
                         std::chrono::nanoseconds heartbeat);
std::string last_by_subject_request(std::string_view subject);
std::string next_by_subject_request(std::string_view filter, std::uint64_t sequence);

/// `+ACK`, `-NAK {"delay":…}`, `+WPI`, `+TERM`.
std::string settlement_text(const Settlement& settlement);

/// RFC 3339 with up to nanoseconds, as Go writes it, always UTC here.
std::optional<WallTime> parse_time(std::string_view text);

}  // namespace toolway::bus::api
