#include "cli/demo/demo_input.h"

#include <cstdlib>
#include <filesystem>
#include <fstream>

#include "base/os/file_io.h"
#include "base/try.h"
#include "local/child_process.h"

namespace toolway::cli::demo {
namespace {

namespace fs = std::filesystem;
constexpr std::size_t kMegabytes = 384;

}  // namespace

Result<DemoInput> DemoInput::make() {
  DemoInput input;
  ASSIGN_OR_RETURN(const auto root, os::make_temporary_directory("toolway-demo"));
  input.root = root;
  std::error_code error;
  if (!fs::create_directory(input.beside(), error))
    return fail(ErrorCode::kInternal, "cannot create " + input.beside());
  std::ofstream(root + "/notes.txt") << "Toolway runs tool calls.\nEvery one is recorded.\n";
  std::ofstream large(root + "/large.bin", std::ios::binary);
  std::string block(1 << 20, '\0');
  std::uint32_t state = 1;
  for (std::size_t i = 0; i < kMegabytes; ++i) {
    // Every block differs, so that a wrong offset would show in the digest.
    for (std::size_t at = 0; at < block.size(); at += 64)
      block[at] = static_cast<char>((state = state * 1664525U + 1013904223U) >> 24);
    large.write(block.data(), static_cast<std::streamsize>(block.size()));
  }
  large.close();
  if (!large) return fail(ErrorCode::kInternal, "cannot write " + root + "/large.bin");
  const auto answer = root + ".sha256";
  ASSIGN_OR_RETURN(
      auto child,
      local::ChildProcess::start({.argv = {"sha256sum", root + "/large.bin"}, .log_file = answer}));
  child->wait(std::chrono::seconds(60));
  auto text = os::read_file(answer);
  std::error_code ignored;
  fs::remove(answer, ignored);
  RETURN_IF_ERROR(text);
  input.digest = text->substr(0, 64);
  return input;
}

DemoInput::~DemoInput() {
  std::error_code ignored;
  if (root.empty()) return;
  for (const auto& directory : {root, beside()}) fs::remove_all(directory, ignored);
}

}  // namespace toolway::cli::demo
