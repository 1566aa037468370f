#include "cli/dev/log_tail.h"

#include <filesystem>
#include <fstream>

namespace toolway::cli::dev {

LogTail::LogTail(std::string file) : file_(std::move(file)) {
  std::error_code missing;
  const auto size = std::filesystem::file_size(file_, missing);
  if (!missing) read_ = size;
}

std::vector<std::string> LogTail::lines() {
  std::vector<std::string> result;
  std::ifstream in(file_, std::ios::binary);
  if (!in.seekg(static_cast<std::streamoff>(read_))) return result;
  std::string text(std::size_t{64} * 1024, '\0');
  in.read(text.data(), static_cast<std::streamsize>(text.size()));
  text.resize(static_cast<std::size_t>(in.gcount()));
  read_ += text.size();
  rest_ += text;
  for (auto end = rest_.find('\n'); end != std::string::npos; end = rest_.find('\n')) {
    result.push_back(rest_.substr(0, end));
    rest_.erase(0, end + 1);
  }
  return result;
}

}  // namespace toolway::cli::dev
