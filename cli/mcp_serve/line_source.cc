#include "cli/mcp_serve/line_source.h"

#include <fmt/format.h>
#include <poll.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <string_view>
#include <system_error>
#include <utility>

#include "cli/mcp_serve/client_line.h"

namespace toolway::cli::mcp_serve {
namespace {

/// Cuts what is read into lines.
class Cutter {
 public:
  explicit Cutter(const LineHandlers& handlers) : handlers_(handlers) {}

  void feed(std::string_view bytes) {
    while (!bytes.empty()) {
      const auto end = bytes.find('\n');
      keep(bytes.substr(0, end));
      if (end == std::string_view::npos) return;
      cut();
      bytes.remove_prefix(end + 1);
    }
  }
  void cut() {
    auto line = std::exchange(line_, {});
    if (std::exchange(too_long_, false)) return handlers_.too_long();
    if (line.find_first_not_of(" \t\r") != std::string::npos) handlers_.line(std::move(line));
  }

 private:
  void keep(std::string_view piece) {
    too_long_ = too_long_ || line_.size() + piece.size() > kMaxLine;
    if (too_long_)
      line_.clear();
    else
      line_ += piece;
  }

  const LineHandlers& handlers_;
  std::string line_;
  bool too_long_ = false;
};

}  // namespace

Result<void> read_lines(int from, int wake, const LineHandlers& handlers) {
  Cutter cutter(handlers);
  std::array<char, 16 * 1024> buffer{};
  for (;;) {
    std::array<pollfd, 2> ready{{{.fd = from, .events = POLLIN, .revents = 0},
                                 {.fd = wake, .events = POLLIN, .revents = 0}}};
    if (::poll(ready.data(), ready.size(), -1) < 0 && errno == EINTR) continue;
    if (ready[1].revents != 0) return {};
    const auto size = ::read(from, buffer.data(), buffer.size());
    if (size < 0 && (errno == EINTR || errno == EAGAIN)) continue;
    if (size < 0)
      return fail(ErrorCode::kInternal,
                  fmt::format("cannot read standard input: {}",
                              std::error_code(errno, std::generic_category()).message()));
    if (size == 0) {
      cutter.cut();
      return {};
    }
    cutter.feed({buffer.data(), static_cast<std::size_t>(size)});
  }
}

bool write_line(int to, const std::string& line) {
  const std::string whole = line + '\n';
  std::string_view rest = whole;
  while (!rest.empty()) {
    const auto size = ::write(to, rest.data(), rest.size());
    if (size < 0 && errno == EINTR) continue;
    if (size < 0 && errno == EAGAIN) {
      pollfd room{.fd = to, .events = POLLOUT, .revents = 0};
      ::poll(&room, 1, -1);
      continue;
    }
    if (size <= 0) return false;
    rest.remove_prefix(static_cast<std::size_t>(size));
  }
  return true;
}

}  // namespace toolway::cli::mcp_serve
