#include "tools/executors/command/command_config.h"

#include <fmt/format.h>

#include <algorithm>

#include "tools/schema/json_pointer.h"

namespace toolway::tools {
namespace {

using Presence = Placeholder::Presence;
using Form = Placeholder::Form;

constexpr std::string_view kFields =
    "argv, stdin, env, cwd, profile, output, exit_codes, workspace, max_output_bytes";

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
  Reader(const OrderedJson& config, const OrderedJson& schema) : config_(config), schema_(schema) {
    if (!config.is_object()) {
      wrong("", "a command tool needs `implementation_config: {argv: […]}`");
      return;
    }
    read_argv();
    read_input();
    read_environment();
    read_plain();
    read_exit_codes();
    for (const auto& [name, value] : config.items()) {
      if (std::find(known_.begin(), known_.end(), name) == known_.end()) {
        wrong(pointer_to("", name),
              fmt::format("unknown field `{}`; a command tool has {}", name, kFields));
      }
    }
    read_defaults();
  }

  CommandConfig parsed;
  std::vector<SpecMistake> mistakes;

 private:
  void wrong(const std::string& pointer, std::string what) {
    mistakes.push_back({"/implementation_config" + pointer, std::move(what)});
  }

  const OrderedJson* field(const char* name) {
    known_.emplace_back(name);
    const auto found = config_.find(name);
    return found == config_.end() || found->is_null() ? nullptr : &*found;
  }

  const OrderedJson* property(const std::string& name) const {
    const auto properties = schema_.is_object() ? schema_.find("properties") : schema_.end();
    if (!schema_.is_object() || properties == schema_.end() || !properties->is_object())
      return nullptr;
    const auto found = properties->find(name);
    return found == properties->end() ? nullptr : &*found;
  }

  bool given_always(const Placeholder& placeholder, const OrderedJson& described) const {
    if (described.is_object() && described.contains("default") && !described["default"].is_null())
      return true;
    const auto required = schema_.find("required");
    return required != schema_.end() && required->is_array() &&
           std::find(required->begin(), required->end(), OrderedJson(placeholder.name)) !=
               required->end();
  }

  void check_placeholder(const Placeholder& placeholder, const std::string& pointer,
                         bool whole_word) {
    const auto* described = property(placeholder.name);
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
    if (placeholder.presence == Presence::kRequired && !given_always(placeholder, *described)) {
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

  std::optional<ArgumentTemplate> read_template(const OrderedJson& value,
                                                const std::string& pointer, bool word) {
    if (!value.is_string()) {
      wrong(pointer, "must be a string (numbers too: \"1\")");
      return std::nullopt;
    }
    auto parsed_template = parse_argument_template(value.get_ref<const std::string&>());
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

  void read_argv() {
    const auto* argv = field("argv");
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

  void check_program(const ArgumentTemplate& word, const std::string& pointer) {
    if (word.parts.empty()) return wrong(pointer, "the program has no name");
    if (word.is_literal()) return;
    const auto* only = word.only_placeholder();
    if (only == nullptr || (only->form != Form::kOption && only->form != Form::kWords)) {
      wrong(
          pointer,
          "the caller would choose the program: to allow that, write `{name:option}`, `{name*:option}` or `{name:words}`");
    }
  }

  void read_input() {
    if (const auto* input = field("stdin")) parsed.input = read_template(*input, "/stdin", false);
  }

  void read_environment() {
    const auto* environment = field("env");
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

  void read_plain() {
    if (const auto* cwd = field("cwd")) {
      if (!cwd->is_string() || !cwd->get_ref<const std::string&>().starts_with('/')) {
        wrong("/cwd", "must be an absolute path in the sandbox, such as /workspace");
      } else if (cwd->get_ref<const std::string&>().find_first_of(std::string_view("{}\0", 3)) !=
                 std::string::npos) {
        wrong("/cwd", "takes no placeholders");
      } else {
        parsed.directory = cwd->get<std::string>();
      }
    }
    if (const auto* profile = field("profile")) {
      if (profile->is_string() && *profile != "")
        parsed.profile = profile->get<std::string>();
      else
        wrong("/profile", "must be the name of a sandbox profile of the workers");
    }
    if (const auto* output = field("output")) {
      if (*output == "text")
        parsed.output = CommandOutput::kText;
      else if (*output == "json")
        parsed.output = CommandOutput::kJson;
      else if (*output == "lines")
        parsed.output = CommandOutput::kLines;
      else
        wrong("/output", fmt::format("{} is not one of text, json, lines", to_text(*output)));
    }
    if (const auto* workspace = field("workspace")) {
      if (*workspace == "session")
        parsed.session_workspace = true;
      else if (*workspace != "none")
        wrong("/workspace", fmt::format("{} is not one of none, session", to_text(*workspace)));
    }
    if (const auto* bytes = field("max_output_bytes")) {
      if (bytes->is_number_unsigned() && *bytes > 0U)
        parsed.max_output_bytes = bytes->get<std::size_t>();
      else
        wrong("/max_output_bytes", "must be a positive whole number");
    }
  }

  void read_exit_codes() {
    const auto* codes = field("exit_codes");
    if (codes == nullptr) return;
    if (!codes->is_object())
      return wrong("/exit_codes",
                   "must be an object such as {\"1\": {\"outcome\": \"succeeded\"}}");
    for (const auto& [name, meaning] : codes->items()) {
      const auto pointer = pointer_to("/exit_codes", name);
      const bool digits =
          !name.empty() && name.size() <= 3 &&
          std::all_of(name.begin(), name.end(), [](char c) { return c >= '0' && c <= '9'; });
      if (!digits || std::stoi(name) > 255) {
        wrong(pointer, "must be an exit code from 0 to 255");
      } else {
        parsed.exit_codes[std::stoi(name)] = read_meaning(meaning, pointer);
      }
    }
  }

  ExitMeaning read_meaning(const OrderedJson& described, const std::string& pointer) {
    ExitMeaning meaning;
    if (!described.is_object()) {
      wrong(pointer, "must be an object of outcome, code, message, retryable");
      return meaning;
    }
    for (const auto& [name, value] : described.items()) {
      const auto at = pointer_to(pointer, name);
      if (name == "outcome") {
        meaning.succeeded = value == "succeeded";
        if (!meaning.succeeded && value != "failed")
          wrong(at, fmt::format("{} is not one of succeeded, failed", to_text(value)));
      } else if (name == "retryable") {
        if (value.is_boolean())
          meaning.retryable = value.get<bool>();
        else
          wrong(at, "must be true or false");
      } else if (name == "code" || name == "message") {
        if (value.is_string() && value != "")
          (name == "code" ? meaning.code : meaning.message) = value.get<std::string>();
        else
          wrong(at, "must be text");
      } else {
        wrong(at,
              fmt::format("unknown field `{}`; an exit code has outcome, code, message, retryable",
                          name));
      }
    }
    return meaning;
  }

  void read_defaults() {
    if (!schema_.is_object() || !schema_.contains("properties") ||
        !schema_["properties"].is_object())
      return;
    for (const auto& [name, described] : schema_["properties"].items()) {
      if (described.is_object() && described.contains("default"))
        parsed.defaults[name] = Json(described["default"]);
    }
  }

  const OrderedJson& config_;
  const OrderedJson& schema_;
  std::vector<std::string> known_;
};

}  // namespace

std::vector<SpecMistake> check_command_config(const OrderedJson& config,
                                              const OrderedJson& input_schema) {
  return Reader(config, input_schema).mistakes;
}

Result<CommandConfig> parse_command_config(const OrderedJson& config,
                                           const OrderedJson& input_schema) {
  Reader reader(config, input_schema);
  if (!reader.mistakes.empty()) {
    return fail(ErrorCode::kInvalidSpec,
                reader.mistakes.front().pointer + ": " + reader.mistakes.front().what);
  }
  return std::move(reader.parsed);
}

}  // namespace toolway::tools
