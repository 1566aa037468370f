#include "cli/help/usage_error.h"

#include <fmt/format.h>

#include <algorithm>

#include "base/digits.h"
#include "base/nearest_names.h"
#include "cli/help/command.h"

namespace toolway::cli::help {
namespace {

/// Of the parser's sentence `--state: done not in {queued,running}` its parts.
struct NotAChoice {
  std::string option, value;
  std::vector<std::string> choices;
};
std::optional<NotAChoice> not_a_choice(const std::string& message) {
  const auto colon = message.find(": ");
  const auto in = message.find(" not in {", colon);
  const auto close = message.rfind('}');
  if (colon == std::string::npos || in == std::string::npos || close == std::string::npos)
    return std::nullopt;
  const auto from = in + std::string_view(" not in {").size();
  return NotAChoice{message.substr(0, colon), message.substr(colon + 2, in - colon - 2),
                    CLI::detail::split(message.substr(from, close - from), ',')};
}

std::vector<std::string> option_names(const CLI::App& app) {
  std::vector<std::string> names;
  for (const auto* option : app.get_options())
    for (const auto& name : option->get_lnames()) names.push_back("--" + name);
  return names;
}

/// Which verb has a verb of this name: `list` is in `session` and `calls`.
std::vector<std::string> paths_to(const CLI::App& root, const std::string& verb) {
  std::vector<std::string> paths;
  for (const auto& found : all_verbs(root, Groups::kWith))
    if (found.path.ends_with(" " + verb)) paths.push_back(found.path);
  return paths;
}

bool has_unknown_option(const CLI::App& root) {
  return std::ranges::any_of(root.remaining(true),
                             [](const std::string& word) { return word.starts_with("--"); });
}

/// The first word, in the order they were typed, that the parser could not place.
std::string first_extra(const CLI::App& verb, const std::vector<std::string>& words) {
  const auto extras = verb.remaining(true);
  for (const auto& word : words) {
    const auto name = word.substr(0, word.starts_with("--") ? word.find('=') : std::string::npos);
    if (std::find(extras.begin(), extras.end(), word) != extras.end() ||
        std::find(extras.begin(), extras.end(), name) != extras.end())
      return name;
  }
  return extras.empty() ? std::string() : extras.front();
}

/// Of a verb that asks no gateway: what it asks, and how to say where that is. Empty: it may ask
/// one.
std::string asks_instead(const CLI::App& verb) {
  const auto has = [&](const char* name) { return verb.get_option_no_throw(name) != nullptr; };
  if (!has("--data")) return {};
  if (has("--nats"))
    return "this verb asks NATS, not a gateway: give --nats URL, TOOLWAY_NATS_URL, or --data "
           "DIRECTORY of a running `toolway dev`";
  if (has("--postgres-url-file"))
    return "this verb asks Postgres, not a gateway: give --postgres-url-file FILE, "
           "TOOLWAY_POSTGRES_URL, or --data DIRECTORY of a running `toolway dev`";
  return {};
}

terminal::Failure extra(const CLI::App& root, const CLI::App& verb,
                        const std::vector<std::string>& words) {
  const auto word = first_extra(verb.get_parent() == nullptr ? verb : root, words);
  terminal::Failure failure{.code = ErrorCode::kInvalidRequest, .what = {}};
  const auto command = describe(verb, {});
  if (word.starts_with("-")) {
    failure.what = fmt::format("unknown option '{}'", word);
    const auto instead = word == "--url" ? asks_instead(verb) : std::string();
    if (!instead.empty())
      failure.details = {instead};
    else
      failure.suggestions = nearest_names(word, option_names(verb), 1);
  } else if (!command.verbs.empty()) {
    failure.what = fmt::format("unknown verb '{}'", word);
    std::vector<std::string> names;
    for (const auto& one : command.verbs) names.push_back(one.name);
    failure.suggestions = nearest_names(word, names, 1);
    if (failure.suggestions.empty() && verb.get_parent() == nullptr)
      failure.suggestions = paths_to(root, word);
  } else {
    failure.what = fmt::format("unexpected argument '{}'", word);
  }
  return failure;
}

/// `tool is required`, `--session is required`.
std::string missing(const std::string& message) {
  const auto name = message.substr(0, message.find(" is required"));
  if (name.starts_with("-")) return name + " is missing";
  std::string upper(name);
  std::transform(upper.begin(), upper.end(), upper.begin(), ::toupper);
  return "argument " + upper + " is missing";
}

/// `Could not convert: --limit = abc`.
std::string not_convertible(const std::string& message) {
  const auto colon = message.find(": ");
  const auto equals = message.find(" = ");
  if (colon == std::string::npos || equals == std::string::npos || equals < colon) return message;
  const auto option = message.substr(colon + 2, equals - colon - 2);
  const auto value = message.substr(equals + 3);
  // Those that take a sign or a fraction have a range, which is checked first.
  if (value.starts_with('-') && is_digits(value.substr(1)))
    return fmt::format("{}: must be at least 0, and is {}", option, value);
  if (is_digits(value)) return fmt::format("{}: {} is too large", option, value);
  return fmt::format("{}: '{}' is not a number", option, value);
}

/// `0.5` where the parser writes `0.500000`.
std::string_view without_zeros(std::string_view number) {
  if (number.find('.') == std::string_view::npos) return number;
  number = number.substr(0, number.find_last_not_of('0') + 1);
  if (number.ends_with('.')) number.remove_suffix(1);
  return number;
}

/// `0.000000 to 2.000000`; of CLI11 2.4, `[0 - 2]`.
std::string range_in_words(std::string_view range) {
  const bool newer = range.starts_with('[') && range.ends_with(']');
  const std::string_view between = newer ? " - " : " to ";
  if (newer) range = range.substr(1, range.size() - 2);
  const auto to = range.find(between);
  if (to == std::string_view::npos) return std::string(range);
  return fmt::format("{} to {}", without_zeros(range.substr(0, to)),
                     without_zeros(range.substr(to + between.size())));
}

/// `--attempts: Value x not in range 1 to 1000`.
std::string not_in_range(const std::string& message) {
  const auto value = message.find(": Value ");
  const auto range = message.find(" not in range ");
  if (value == std::string::npos || range == std::string::npos || range < value) return message;
  const auto from = value + std::string_view(": Value ").size();
  return fmt::format(
      "{}: '{}' is not a number from {}", message.substr(0, value),
      message.substr(from, range - from),
      range_in_words(message.substr(range + std::string_view(" not in range ").size())));
}

/// Its name is the verb's for some, so its code tells which error it is.
bool is(const CLI::ParseError& error, CLI::ExitCodes code) {
  return error.get_exit_code() == static_cast<int>(code);
}

std::string in_words(const CLI::ParseError& error) {
  const std::string message = error.what();
  if (is(error, CLI::ExitCodes::RequiredError)) return missing(message);
  if (is(error, CLI::ExitCodes::ConversionError)) return not_convertible(message);
  if (is(error, CLI::ExitCodes::ArgumentMismatch)) {
    const auto colon = message.find(':');
    constexpr std::string_view kMany = ": At Most 1 required but received ";
    if (const auto many = message.find(kMany); many != std::string::npos) {
      const auto times = message.substr(many + kMany.size());
      return fmt::format("{} is given {}", message.substr(0, many),
                         times == "2" ? "twice" : times + " times");
    }
    if (message.find("missing") != std::string::npos && colon != std::string::npos)
      return message.substr(0, colon) + " needs a value";
    return message.find("requires at least") != std::string::npos && colon != std::string::npos
               ? message.substr(0, colon) + " needs more values"
               : message;
  }
  return not_in_range(message);
}

}  // namespace

terminal::Failure usage_error(const CLI::App& root, const CLI::ParseError& error,
                              const std::vector<std::string>& words) {
  const CLI::App* verb = &root;
  std::string path;
  while (!verb->get_subcommands().empty()) {
    verb = verb->get_subcommands().front();
    path += " " + verb->get_name();
  }
  terminal::Failure failure{.code = ErrorCode::kInvalidRequest, .what = in_words(error)};
  // The value of an option that the verb does not have may have been taken for an argument.
  const bool unknown = is(error, CLI::ExitCodes::ConversionError) && has_unknown_option(root);
  if (unknown || is(error, CLI::ExitCodes::ExtrasError)) {
    failure = extra(root, *verb, words);
  } else if (const auto wrong = not_a_choice(failure.what)) {
    failure.what = fmt::format("{}: '{}' is not one of {}", wrong->option, wrong->value,
                               fmt::join(wrong->choices, ", "));
    if (!is_digits(wrong->value))
      failure.suggestions = nearest_names(wrong->value, wrong->choices, 1);
  }
  failure.next = fmt::format("see: toolway{} --help", path);
  return failure;
}

}  // namespace toolway::cli::help
