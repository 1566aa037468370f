#pragma once

#include <functional>
#include <span>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "base/result.h"
#include "tools/model/spec.h"

namespace toolway::tools::model {
struct RegisteredTool;
}  // namespace toolway::tools::model

namespace toolway::tools::exports {

/// The names under which models know a set of tools: `[A-Za-z0-9_-]{1,64}`, one per
/// tool, the same in every format.
///
/// Namespace `default` is left out: `name`; otherwise `namespace__name`. Where that is
/// longer than 64 characters, or could be read in two ways, it is a shortened form,
/// `___` and a hash of the qualified name. A plain name never holds `___`, and one with
/// `__` can be split in one way only, so no two tools get the same; and a tool's name
/// does not depend on which others there are (unless two hashes are equal in their first
/// 48 bits: the later one then gets more of its own). Immutable, thread-safe.
class ApiNames {
 public:
  /// Hex digits of a qualified name; at least 60 of them.
  using Hash = std::function<std::string(std::string_view)>;
  static constexpr std::size_t kMaxLength = 64;

  explicit ApiNames(std::span<const model::RegisteredTool* const> tools,
                    const Hash& hash = sha256_of);
  /// Qualified names, for tests.
  explicit ApiNames(const std::vector<std::string>& qualified, const Hash& hash = sha256_of);

  /// The name of one of its tools; of any other tool, its name alone.
  const std::string& of(const model::Spec& spec) const;

  /// What a model means by `text`: a name of this class, or `namespace.name`, or a bare
  /// name when one tool alone has it, in this order. Returns the qualified name.
  /// Errors: kUnknownTool naming near ones, kAmbiguousTool naming the choices.
  Result<std::string> resolve(std::string_view text) const;

  /// At most three names near `text`, nearest first; none when there are over 1,000 to compare
  /// with.
  std::vector<std::string> nearest(std::string_view text) const;

  static std::string sha256_of(std::string_view text);

 private:
  struct Entry {
    std::string qualified;
    std::string api;
  };
  void add(std::string_view ns, std::string_view name, const Hash& hash);

  std::vector<Entry> entries_;
  std::unordered_map<std::string, std::size_t> by_api_;
  std::unordered_map<std::string, std::size_t> by_qualified_;
  std::unordered_map<std::string, std::vector<std::size_t>> by_bare_;
};

}  // namespace toolway::tools::exports
