#include "tools/executors/command/command_config.h"

#include <fmt/format.h>

#include <algorithm>

#include "base/digits.h"
#include "base/strict_object.h"
#include "tools/templates/placeholder_rules.h"

namespace toolway::tools::executors::command {
namespace {

using Presence = templates::Placeholder::Presence;
using Form = templates::Placeholder::Form;

using Object = StrictObject<OrderedJson>;

constexpr const char* kRoot = "/implementation_config";

bool environment_name(std::string_view name) {
  const auto word = [](char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_';
  };
  return !name.empty() && word(name[0]) && std::all_of(name.begin(), name.end(), [&](char c) {
    return word(c) || (c >= '0' && c <= '9');
  });
}

/// Reads a config, and collects all that is wrong with it on the way.
class Reader {
 public:
  Reader(const OrderedJson& config, const OrderedJson& schema) : rules_(schema, mistakes) {
    if (!config.is_object()) {
      mistakes.add({kRoot, "a command tool needs `implementation_config: {argv: […]}`"});
      return;
    }
    Object fields(config, "a command tool", mistakes, kRoot);
    read_argv(fields);
    if (const auto* input = fields.value("stdin"))
      parsed.input = read_template(*input, "/stdin", false);
    read_environment(fields);
    read_plain(fields);
    read_exit_codes(fields);
    fields.nothing_else();
    parsed.defaults = rules_.defaults();
  }

  CommandConfig parsed;
  Mistakes mistakes;

 private:
  void wrong(const std::string& pointer, std::string what) {
    mistakes.add({kRoot + pointer, std::move(what)});
  }

  void check_placeholder(const templates::Placeholder& placeholder, const std::string& pointer,
                         bool whole_word) {
    const auto* described = rules_.property(placeholder.name);
    const auto& name = placeholder.name;
    if (described == nullptr) {
      return wrong(
          pointer,
          fmt::format("`{{{}}}` is not a property of input_schema; write `{{{{` for a brace",
                      name));
    }
    const bool several =
        placeholder.presence == Presence::kEach || placeholder.form == Form::kWords;
    if (several && !whole_word) {
      return wrong(
          pointer,
          fmt::format("`{{{}}}` stands for several arguments: it must be a whole word of argv",
                      name));
    }
    if (placeholder.presence == Presence::kRequired && !rules_.given_always(name, *described)) {
      wrong(
          pointer,
          fmt::format(
              "`{}` is not required and has no default: write `{{{}?}}` to leave the word out when it is not given",
              name, name));
    }
    const auto type = described->is_object() && described->contains("type") ? (*described)["type"]
                                                                            : OrderedJson();
    if (!type.is_string() || placeholder.form == Form::kJson) return;
    if (placeholder.presence == Presence::kEach) {
      if (type != "array")
        wrong(pointer,
              fmt::format("`{{{}*}}` needs an array; the schema says {}", name, to_text(type)));
    } else if (type == "array") {
      wrong(pointer,
            fmt::format(
                "`{}` is an array: write `{{{}*}}` for an argument per item, or `{{{}:json}}`",
                name, name, name));
    } else if (type == "object") {
      wrong(pointer,
            fmt::format("`{}` is an object: write `{{{}:json}}` for its JSON text", name, name));
    }
  }

  std::optional<templates::ArgumentTemplate> read_template(const OrderedJson& value,
                                                           const std::string& pointer, bool word) {
    if (!value.is_string()) {
      wrong(pointer, "must be a string (numbers too: \"1\")");
      return std::nullopt;
    }
    auto parsed_template = templates::parse_argument_template(value.get_ref<const std::string&>());
    if (!parsed_template) {
      wrong(pointer, parsed_template.error().message);
      return std::nullopt;
    }
    const bool whole = word && parsed_template->only_placeholder() != nullptr;
    for (const auto& part : parsed_template->parts) {
      if (part.placeholder) check_placeholder(*part.placeholder, pointer, whole);
    }
    return std::move(*parsed_template);
  }

  void read_argv(Object& fields) {
    const auto* argv = fields.value("argv");
    if (argv == nullptr || !argv->is_array() || argv->empty()) {
      return wrong(
          argv == nullptr ? "" : "/argv",
          "a command tool needs `argv`, a list of words such as [\"printf\", \"%s\", \"{text}\"]");
    }
    for (std::size_t i = 0; i < argv->size(); ++i) {
      const auto pointer = fmt::format("/argv/{}", i);
      auto word = read_template((*argv)[i], pointer, true);
      if (!word) continue;
      if (i == 0) check_program(*word, pointer);
      parsed.argv.push_back(std::move(*word));
    }
  }

  void check_program(const templates::ArgumentTemplate& word, const std::string& pointer) {
    if (word.parts.empty()) return wrong(pointer, "the program has no name");
    if (word.is_literal()) return;
    const auto* only = word.only_placeholder();
    if (only == nullptr || (only->form != Form::kOption && only->form != Form::kWords)) {
      wrong(
          pointer,
          "the caller would choose the program: to allow that, write `{name:option}`, `{name*:option}` or `{name:words}`");
    }
  }

  void read_environment(Object& fields) {
    const auto* environment = fields.value("env");
    if (environment == nullptr) return;
    if (!environment->is_object()) return wrong("/env", "must be an object of names and values");
    for (const auto& [name, value] : environment->items()) {
      const auto pointer = pointer_to("/env", name);
      if (!environment_name(name)) wrong(pointer, fmt::format("`{}` is not a variable name", name));
      if (name.starts_with("TOOLWAY_"))
        wrong(pointer, "names that begin with TOOLWAY_ are set by the worker");
      if (auto text = read_template(value, pointer, false))
        parsed.environment.emplace_back(name, std::move(*text));
    }
  }

  void read_plain(Object& fields) {
    if (const auto* cwd = fields.value("cwd")) {
      if (!cwd->is_string() || !cwd->get_ref<const std::string&>().starts_with('/')) {
        wrong("/cwd", "must be an absolute path in the sandbox, such as /workspace");
      } else if (cwd->get_ref<const std::string&>().find_first_of(std::string_view("{}\0", 3)) !=
                 std::string::npos) {
        wrong("/cwd", "takes no placeholders");
      } else {
        parsed.directory = cwd->get<std::string>();
      }
    }
    if (const auto* profile = fields.value("profile")) {
      parsed.profile = profile->is_string() ? profile->get<std::string>() : "";
      if (parsed.profile.empty())
        wrong("/profile", "must be the name of a sandbox profile of the workers");
    }
    const auto output = fields.choice("output", {"text", "json", "lines"});
    if (output == "json") parsed.output = CommandOutput::kJson;
    if (output == "lines") parsed.output = CommandOutput::kLines;
    parsed.session_workspace = fields.choice("workspace", {"none", "session"}) == "session";
    fields.whole("max_output_bytes", parsed.max_output_bytes, {.least = 1}, "bytes");
  }

  void read_exit_codes(Object& fields) {
    const auto* codes = fields.value("exit_codes");
    if (codes == nullptr) return;
    if (!codes->is_object())
      return wrong("/exit_codes",
                   "must be an object such as {\"1\": {\"outcome\": \"succeeded\"}}");
    for (const auto& [name, meaning] : codes->items()) {
      const auto pointer = pointer_to("/exit_codes", name);
      const bool digits = name.size() <= 3 && is_digits(name);
      if (!digits || std::stoi(name) > 255) {
        wrong(pointer, "must be an exit code from 0 to 255");
      } else {
        parsed.exit_codes[std::stoi(name)] = read_meaning(meaning, pointer);
      }
    }
  }

  ExitMeaning read_meaning(const OrderedJson& described, const std::string& pointer) {
    ExitMeaning meaning;
    Object fields(described, "an exit code", mistakes, kRoot + pointer);
    if (fields.find("outcome") != nullptr)
      meaning.succeeded = fields.choice("outcome", {"succeeded", "failed"}) == "succeeded";
    fields.text("code", meaning.code);
    fields.text("message", meaning.message);
    fields.flag("retryable", meaning.retryable);
    fields.nothing_else();
    return meaning;
  }

  const templates::PlaceholderRules rules_;
};

}  // namespace

std::vector<Mistake> check_command_config(const OrderedJson& config,
                                          const OrderedJson& input_schema) {
  return std::move(Reader(config, input_schema).mistakes).take();
}

Result<CommandConfig> parse_command_config(const OrderedJson& config,
                                           const OrderedJson& input_schema) {
  Reader reader(config, input_schema);
  if (reader.mistakes.count() > 0)
    return fail(ErrorCode::kInvalidSpec, std::move(reader.mistakes).take().front().text());
  return std::move(reader.parsed);
}

}  // namespace toolway::tools::executors::command
