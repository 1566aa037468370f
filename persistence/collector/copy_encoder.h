#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <string_view>

namespace google::protobuf {
class MessageLite;
}

namespace toolway::persistence::collector {

/// The 16 bytes of a uuid column.
using UuidBytes = std::array<unsigned char, 16>;

/// Reads 32 hex digits, dashes or none; anything else is read as zeros, so
/// check the text first.
UuidBytes uuid_bytes(std::string_view text);

/// As a text column keeps it: it cannot hold U+0000, which becomes U+FFFD.
std::string storable_text(std::string_view value);

/// Writes rows in the binary form of COPY (PostgreSQL manual, "COPY", Binary
/// Format), which spares the server from parsing text. Pure.
class CopyEncoder {
 public:
  /// Appends to `out`, which must outlive the encoder.
  explicit CopyEncoder(std::string& out) : out_(out) {}

  void begin_row(std::uint16_t columns);
  void null();
  void boolean(bool value);
  void int4(std::int32_t value);
  void int8(std::int64_t value);
  void uuid(const UuidBytes& value);
  /// A timestamptz, from microseconds since the Unix epoch.
  void time(std::int64_t unix_us);
  void time_or_null(std::int64_t unix_us);  ///< 0: NULL
  /// A bytea or json column, byte for byte.
  void bytes(std::string_view value);
  /// A bytea column: the message, serialized.
  void message(const google::protobuf::MessageLite& value);
  /// A text column, by storable_text.
  void text(std::string_view value);
  void text_or_null(std::string_view value);  ///< empty: NULL
  /// A text[] column without NULLs.
  template <typename Texts>
  void texts(const Texts& values);

  /// What goes before the first row, and after the last.
  static std::string_view header();
  static std::string_view trailer();

 private:
  template <typename Integer>
  void big_endian(Integer value);
  /// Of the column whose length, not known before, is at `length_at`.
  void end_column(std::size_t length_at);

  std::string& out_;
};

template <typename Integer>
void CopyEncoder::big_endian(Integer value) {
  char bytes[sizeof(Integer)];
  for (std::size_t i = 0; i < sizeof(Integer); ++i) {
    bytes[i] = static_cast<char>(value >> (8 * (sizeof(Integer) - 1 - i)));
  }
  out_.append(bytes, sizeof(Integer));
}

template <typename Texts>
void CopyEncoder::texts(const Texts& values) {
  constexpr std::uint32_t kTextOid = 25;  // pg_type.dat
  const auto length_at = out_.size();
  big_endian(std::uint32_t{0});
  big_endian(std::uint32_t{values.empty() ? 0U : 1U});  // dimensions
  big_endian(std::uint32_t{0});                         // no NULLs
  big_endian(kTextOid);
  if (!values.empty()) {
    big_endian(static_cast<std::uint32_t>(values.size()));
    big_endian(std::uint32_t{1});  // lower bound
    for (const auto& value : values) text(value);
  }
  end_column(length_at);
}

}  // namespace toolway::persistence::collector
