#include "cli/stack/run_files.h"

#include <filesystem>
#include <fstream>

#include "base/ids.h"
#include "base/os/file_io.h"
#include "base/try.h"

namespace toolway::cli::stack {
namespace {

namespace fs = std::filesystem;

std::string in_run(const std::string& data, const char* name) {
  return (fs::path(data) / "run" / name).string();
}

}  // namespace

std::string postgres_url_file(const std::string& data) { return in_run(data, "postgres-url"); }
std::string nats_url_file(const std::string& data) { return in_run(data, "nats-url"); }
std::string http_url_file(const std::string& data) { return in_run(data, "http-url"); }
std::string http_urls_file(const std::string& data) { return in_run(data, "http-urls"); }
std::string operator_token_file(const std::string& data) { return in_run(data, "operator-token"); }

std::string seal_keys_file(const std::string& data) {
  return (fs::path(data) / "seal-keys").string();
}

std::string token_keys_file(const std::string& data) {
  return (fs::path(data) / "token-keys").string();
}

Result<void> write_operator_token(const std::string& data) {
  constexpr std::size_t kTokenBytes = 20;
  return os::write_whole_file(operator_token_file(data), random_hex(kTokenBytes) + "\n");
}

Result<void> write_http_urls(const std::string& data, const std::vector<std::string>& urls) {
  std::string all;
  for (const auto& url : urls) all += url + "\n";
  RETURN_IF_ERROR(os::write_whole_file(http_urls_file(data), all));
  return os::write_whole_file(http_url_file(data), all.substr(0, all.find('\n')) + "\n");
}

void forget_run_files(const std::string& data) {
  std::error_code ignored;
  for (const auto& file : {postgres_url_file(data), nats_url_file(data), http_url_file(data),
                           http_urls_file(data), operator_token_file(data)})
    fs::remove(file, ignored);
}

std::string first_line_of(const std::string& file) {
  std::ifstream in(file);
  std::string line;
  std::getline(in, line);
  return line;
}

std::vector<std::string> gateways_of(const std::string& data) {
  std::vector<std::string> urls;
  std::ifstream in(http_urls_file(data));
  for (std::string line; std::getline(in, line);)
    if (!line.empty()) urls.push_back(line);
  return urls;
}

}  // namespace toolway::cli::stack
