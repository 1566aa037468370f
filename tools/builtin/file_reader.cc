#include "tools/builtin/file_reader.h"

#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>

namespace toolway::tools::builtin {

Result<std::string> read_at(const Descriptor& file, std::int64_t offset, std::size_t count) {
  std::string bytes(count, '\0');
  std::size_t got = 0;
  while (got < count) {
    const auto some = ::pread(file.get(), bytes.data() + got, count - got,
                              offset + static_cast<std::int64_t>(got));
    if (some < 0 && errno == EINTR) continue;
    if (some < 0) {
      return fail(ErrorCode::kInternal,
                  fmt::format("cannot read the file: {}", std::strerror(errno)));
    }
    if (some == 0) break;
    got += static_cast<std::size_t>(some);
  }
  bytes.resize(got);
  return bytes;
}

std::int64_t size_of(const Descriptor& file) {
  struct stat status{};
  return ::fstat(file.get(), &status) == 0 ? status.st_size : 0;
}

bool looks_binary(std::string_view bytes) {
  return bytes.substr(0, 8192).find('\0') != std::string_view::npos;
}

}  // namespace toolway::tools::builtin
