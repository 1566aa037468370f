#include <fmt/format.h>

#include "base/base64.h"
#include "base/try.h"
#include "base/utf8.h"
#include "tools/builtin/file_reader.h"
#include "tools/builtin/filesystem_tools.h"
#include "tools/native/native.h"

namespace toolway::tools::builtin {
namespace {

enum class Encoding { text, base64 };
BOOST_DESCRIBE_ENUM(Encoding, text, base64)

/// A slice of text may begin and end inside a character: leaves out what belongs to
/// another slice (at most 3 bytes on either side), and says how much that was in front.
std::size_t cut_to_characters(std::string& bytes, bool at_begin, bool at_end) {
  std::size_t front = 0;
  if (!at_begin) {
    while (front < bytes.size() && front < 3 && continues_character(bytes[front])) ++front;
    bytes.erase(0, front);
  }
  for (int i = 0; !at_end && i < 3 && !bytes.empty() && !valid_utf8(bytes); ++i) bytes.pop_back();
  return front;
}

class ReadFile {
 public:
  static constexpr native::ToolInfo info{
      .name = "read_file",
      .ns = "filesystem",
      .description = "Reads a text file, or a part of it. Binary files need encoding \"base64\".",
      .topic = "Read file",
      .category = "filesystem",
      .read_only = true,
      .idempotent = true};
  struct Args {
    std::string path;
    std::int64_t offset = 0;
    std::int64_t limit = 65536;
    Encoding encoding = Encoding::text;
    static constexpr auto fields = std::to_array<native::Field>(
        {{.name = "path", .description = "File, relative to the root.", .min_length = 1},
         {.name = "offset",
          .description = "Where to begin, in bytes.",
          .has_default = true,
          .minimum = 0},
         {.name = "limit",
          .description = "At most this many bytes.",
          .has_default = true,
          .minimum = 4,
          .maximum = 262144},
         {.name = "encoding", .description = "How the content is returned.", .has_default = true}});
  };
  struct Output {
    std::string path;
    std::string content;
    Encoding encoding = Encoding::text;
    std::int64_t offset = 0;
    std::int64_t size = 0;
    std::optional<std::int64_t> next_offset;
    static constexpr auto fields = std::to_array<native::Field>(
        {{.name = "size", .description = "Of the whole file, in bytes."},
         {.name = "next_offset", .description = "Where the rest begins; absent at the end."}});
  };

  explicit ReadFile(Root root) : root_(std::move(root)) {}

  Result<Output> run(const Args& args, model::ToolContext&) const {
    ASSIGN_OR_RETURN(auto file, root_->open_file(args.path));
    Output output{args.path, {}, args.encoding, args.offset, size_of(file), {}};
    if (args.offset >= output.size) return output;
    ASSIGN_OR_RETURN(auto bytes, read_at(file, args.offset, static_cast<std::size_t>(args.limit)));

    std::int64_t end = args.offset + static_cast<std::int64_t>(bytes.size());
    if (args.encoding == Encoding::text) {
      const bool at_end = end >= output.size;
      const auto in_front = cut_to_characters(bytes, args.offset == 0, at_end);
      if (bytes.find('\0') != std::string::npos || !valid_utf8(bytes)) {
        return fail(ErrorCode::kInvalidArguments,
                    fmt::format("{} is not UTF-8 text; read it with encoding \"base64\"",
                                to_text(Json(args.path))));
      }
      output.offset += static_cast<std::int64_t>(in_front);
      end = output.offset + static_cast<std::int64_t>(bytes.size());
      output.content = std::move(bytes);
    } else {
      output.content = base64(bytes);
    }
    if (end < output.size) output.next_offset = end;
    return output;
  }

 private:
  Root root_;
};
BOOST_DESCRIBE_STRUCT(ReadFile::Args, (), (path, offset, limit, encoding))
BOOST_DESCRIBE_STRUCT(ReadFile::Output, (), (path, content, encoding, offset, size, next_offset))

}  // namespace

std::shared_ptr<const model::Tool> make_read_file(Root root) {
  return native::make_native_tool<ReadFile>(std::move(root));
}

}  // namespace toolway::tools::builtin
