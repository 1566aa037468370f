#include "bus/jetstream_api.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cstdio>
#include <optional>
#include <vector>

#include "base/base64.h"
#include "base/json.h"
#include "base/text.h"
#include "bus/stream_incarnation.h"

namespace toolway::bus::api {
namespace {

constexpr int kWrongLastSequence = 10071;
constexpr int kWrongLastSequenceInFlight = 10164;
constexpr int kNoMessage = 10037;
constexpr int kStreamFull = 10077;

/// Whether a 404 says that what was asked for is missing, or that something else is: a missing
/// stream must not read as one that does not hold the message.
enum class NotFoundMeans { kMissing, kAnotherThing };

/// Words that clients may read: the paths of the server's files are none of their business, as in
/// "write /data/1.blk: no space left on device".
std::string without_path(std::string words) {
  const auto end = words.rfind(": ");
  if (words.find('/') == std::string::npos || end == std::string::npos) return words;
  return words.substr(end + 2);
}

/// An answer of the API, or the error that it holds.
Result<Json> parse_answer(std::string_view text,
                          NotFoundMeans not_found = NotFoundMeans::kMissing) {
  auto json = parse_json(text);
  if (!json || !json->is_object()) {
    return fail(ErrorCode::kInternal, "JetStream sent an answer that its API does not define");
  }
  const auto error = json->find("error");
  if (error == json->end()) return json;
  const int code = error->value("err_code", 0);
  const std::string words = fmt::format(
      "JetStream: {} ({})", without_path(error->value("description", "no description")), code);
  switch (code) {
    case kWrongLastSequence:
    case kWrongLastSequenceInFlight: return fail(ErrorCode::kWrongLastSequence, words);
    case kNoMessage: return fail(ErrorCode::kNotFound, words);
    case kStreamFull: return fail(ErrorCode::kOverloaded, words);
    default: break;
  }
  const int status = error->value("code", 500);
  if (status == 404) {
    return fail(
        not_found == NotFoundMeans::kMissing ? ErrorCode::kNotFound : ErrorCode::kBusUnavailable,
        words);
  }
  if (status == 503) return fail(ErrorCode::kBusUnavailable, words);
  return fail(ErrorCode::kInternal, words);
}

/// What a PubAck says, read without a tree of values: there is one for each publication. Ends at an
/// error, which `parse_answer` reads.
class PubAckReader final : public nlohmann::json_sax<Json> {
 public:
  std::optional<PubAck> ack() const { return sequence_ ? std::optional(ack_) : std::nullopt; }

  bool key(string_t& name) override {
    if (depth_ > 1) return true;
    at_ = name == "seq"         ? Member::kSequence
          : name == "duplicate" ? Member::kDuplicate
                                : Member::kOther;
    return name != "error";
  }
  bool number_unsigned(number_unsigned_t value) override {
    if (depth_ == 1 && at_ == Member::kSequence) {
      ack_.sequence = value;
      sequence_ = true;
    }
    return true;
  }
  bool boolean(bool value) override {
    if (depth_ == 1 && at_ == Member::kDuplicate) ack_.duplicate = value;
    return true;
  }
  bool start_object(std::size_t) override { return ++depth_ <= static_cast<int>(kMaxJsonDepth); }
  bool start_array(std::size_t) override { return ++depth_ <= static_cast<int>(kMaxJsonDepth); }
  bool end_object() override { return --depth_ >= 0; }
  bool end_array() override { return --depth_ >= 0; }
  bool null() override { return true; }
  bool number_integer(number_integer_t) override { return true; }
  bool number_float(number_float_t, const string_t&) override { return true; }
  bool string(string_t&) override { return true; }
  bool binary(binary_t&) override { return true; }
  bool parse_error(std::size_t, const std::string&, const nlohmann::detail::exception&) override {
    return false;
  }

 private:
  enum class Member { kOther, kSequence, kDuplicate };
  Member at_ = Member::kOther;
  int depth_ = 0;
  bool sequence_ = false;
  PubAck ack_;
};

}  // namespace

std::optional<DeliverySubject> parse_delivery_subject(std::string_view reply) {
  constexpr std::string_view kPrefix = "$JS.ACK.";
  if (reply.substr(0, kPrefix.size()) != kPrefix) return std::nullopt;
  // [<domain>.<account>.]<stream>.<consumer>.<count>.<stream seq>.<consumer
  // seq>.<time>.<pending>[.<…>]
  std::array<std::string_view, 9> tokens;
  std::size_t count = 0;
  for (std::size_t from = kPrefix.size(); from <= reply.size() && count < tokens.size(); ++count) {
    const auto dot = std::min(reply.find('.', from), reply.size());
    tokens[count] = reply.substr(from, dot - from);
    from = dot + 1;
  }
  const std::size_t at = count == tokens.size() ? 2 : 0;
  if (count < at + 7) return std::nullopt;
  DeliverySubject result;
  if (!parse_number(tokens[at + 2], result.delivery_count) ||
      !parse_number(tokens[at + 3], result.stream_sequence) ||
      !parse_number(tokens[at + 5], result.stored_at_ns) ||
      !parse_number(tokens[at + 6], result.pending)) {
    return std::nullopt;
  }
  return result;
}

Result<PubAck> parse_pub_ack(std::string_view json) {
  PubAckReader reader;
  if (Json::sax_parse(json, &reader)) {
    if (const auto ack = reader.ack()) return *ack;
  }
  return parse_answer(json).and_then([](const Json& answer) -> Result<PubAck> {
    const auto sequence = answer.find("seq");
    if (sequence == answer.end() || !sequence->is_number_unsigned()) {
      return fail(ErrorCode::kInternal, "a PubAck without a sequence");
    }
    return PubAck{sequence->get<std::uint64_t>(), answer.value("duplicate", false)};
  });
}

Result<StreamState> parse_stream_info(std::string_view json) {
  return parse_answer(json).and_then([](const Json& answer) -> Result<StreamState> {
    const auto created = parse_time(answer.value("created", ""));
    const Json state = answer.value("state", Json::object());
    const Json config = answer.value("config", Json::object());
    if (!created)
      return fail(ErrorCode::kInternal, "JetStream described a stream without its creation time");
    return StreamState{
        .incarnation = incarnation_of(config.value("description", ""), to_unix_us(*created) / 1000),
        .first_sequence = state.value("first_seq", std::uint64_t{0}),
        .last_sequence = state.value("last_seq", std::uint64_t{0}),
        .messages = state.value("messages", std::uint64_t{0}),
        .bytes = state.value("bytes", std::uint64_t{0}),
        .max_bytes = config.value("max_bytes", std::int64_t{-1}),
        .max_age = std::chrono::duration_cast<std::chrono::milliseconds>(
            std::chrono::nanoseconds(config.value("max_age", std::int64_t{0}))),
        .replicas = config.value("num_replicas", std::uint32_t{1})};
  });
}

Result<ConsumerState> parse_consumer_info(std::string_view json) {
  return parse_answer(json).map([](const Json& answer) {
    const Json floor = answer.value("ack_floor", Json::object());
    const Json delivered = answer.value("delivered", Json::object());
    return ConsumerState{.ack_floor = floor.value("stream_seq", std::uint64_t{0}),
                         .delivered = delivered.value("stream_seq", std::uint64_t{0}),
                         .pending = answer.value("num_pending", std::uint64_t{0}),
                         .ack_pending = answer.value("num_ack_pending", std::uint64_t{0}),
                         .waiting = answer.value("num_waiting", std::uint64_t{0})};
  });
}

Result<StoredMessage> parse_stored_message(std::string_view json) {
  return parse_answer(json, NotFoundMeans::kAnotherThing).map([](const Json& answer) {
    const Json message = answer.value("message", Json::object());
    return StoredMessage{.subject = message.value("subject", ""),
                         .payload = from_base64(message.value("data", "")).value_or(""),
                         .sequence = message.value("seq", std::uint64_t{0}),
                         .stored_at = parse_time(message.value("time", "")).value_or(WallTime{})};
  });
}

Result<Names> parse_names(std::string_view json) {
  return parse_answer(json).and_then([](const Json& answer) -> Result<Names> {
    Names page{.names = {}, .total = answer.value("total", std::uint64_t{0})};
    // null, when there are none.
    const auto list = answer.find("consumers");
    if (list == answer.end() || !list->is_array()) return page;
    for (const Json& name : *list) {
      if (!name.is_string()) return fail(ErrorCode::kInternal, "a consumer's name is not a string");
      page.names.push_back(name.get<std::string>());
    }
    return page;
  });
}

std::string names_request(std::size_t offset) { return to_text(Json{{"offset", offset}}); }

std::string pull_request(std::size_t batch, std::chrono::nanoseconds expires,
                         std::chrono::nanoseconds heartbeat) {
  return fmt::format(R"({{"batch":{},"expires":{},"idle_heartbeat":{}}})", batch, expires.count(),
                     heartbeat.count());
}

std::string last_by_subject_request(std::string_view subject) {
  return to_text(Json{{"last_by_subj", subject}});
}

std::string next_by_subject_request(std::string_view filter, std::uint64_t sequence) {
  return to_text(Json{{"next_by_subj", filter}, {"seq", sequence}});
}

std::string settlement_text(const Settlement& settlement) {
  switch (settlement.kind) {
    case SettleKind::kAck: return "+ACK";
    case SettleKind::kNak:
      if (settlement.delay.count() == 0) return "-NAK";
      return fmt::format(R"(-NAK {{"delay":{}}})",
                         std::chrono::nanoseconds(settlement.delay).count());
    case SettleKind::kInProgress: return "+WPI";
    case SettleKind::kTerm: return "+TERM";
  }
  return "+ACK";
}

std::optional<WallTime> parse_time(std::string_view text) {
  const std::string copy(text);
  int year = 0, month = 0, day = 0, hour = 0, minute = 0, second = 0, used = 0;
  if (std::sscanf(copy.c_str(), "%4d-%2d-%2dT%2d:%2d:%2d%n", &year, &month, &day, &hour, &minute,
                  &second, &used) != 6) {
    return std::nullopt;
  }
  std::int64_t micros = 0;
  auto at = static_cast<std::size_t>(used);
  if (at < copy.size() && copy[at] == '.') {
    std::int64_t scale = 100000;
    for (++at; at < copy.size() && copy[at] >= '0' && copy[at] <= '9'; ++at) {
      micros += (copy[at] - '0') * scale;
      scale /= 10;
    }
  }
  if (copy.substr(at) != "Z") return std::nullopt;
  const std::chrono::year_month_day date{std::chrono::year(year),
                                         std::chrono::month(static_cast<unsigned>(month)),
                                         std::chrono::day(static_cast<unsigned>(day))};
  if (!date.ok()) return std::nullopt;
  return WallTime(std::chrono::sys_days(date).time_since_epoch() + std::chrono::hours(hour) +
                  std::chrono::minutes(minute) + std::chrono::seconds(second) +
                  std::chrono::microseconds(micros));
}

}  // namespace toolway::bus::api
