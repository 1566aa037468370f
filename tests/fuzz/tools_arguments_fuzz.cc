// Arbitrary bytes as the arguments of a call: parsed, validated against a schema
// with every kind of keyword, and read into C++ types. Nothing may crash, and no
// violation may be without words.
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <string_view>

#include "base/utf8.h"
#include "tools/model/local_context.h"
#include "tools/native/native.h"

namespace {

using namespace toolway;
using namespace toolway::tools;

enum class Mode { fast, slow };
BOOST_DESCRIBE_ENUM(Mode, fast, slow)

struct Target {
  static constexpr toolway::tools::native::ToolInfo info{.name = "target"};
  struct Inner {
    double x = 0;
    std::optional<std::string> note;
  };
  struct Args {
    std::string text;
    std::int64_t big = 0;
    std::uint64_t huge = 0;
    std::int8_t tiny = 0;
    Mode mode = Mode::fast;
    std::vector<Inner> inner;
    std::map<std::string, std::int64_t> map;
    toolway::Json anything;
    static constexpr auto fields = std::to_array<toolway::tools::native::Field>(
        {{.name = "text", .max_length = 500, .pattern = "^[a-z-]*$"},
         {.name = "big", .has_default = true},
         {.name = "huge", .has_default = true},
         {.name = "tiny", .has_default = true},
         {.name = "mode", .has_default = true},
         {.name = "inner", .has_default = true},
         {.name = "map", .has_default = true},
         {.name = "anything", .has_default = true}});
  };
  toolway::Result<Args> run(const Args& args, toolway::tools::model::ToolContext&) const {
    return args;
  }
};
BOOST_DESCRIBE_STRUCT(Target::Inner, (), (x, note))
BOOST_DESCRIBE_STRUCT(Target::Args, (), (text, big, huge, tiny, mode, inner, map, anything))

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  static const auto tool = toolway::tools::native::make_native_tool<Target>();
  static const auto schema = *toolway::tools::schema::compile_schema(tool->spec().input_schema);
  const auto document = toolway::parse_json({reinterpret_cast<const char*>(data), size});
  if (!document) return 0;
  for (const auto& violation : schema->validate(*document)) {
    if (violation.message.empty() || !toolway::valid_utf8(violation.message)) std::abort();
  }
  toolway::tools::model::LocalContext context;
  toolway::tools::model::ProgressTo nowhere({});
  const auto execution = tool->execute(*document, context, nowhere);
  if (!execution && execution.error().code != "invalid_arguments") std::abort();
  return 0;
}
