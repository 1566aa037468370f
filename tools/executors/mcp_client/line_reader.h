#pragma once

#include <poll.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <cstddef>
#include <functional>
#include <string>
#include <string_view>

namespace toolway::tools::executors::mcp_client {

/// Cuts what comes from a pipe into lines, and keeps no more than one of them; of a line that is
/// too long it keeps the beginning and counts the rest. One thread.
class LineReader {
 public:
  static constexpr std::size_t kBeginning = 1024;

  struct Handlers {
    std::function<void(std::string_view line)> on_line;  ///< without its line break; never empty
    std::function<void(std::string_view beginning, std::size_t bytes)> on_too_long;
  };
  LineReader(std::size_t longest, Handlers handlers)
      : longest_(longest), handlers_(std::move(handlers)) {}

  void add(std::string_view text) {
    while (!text.empty()) {
      const auto end = text.find('\n');
      const auto piece = text.substr(0, end);
      keep(piece);
      if (end == std::string_view::npos) return;
      finish();
      text.remove_prefix(end + 1);
    }
  }

  /// Adds what `file`, which does not wait, has; false: it is at its end.
  bool read_from(int file) {
    std::array<char, 64 * 1024> piece;
    const auto length = read(file, piece.data(), piece.size());
    if (length < 0) return errno == EAGAIN || errno == EINTR;
    if (length > 0) add({piece.data(), static_cast<std::size_t>(length)});
    return length > 0;
  }

  /// Adds all that `file`, which does not wait, has by now; what has no line break is a line, too.
  void read_rest(int file) {
    constexpr int kPieces = 16;
    for (int i = 0; i < kPieces && read_from(file); ++i) {
      pollfd more{file, POLLIN, 0};
      if (poll(&more, 1, 0) <= 0) break;
    }
    if (bytes_ > 0) finish();
  }

 private:
  void keep(std::string_view piece) {
    bytes_ += piece.size();
    if (bytes_ <= longest_) {
      line_.append(piece);
      return;
    }
    if (line_.size() < kBeginning) line_.append(piece.substr(0, kBeginning - line_.size()));
    if (line_.size() > kBeginning) {
      line_.resize(kBeginning);
      line_.shrink_to_fit();
    }
  }

  void finish() {
    if (bytes_ > longest_) {
      handlers_.on_too_long(line_, bytes_);
    } else {
      std::string_view line = line_;
      if (line.ends_with('\r')) line.remove_suffix(1);
      if (line.find_first_not_of(" \t") != std::string_view::npos) handlers_.on_line(line);
    }
    bytes_ = 0;
    line_.clear();
    if (line_.capacity() > kKept) line_.shrink_to_fit();
  }

  static constexpr std::size_t kKept = 256 * 1024;
  const std::size_t longest_;
  const Handlers handlers_;
  std::string line_;
  std::size_t bytes_ = 0;  // of the line so far, kept or not
};

}  // namespace toolway::tools::executors::mcp_client
