#include "cli/process/files.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <unistd.h>

#include <cerrno>
#include <charconv>
#include <cstdio>
#include <cstring>
#include <fstream>

namespace toolway::cli {

Result<void> write_whole_file(const std::filesystem::path& path, const std::string& text) {
  const auto fresh = fmt::format("{}.{}.new", path.string(), getpid());
  const auto failed = [&] {
    return fail(ErrorCode::kInternal,
                fmt::format("cannot write {}: {}", path.string(), std::strerror(errno)));
  };
  const int fd = open(fresh.c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0600);
  if (fd < 0) return failed();
  const bool written = write(fd, text.data(), text.size()) == static_cast<ssize_t>(text.size());
  if (close(fd) != 0 || !written || std::rename(fresh.c_str(), path.c_str()) != 0) return failed();
  return {};
}

Result<std::string> read_file(const std::filesystem::path& path) {
  std::ifstream in(path, std::ios::binary);
  if (!in)
    return fail(ErrorCode::kInvalidRequest,
                fmt::format("cannot read {}: {}", path.string(), std::strerror(errno)));
  return std::string((std::istreambuf_iterator<char>(in)), {});
}

std::string HostPort::text() const {
  return host.find(':') == std::string::npos ? fmt::format("{}:{}", host, port)
                                             : fmt::format("[{}]:{}", host, port);
}

Result<HostPort> parse_host_port(const std::string& text) {
  const auto wrong = [&] {
    return fail(ErrorCode::kInvalidRequest,
                fmt::format("\"{}\" is not HOST:PORT, for example 127.0.0.1:8080", text));
  };
  const auto colon = text.rfind(':');
  if (colon == std::string::npos) return wrong();
  HostPort result{.host = text.substr(0, colon)};
  const char* begin = text.data() + colon + 1;
  const char* end = text.data() + text.size();
  const auto [stopped, error] = std::from_chars(begin, end, result.port);
  if (error != std::errc() || stopped != end || begin == end) return wrong();
  if (result.host.size() > 2 && result.host.front() == '[' && result.host.back() == ']')
    result.host = result.host.substr(1, result.host.size() - 2);
  else if (result.host.find(':') != std::string::npos)
    return wrong();
  if (result.host.empty()) result.host = "127.0.0.1";
  return result;
}

}  // namespace toolway::cli
