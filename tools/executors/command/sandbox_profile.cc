#include "tools/executors/command/sandbox_profile.h"

#include <fmt/format.h>
#include <yaml-cpp/yaml.h>

#include <algorithm>

#include "base/digits.h"

namespace toolway::tools::executors::command {
namespace {

/// Unwinds out of the reader below, and no further than this file.
struct Stop {
  YAML::Mark mark;
  std::string message;
};

std::string text_of(const YAML::Node& node, const std::string& name) {
  if (!node.IsScalar() || node.Scalar().empty())
    throw Stop{node.Mark(), fmt::format("`{}` must be text", name)};
  return node.Scalar();
}

std::string path_of(const std::string& text, const std::string& name, const YAML::Mark& mark) {
  const auto path = std::filesystem::path(text).lexically_normal();
  if (!path.is_absolute() || path == "/")
    throw Stop{mark, fmt::format("`{}` must be an absolute path, and not /", name)};
  return path;
}

bool flag_of(const YAML::Node& node, const std::string& name) {
  bool value = false;
  if (!node.IsScalar() || node.Tag() == "!" || !YAML::convert<bool>::decode(node, value)) {
    throw Stop{node.Mark(), fmt::format("`{}` must be true or false", name)};
  }
  return value;
}

/// A whole number; bytes may end in K, M or G.
std::uint64_t number_of(const YAML::Node& node, const std::string& name) {
  std::string text = node.IsScalar() ? node.Scalar() : "";
  std::uint64_t unit = 1;
  if (name.ends_with("_bytes") && !text.empty()) {
    const auto found = std::string_view("KMG").find(text.back());
    if (found != std::string_view::npos) {
      unit = 1UL << (10 * (found + 1));
      text.pop_back();
    }
  }
  const bool digits = text.size() <= 12 && is_digits(text);
  if (!digits || std::stoull(text) == 0) {
    throw Stop{node.Mark(), fmt::format("`{}` must be a positive whole number{}", name,
                                        name.ends_with("_bytes") ? ", such as 512M" : "")};
  }
  return std::stoull(text) * unit;
}

void read_shared(const YAML::Node& node, SandboxProfile& profile) {
  if (!node.IsSequence()) throw Stop{node.Mark(), "`read_only` must be a list of paths"};
  for (const auto& item : node) {
    const auto text = text_of(item, "read_only");
    const auto colon = text.find(':');
    const auto outside = path_of(text.substr(0, colon), "read_only", item.Mark());
    const auto inside = colon == std::string::npos
                            ? outside
                            : path_of(text.substr(colon + 1), "read_only", item.Mark());
    profile.read_only.emplace_back(outside, inside);
  }
}

SandboxProfile read_profile(const YAML::Node& node, const std::string& name) {
  if (!node.IsMap()) throw Stop{node.Mark(), fmt::format("profile `{}` must be a mapping", name)};
  SandboxProfile profile;
  const std::pair<const char*, std::uint64_t*> numbers[] = {
      {"memory_bytes", &profile.memory_bytes},
      {"address_space_bytes", &profile.address_space_bytes},
      {"processes", &profile.processes},
      {"open_files", &profile.open_files},
      {"file_bytes", &profile.file_bytes},
      {"cpu_seconds", &profile.cpu_seconds},
      {"tmp_bytes", &profile.tmp_bytes}};
  for (const auto& member : node) {
    const auto field = member.first.Scalar();
    const auto& value = member.second;
    const auto number = std::find_if(std::begin(numbers), std::end(numbers),
                                     [&](const auto& one) { return one.first == field; });
    if (number != std::end(numbers)) {
      *number->second = number_of(value, field);
    } else if (field == "sandbox") {
      const auto kind = text_of(value, field);
      if (kind != "bubblewrap" && kind != "none")
        throw Stop{value.Mark(), "`sandbox` must be bubblewrap or none"};
      if (kind == "none") profile.isolation = SandboxProfile::Isolation::kNone;
    } else if (field == "network") {
      profile.network = flag_of(value, field);
    } else if (field == "rootfs") {
      profile.rootfs = path_of(text_of(value, field), field, value.Mark());
    } else if (field == "read_only") {
      read_shared(value, profile);
    } else {
      throw Stop{
          member.first.Mark(),
          fmt::format(
              "unknown field `{}`; a profile has sandbox, network, rootfs, read_only, memory_bytes, "
              "address_space_bytes, processes, open_files, file_bytes, cpu_seconds, tmp_bytes",
              field)};
    }
  }
  return profile;
}

SandboxConfiguration read(const YAML::Node& document) {
  auto configuration = standard_sandbox_profiles();
  if (!document.IsMap()) throw Stop{document.Mark(), "must be a mapping with `profiles`"};
  for (const auto& member : document) {
    const auto field = member.first.Scalar();
    if (field == "default") {
      configuration.default_profile = text_of(member.second, field);
    } else if (field != "profiles") {
      throw Stop{member.first.Mark(),
                 fmt::format("unknown field `{}`; the file has default, profiles", field)};
    } else if (!member.second.IsMap()) {
      throw Stop{member.second.Mark(), "`profiles` must be a mapping of names"};
    } else {
      for (const auto& profile : member.second) {
        const auto name = text_of(profile.first, "name");
        configuration.profiles[name] = read_profile(profile.second, name);
      }
    }
  }
  if (!configuration.profiles.contains(configuration.default_profile)) {
    throw Stop{document["default"].Mark(),
               fmt::format("there is no profile `{}`", configuration.default_profile)};
  }
  return configuration;
}

}  // namespace

SandboxConfiguration standard_sandbox_profiles() {
  SandboxConfiguration standard;
  standard.default_profile = "default";
  standard.profiles["default"] = {};
  standard.profiles["network"].network = true;
  return standard;
}

Result<SandboxConfiguration> read_sandbox_profiles(const std::filesystem::path& file) {
  const auto wrong = [&](const YAML::Mark& mark, const std::string& what) {
    return fail(ErrorCode::kInvalidSpec,
                fmt::format("{}:{}: {}", file.string(), std::max(mark.line, 0) + 1, what));
  };
  try {
    return read(YAML::LoadFile(file.string()));
  } catch (const Stop& stop) {
    return wrong(stop.mark, stop.message);
  } catch (const YAML::BadFile&) {
    return fail(ErrorCode::kInvalidSpec, fmt::format("{}: cannot be read", file.string()));
  } catch (const YAML::Exception& error) {
    return wrong(error.mark, error.msg);
  }
}

}  // namespace toolway::tools::executors::command
