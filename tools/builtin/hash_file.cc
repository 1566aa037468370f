#include <fmt/format.h>

#include <algorithm>

#include "base/sha256.h"
#include "base/try.h"
#include "tools/builtin/file_reader.h"
#include "tools/builtin/filesystem_tools.h"
#include "tools/native/native.h"

namespace toolway::tools::builtin {
namespace {

constexpr std::int64_t kChunk = 1 << 20;

class HashFile {
 public:
  static constexpr native::ToolInfo info{
      .name = "hash_file",
      .ns = "filesystem",
      .description = "Computes the SHA-256 of a file, and reports percent and rate as it goes.",
      .topic = "Hash file",
      .category = "filesystem",
      .read_only = true,
      .idempotent = true,
      .limits = {.run = std::chrono::minutes(30), .total = std::chrono::minutes(60)}};
  struct Args {
    std::string path;
    static constexpr auto fields = std::to_array<native::Field>(
        {{.name = "path", .description = "File, relative to the root.", .min_length = 1}});
  };
  struct Output {
    std::string path;
    std::string algorithm;
    std::string digest;
    std::int64_t bytes = 0;
  };

  HashFile(Root root, std::shared_ptr<const Clock> clock)
      : root_(std::move(root)), clock_(std::move(clock)) {}

  model::ToolResult<Output> run(const Args& args, model::ToolContext& context,
                                model::Progress& progress) const {
    ASSIGN_OR_RETURN(auto file, root_->open_file(args.path));
    const auto cancelled = context.cancellation();
    const std::int64_t size = size_of(file);
    const auto began = clock_->monotonic();
    Sha256 hash;
    std::int64_t done = 0;
    std::int64_t reported = -1;
    while (true) {
      if (cancelled.stop_requested()) {
        return tl::unexpected(
            model::ToolError("cancelled", fmt::format("stopped after {} of {} bytes", done, size)));
      }
      const auto bytes = read_at(file, done, kChunk);
      RETURN_IF_ERROR(bytes);
      if (bytes->empty()) break;
      hash.add(*bytes);
      done += static_cast<std::int64_t>(bytes->size());
      // A hundred reports are plenty for a progress bar, however large the file.
      if (reported < 0 || done - reported >= size / 100 || done >= size) {
        report(progress, done, std::max(done, size), clock_->monotonic() - began);
        reported = done;
      }
    }
    if (reported < 0) report(progress, 0, 0, clock_->monotonic() - began);  // an empty file
    return Output{args.path, "sha256", hash.hex(), done};
  }

 private:
  static void report(model::Progress& progress, std::int64_t done, std::int64_t size,
                     std::chrono::duration<double> elapsed) {
    const double percent =
        size == 0 ? 100 : 100.0 * static_cast<double>(done) / static_cast<double>(size);
    const double rate = elapsed.count() > 0 ? static_cast<double>(done) / 1e6 / elapsed.count() : 0;
    progress.report({.progress = static_cast<double>(done),
                     .total = static_cast<double>(size),
                     .message = fmt::format("{:.0f} % at {:.0f} MB/s", percent, rate),
                     .step = "hashing",
                     .data = {{"percent", percent}, {"mb_per_s", rate}}});
  }

  Root root_;
  std::shared_ptr<const Clock> clock_;
};
BOOST_DESCRIBE_STRUCT(HashFile::Args, (), (path))
BOOST_DESCRIBE_STRUCT(HashFile::Output, (), (path, algorithm, digest, bytes))

}  // namespace

std::shared_ptr<const model::Tool> make_hash_file(Root root, std::shared_ptr<const Clock> clock) {
  return native::make_native_tool<HashFile>(std::move(root), std::move(clock));
}

}  // namespace toolway::tools::builtin
