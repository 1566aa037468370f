#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <string_view>

/// W3C Trace Context (https://www.w3.org/TR/trace-context/): where in a trace a piece of
/// work belongs.
namespace toolway {

/// A span, as others refer to it. A default one belongs to no trace. A value.
struct TraceContext {
  std::array<std::uint8_t, 16> trace_id{};
  std::array<std::uint8_t, 8> span_id{};
  bool sampled = false;
  std::string state;  ///< tracestate, passed on as it came; at most 512 bytes

  bool valid() const;
  /// Of the same trace, with a random span_id.
  TraceContext child() const;
  /// The first span of a new trace.
  static TraceContext root(bool sampled);
  std::string trace_id_hex() const;  ///< 32 lower-case digits
  std::string span_id_hex() const;   ///< 16
  /// `00-<trace>-<span>-<flags>`; empty when not valid.
  std::string traceparent() const;
};

/// The context that the two headers describe; one of no trace when `traceparent` is malformed, as
/// §4.3 demands: versions above 00 are read as far as 00 goes, ff and zero ids are refused. A
/// `tracestate` over 512 bytes, or not printable ASCII, is left out.
TraceContext parse_trace_context(std::string_view traceparent, std::string_view tracestate = {});

}  // namespace toolway
