#pragma once

#include <cstddef>
#include <string>
#include <string_view>

namespace toolway::tools::executors::python {

/// What goes between us and an interpreter (host/_toolway_channel.py): four bytes
/// of length, most significant first, one byte of kind, and that many bytes.
enum class FrameKind : char {
  // To the interpreter.
  kOptions = 'O',  ///< JSON; the first frame
  kCall = 'C',     ///< `number largest\nmodule function [names]\ncontext\narguments`
  kCancel = 'X',   ///< the number of the call that should stop; a signal says that it is there
  kSecret = 'S',   ///< 1 and a secret, or 0; from the interpreter: the secret's name
  /// 1 and the answers, a JSON list, or 0 and a JSON error; from the interpreter: the questions, a
  /// JSON list of [key, method, params].
  kAsk = 'A',
  // From the interpreter.
  kHello = 'H',   ///< it is ready; its version
  kResult = 'R',  ///< the call's number, \n, JSON
  kError = 'E',  ///< the call's number, \n, JSON: code, message, retryable, retry_after_ms, details
  kProgress = 'P',  ///< JSON: progress, total, message, step, data
  kContent = 'B',   ///< JSON: a content block: type, text, data (base64), mime_type, uri, name
  kLog = 'L',       ///< one byte of level, text
  kRecycle = 'Y',   ///< why it should take no more calls; the answer follows
  kStale = 'N',     ///< files changed since they were imported: nothing was run
};

struct Frame {
  FrameKind kind;
  std::string_view payload;  ///< into the inbox, until it is changed
};

std::string encode_frame(FrameKind kind, std::string_view payload);

/// Bytes as they come, taken apart. Holds at most one frame's bytes and what one read brings more.
class Inbox {
 public:
  enum class State { kIncomplete, kFrame, kGarbage };
  /// Where the next `room()` bytes may be read to; then say how many came.
  char* space();
  std::size_t room() const;
  void came(std::size_t bytes) { filled_ += bytes; }
  /// The next frame. Garbage: a kind that no interpreter sends, or one longer
  /// than its kind may be (`largest_result` for results); nothing follows it.
  State next(std::size_t largest_result, Frame& frame);
  bool empty() const { return taken_ == filled_; }
  /// Gives back what a large frame took.
  void trim();

 private:
  std::string buffer_;
  std::size_t taken_ = 0;
  std::size_t filled_ = 0;
  std::size_t wanted_ = 0;  // bytes of the frame that is not complete
};

}  // namespace toolway::tools::executors::python
