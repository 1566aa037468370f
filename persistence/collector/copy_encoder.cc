#include "persistence/collector/copy_encoder.h"

#include <google/protobuf/message_lite.h>

namespace toolway::persistence::collector {
namespace {

// 2000-01-01, from which Postgres counts, in microseconds since 1970-01-01.
constexpr std::int64_t kPostgresEpochUs = 946'684'800'000'000;

unsigned hex_value(char c) {
  if (c >= '0' && c <= '9') return static_cast<unsigned>(c - '0');
  if (c >= 'a' && c <= 'f') return static_cast<unsigned>(c - 'a' + 10);
  return 0;
}

}  // namespace

UuidBytes uuid_bytes(std::string_view text) {
  UuidBytes bytes{};
  std::size_t digits = 0;
  for (const char c : text) {
    if (c == '-') continue;
    if (digits == 32) break;
    auto& byte = bytes[digits / 2];
    byte = static_cast<unsigned char>(byte << 4 | hex_value(c));
    ++digits;
  }
  return bytes;
}

std::string storable_text(std::string_view value) {
  std::string replaced;
  for (const char c : value) {
    if (c == '\0') {
      replaced += "\xEF\xBF\xBD";
    } else {
      replaced.push_back(c);
    }
  }
  return replaced;
}

void CopyEncoder::begin_row(std::uint16_t columns) { big_endian(columns); }

void CopyEncoder::null() { big_endian(std::uint32_t{0xffffffff}); }

void CopyEncoder::boolean(bool value) {
  big_endian(std::uint32_t{1});
  out_.push_back(value ? 1 : 0);
}

void CopyEncoder::int4(std::int32_t value) {
  big_endian(std::uint32_t{4});
  big_endian(static_cast<std::uint32_t>(value));
}

void CopyEncoder::int8(std::int64_t value) {
  big_endian(std::uint32_t{8});
  big_endian(static_cast<std::uint64_t>(value));
}

void CopyEncoder::uuid(const UuidBytes& value) {
  big_endian(std::uint32_t{16});
  out_.append(reinterpret_cast<const char*>(value.data()), value.size());
}

void CopyEncoder::time(std::int64_t unix_us) {
  // A value below the range of both: a time that Postgres refuses.
  constexpr auto kLowest = INT64_MIN + kPostgresEpochUs;
  int8(unix_us < kLowest ? INT64_MIN + 1 : unix_us - kPostgresEpochUs);
}

void CopyEncoder::bytes(std::string_view value) {
  big_endian(static_cast<std::uint32_t>(value.size()));
  out_.append(value);
}

void CopyEncoder::time_or_null(std::int64_t unix_us) {
  if (unix_us == 0) return null();
  time(unix_us);
}

void CopyEncoder::message(const google::protobuf::MessageLite& value) {
  const auto length_at = out_.size();
  big_endian(std::uint32_t{0});
  value.AppendToString(&out_);
  end_column(length_at);
}

void CopyEncoder::end_column(std::size_t length_at) {
  const auto length = static_cast<std::uint32_t>(out_.size() - length_at - 4);
  for (std::size_t i = 0; i < 4; ++i) {
    out_[length_at + i] = static_cast<char>(length >> (8 * (3 - i)));
  }
}

void CopyEncoder::text(std::string_view value) {
  if (value.find('\0') == std::string_view::npos) return bytes(value);
  bytes(storable_text(value));
}

void CopyEncoder::text_or_null(std::string_view value) {
  if (value.empty()) return null();
  text(value);
}

std::string_view CopyEncoder::header() {
  // Signature, flags (none), length of the header's extension (none).
  static constexpr char kHeader[] = "PGCOPY\n\377\r\n\0\0\0\0\0\0\0\0\0";
  return {kHeader, sizeof(kHeader) - 1};
}

std::string_view CopyEncoder::trailer() {
  static constexpr char kTrailer[] = "\377\377";
  return {kTrailer, 2};
}

}  // namespace toolway::persistence::collector
