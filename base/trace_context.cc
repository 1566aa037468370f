#include "base/trace_context.h"

#include <algorithm>

#include "base/ids.h"
#include "base/text.h"

namespace toolway {
namespace {

constexpr std::size_t kMaxState = 512;

template <std::size_t kBytes>
std::array<std::uint8_t, kBytes> random_id() {
  std::array<std::uint8_t, kBytes> id{};
  random_bytes(id.data(), id.size());
  id.back() |= 1;  // an id of zeros is not valid
  return id;
}

std::string hex(std::span<const std::uint8_t> bytes) {
  std::string text;
  text.reserve(2 * bytes.size());
  append_hex(text, bytes);
  return text;
}

int digit(char c) {
  if (c >= '0' && c <= '9') return c - '0';
  if (c >= 'a' && c <= 'f') return c - 'a' + 10;
  return -1;
}

template <std::size_t kBytes>
bool read_hex(std::string_view text, std::array<std::uint8_t, kBytes>& bytes) {
  for (std::size_t i = 0; i < kBytes; ++i) {
    const int high = digit(text[2 * i]);
    const int low = digit(text[2 * i + 1]);
    if (high < 0 || low < 0) return false;
    bytes[i] = static_cast<std::uint8_t>(high << 4 | low);
  }
  return true;
}

template <std::size_t kBytes>
bool all_zero(const std::array<std::uint8_t, kBytes>& bytes) {
  return std::all_of(bytes.begin(), bytes.end(), [](std::uint8_t byte) { return byte == 0; });
}

}  // namespace

bool TraceContext::valid() const { return !all_zero(trace_id) && !all_zero(span_id); }

TraceContext TraceContext::child() const {
  TraceContext context = *this;
  context.span_id = random_id<8>();
  return context;
}

TraceContext TraceContext::root(bool sampled) {
  return {.trace_id = random_id<16>(), .span_id = random_id<8>(), .sampled = sampled, .state = {}};
}

std::string TraceContext::trace_id_hex() const { return hex(trace_id); }
std::string TraceContext::span_id_hex() const { return hex(span_id); }

std::string TraceContext::traceparent() const {
  if (!valid()) return {};
  return "00-" + trace_id_hex() + "-" + span_id_hex() + (sampled ? "-01" : "-00");
}

TraceContext parse_trace_context(std::string_view traceparent, std::string_view tracestate) {
  constexpr std::size_t kLength = 55;
  if (traceparent.size() < kLength) return {};
  std::array<std::uint8_t, 1> version{};
  std::array<std::uint8_t, 1> flags{};
  TraceContext context;
  const bool dashes = traceparent[2] == '-' && traceparent[35] == '-' && traceparent[52] == '-';
  if (!dashes || !read_hex(traceparent, version) || version[0] == 0xff ||
      !read_hex(traceparent.substr(3), context.trace_id) ||
      !read_hex(traceparent.substr(36), context.span_id) ||
      !read_hex(traceparent.substr(53), flags)) {
    return {};
  }
  if (traceparent.size() > kLength && (version[0] == 0 || traceparent[kLength] != '-')) return {};
  if (!context.valid()) return {};
  context.sampled = (flags[0] & 1) != 0;
  const bool printable = std::all_of(tracestate.begin(), tracestate.end(),
                                     [](char c) { return c >= ' ' && c <= '~'; });
  if (printable && tracestate.size() <= kMaxState) context.state = std::string(tracestate);
  return context;
}

}  // namespace toolway
