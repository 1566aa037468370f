#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <string_view>

/// Just enough HTTP to measure a gateway and not the client itself: the
/// client shares the machine's cores with it.
namespace toolway::cli::bench::connections {

/// One answer at the front of `buffer`.
struct WireAnswer {
  int status = 0;
  std::string_view head;  ///< its lines but the last line end
  std::string_view body;
  std::size_t size = 0;  ///< all of it, headers included; 0: not all there yet
};
/// Answers with Content-Length only, as the gateway sends them.
WireAnswer parse_answer(std::string_view buffer);

/// The value of a header among those of `head`, without its blanks; names are compared without
/// case. Empty: there is none.
std::string_view header_of(std::string_view head, std::string_view name);

/// The value of the first `"name":"…"` at or after `from`, without unescaping;
/// `from` moves past it. Empty when there is none.
std::string_view next_text_field(std::string_view json, std::string_view quoted_name,
                                 std::size_t& from);

/// The value of the first `"name":123`; 0 when there is none.
std::int32_t next_number_field(std::string_view json, std::string_view quoted_name);

/// An SSE answer as its bytes come in: headers, then chunks or plain bytes.
class WireEvents {
 public:
  struct Event {
    std::string_view type;
    std::string_view data;
  };
  /// Returns false when this cannot be an event stream (another status, broken framing).
  bool feed(std::string_view bytes, const std::function<void(const Event&)>& handler);
  bool open() const { return open_; }
  bool ended() const { return ended_; }
  const std::string& last_id() const { return last_id_; }
  /// For a new connection that continues after the last event.
  void reset();

 private:
  bool decode_chunks();
  void scan(const std::function<void(const Event&)>& handler);

  std::string raw_;
  std::string text_;
  std::string last_id_;
  std::size_t chunk_left_ = 0;
  bool chunked_ = false;
  bool open_ = false;
  bool ended_ = false;
};

}  // namespace toolway::cli::bench::connections
