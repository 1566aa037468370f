#include "tools/spec_file.h"

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <yaml-cpp/yaml.h>

#include <algorithm>
#include <map>
#include <set>
#include <string>

#include "tools/nearest_names.h"
#include "tools/native_tool.h"

namespace toolway::tools {
namespace {

using Milliseconds = std::chrono::milliseconds;

/// Unwinds out of the reader below, and no further than this file.
struct Mistake {
  int line;
  std::string what;
};

int line_of(const YAML::Node& node) { return node.Mark().line + 1; }

/// Reads one entry; remembers what was asked for, to refuse everything else.
class Entry {
 public:
  Entry(const YAML::Node& node, std::string what) : node_(node), what_(std::move(what)) {
    if (!node.IsMap()) throw Mistake{line_of(node), fmt::format("{} must be a mapping", what_)};
  }

  YAML::Node field(const std::string& name) {
    known_.push_back(name);
    return node_[name];
  }

  void text(const std::string& name, std::string& to) {
    if (const auto node = field(name)) to = scalar(node, name);
  }

  std::string required_text(const std::string& name) {
    const auto node = field(name);
    if (!node) throw Mistake{line_of(node_), fmt::format("{} has no `{}`", what_, name)};
    return scalar(node, name);
  }

  void flag(const std::string& name, bool& to) {
    const auto node = field(name);
    if (node && !(node.IsScalar() && node.Tag() != "!" && YAML::convert<bool>::decode(node, to))) {
      throw Mistake{line_of(node), fmt::format("`{}` must be true or false", name)};
    }
  }

  void limit(const std::string& name, Milliseconds& to) {
    const auto node = field(name);
    if (!node) return;
    constexpr std::int64_t kLongest = 30LL * 24 * 3600 * 1000;
    std::int64_t value = 0;
    if (!node.IsScalar() || node.Tag() == "!" || !YAML::convert<std::int64_t>::decode(node, value) ||
        value < 0 || value > kLongest) {
      throw Mistake{line_of(node), fmt::format("`{}` must be whole milliseconds from 0 (no limit) to {}",
                                               name, kLongest)};
    }
    to = Milliseconds(value);
  }

  void texts(const std::string& name, std::vector<std::string>& to) {
    const auto node = field(name);
    if (!node) return;
    if (!node.IsSequence()) throw Mistake{line_of(node), fmt::format("`{}` must be a list", name)};
    to.clear();
    for (const auto& item : node) to.push_back(scalar(item, name));
  }

  void nothing_else() const {
    std::vector<std::string> seen;
    for (const auto& member : node_) {
      if (!member.first.IsScalar()) throw Mistake{line_of(member.first), "a field's name must be text"};
      const auto name = member.first.as<std::string>();
      if (std::find(seen.begin(), seen.end(), name) != seen.end()) {
        throw Mistake{line_of(member.first), fmt::format("field `{}` is there twice", name)};
      }
      seen.push_back(name);
      if (std::find(known_.begin(), known_.end(), name) != known_.end()) continue;
      throw Mistake{line_of(member.first),
                    fmt::format("unknown field `{}`; {} can have {}", name, what_, fmt::join(known_, ", "))};
    }
  }

 private:
  static std::string scalar(const YAML::Node& node, const std::string& name) {
    if (!node.IsScalar()) throw Mistake{line_of(node), fmt::format("`{}` must be text", name)};
    return node.Scalar();
  }

  const YAML::Node node_;
  const std::string what_;
  std::vector<std::string> known_;
};

using Tools = std::vector<std::shared_ptr<const Tool>>;

Tools::iterator tool_of(Entry& entry, const YAML::Node& node, Tools& tools) {
  const auto name = entry.required_text("name");
  const auto ns = entry.required_text("namespace");
  const auto kind = entry.required_text("kind");
  if (kind != "native") {
    throw Mistake{line_of(node["kind"]),
                  fmt::format("kind '{}': this build runs only native tools", kind)};
  }
  const auto found = std::find_if(tools.begin(), tools.end(), [&](const auto& tool) {
    return tool->spec().name == name && tool->spec().ns == ns;
  });
  if (found != tools.end()) return found;
  std::vector<std::string> names;
  for (const auto& tool : tools) names.push_back(tool->spec().qualified_name());
  const auto near = nearest_names(ns + "." + name, names);
  throw Mistake{line_of(node["name"]),
                fmt::format("this build has no native tool '{}.{}'{}", ns, name,
                            near.empty() ? "" : "; did you mean " + quoted_choices(near) + "?")};
}

/// `seen`: the tools adjusted so far, and at which line. `left_out`: those not enabled;
/// they go at the end, so that a second mention is still found.
void apply(const YAML::Node& node, Tools& tools, std::map<std::string, int>& seen,
           std::set<std::string>& left_out) {
  Entry entry(node, "a tool");
  const auto tool = tool_of(entry, node, tools);
  Spec spec = (*tool)->spec();
  if (const auto [first, is_new] = seen.emplace(spec.qualified_name(), line_of(node)); !is_new) {
    throw Mistake{line_of(node), fmt::format("tool '{}' is there already, at line {}",
                                             spec.qualified_name(), first->second)};
  }
  bool enabled = true;
  entry.text("description", spec.description);
  entry.text("topic", spec.topic);
  entry.text("category", spec.category);
  entry.text("version", spec.version);
  entry.texts("permissions", spec.permissions);
  entry.flag("dangerous", spec.dangerous);
  entry.flag("enabled", enabled);
  if (const auto limits_node = entry.field("limits")) {
    Entry limits(limits_node, "`limits`");
    limits.limit("queue_ms", spec.limits.queue);
    limits.limit("run_ms", spec.limits.run);
    limits.limit("total_ms", spec.limits.total);
    limits.limit("heartbeat_ms", spec.limits.heartbeat);
    limits.nothing_else();
  }
  entry.nothing_else();
  const std::string name = spec.qualified_name();
  *tool = with_spec(*tool, std::move(spec));
  if (!enabled) left_out.insert(name);
}

}  // namespace

Result<std::vector<std::shared_ptr<const Tool>>> apply_spec_file(const std::filesystem::path& file,
                                                                 Tools tools) {
  try {
    const YAML::Node document = YAML::LoadFile(file.string());
    if (!document || document.IsNull()) return tools;
    Entry top(document, "the file");
    const auto list = top.field("tools");
    top.nothing_else();
    if (list && !list.IsSequence()) throw Mistake{line_of(list), "`tools` must be a list"};
    std::map<std::string, int> seen;
    std::set<std::string> left_out;
    for (const auto& node : list) apply(node, tools, seen, left_out);
    std::erase_if(tools, [&](const auto& tool) {
      return left_out.contains(tool->spec().qualified_name());
    });
    return tools;
  } catch (const Mistake& mistake) {
    return fail(ErrorCode::kInvalidSpec, fmt::format("{}:{}: {}", file.string(), mistake.line, mistake.what));
  } catch (const YAML::BadFile&) {
    return fail(ErrorCode::kInvalidSpec, fmt::format("{}:1: cannot be read", file.string()));
  } catch (const YAML::Exception& error) {
    return fail(ErrorCode::kInvalidSpec,
                fmt::format("{}:{}: {}", file.string(), error.mark.line + 1, error.msg));
  }
}

}  // namespace toolway::tools
