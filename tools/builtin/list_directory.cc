#include "base/try.h"
#include "tools/builtin/directory_entries.h"
#include "tools/builtin/filesystem_tools.h"
#include "tools/model/readable.h"
#include "tools/native/native.h"

namespace toolway::tools::builtin {

BOOST_DESCRIBE_ENUM(EntryType, file, directory, symlink, other)

namespace {

class ListDirectory {
 public:
  static constexpr native::ToolInfo info{
      .name = "list_directory",
      .ns = "filesystem",
      .description = "Lists a directory: names, types and sizes, sorted by name.",
      .topic = "List directory",
      .category = "filesystem",
      .read_only = true,
      .idempotent = true};
  struct Args {
    std::string path = ".";
    std::int64_t limit = 1000;
    static constexpr auto fields = std::to_array<native::Field>(
        {{.name = "path", .description = "Directory, relative to the root.", .has_default = true},
         {.name = "limit",
          .description = "At most this many entries.",
          .has_default = true,
          .minimum = 1,
          .maximum = 2000}});
  };
  struct Entry {
    std::string name;
    EntryType type = EntryType::other;
    std::optional<std::int64_t> size;
    std::int64_t modified = 0;
    static constexpr auto fields = std::to_array<native::Field>(
        {{.name = "size", .description = "Bytes, of files."},
         {.name = "modified", .description = "Seconds since the Unix epoch."}});
  };
  struct Output {
    std::string path;
    std::vector<Entry> entries;
    std::int64_t total = 0;
    bool truncated = false;
  };

  explicit ListDirectory(Root root) : root_(std::move(root)) {}

  Result<Output> run(const Args& args, model::ToolContext&) const {
    ASSIGN_OR_RETURN(auto directory, root_->open_directory(args.path));
    ASSIGN_OR_RETURN(auto entries, directory_entries(directory));
    Output output{
        .path = args.path, .entries = {}, .total = static_cast<std::int64_t>(entries.size())};
    output.truncated = output.total > args.limit;
    if (output.truncated) entries.resize(static_cast<std::size_t>(args.limit));
    for (auto& entry : entries) {
      output.entries.push_back(
          {model::readable(entry.name), entry.type,
           entry.type == EntryType::file ? std::optional(entry.size) : std::nullopt,
           entry.modified});
    }
    return output;
  }

 private:
  Root root_;
};
BOOST_DESCRIBE_STRUCT(ListDirectory::Args, (), (path, limit))
BOOST_DESCRIBE_STRUCT(ListDirectory::Entry, (), (name, type, size, modified))
BOOST_DESCRIBE_STRUCT(ListDirectory::Output, (), (path, entries, total, truncated))

}  // namespace

std::shared_ptr<const model::Tool> make_list_directory(Root root) {
  return native::make_native_tool<ListDirectory>(std::move(root));
}

}  // namespace toolway::tools::builtin
