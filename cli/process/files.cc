#include "cli/process/files.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <unistd.h>

#include <cerrno>
#include <cstdio>
#include <cstring>
#include <fstream>

#include "base/text.h"

namespace toolway::cli::process {

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
  if (!parse_number(std::string_view(text).substr(colon + 1), result.port)) return wrong();
  if (result.host.size() > 2 && result.host.front() == '[' && result.host.back() == ']')
    result.host = result.host.substr(1, result.host.size() - 2);
  else if (result.host.find(':') != std::string::npos)
    return wrong();
  if (result.host.empty()) result.host = "127.0.0.1";
  return result;
}

}  // namespace toolway::cli::process
