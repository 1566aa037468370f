#include "tools/templates/argument_template.h"

#include <fmt/format.h>

#include "base/try.h"
#include "tools/model/secrets.h"

namespace toolway::tools::templates {
namespace {

using Presence = Placeholder::Presence;
using Form = Placeholder::Form;

constexpr std::string_view kSecret = "secret:";

Result<Placeholder> parse_placeholder(std::string_view inside, SecretPlaceholders secrets) {
  Placeholder parsed;
  if (secrets == SecretPlaceholders::kAllowed && inside.starts_with(kSecret)) {
    parsed.name = inside.substr(kSecret.size());
    parsed.secret = true;
    if (model::valid_secret_name(parsed.name)) return parsed;
    return fail(ErrorCode::kInvalidSpec,
                fmt::format("`{{{}}}`: a secret's name is 1 to 64 of A-Z a-z 0-9 _", inside));
  }
  if (const auto colon = inside.rfind(':'); colon != std::string_view::npos) {
    const auto form = inside.substr(colon + 1);
    if (form == "json") {
      parsed.form = Form::kJson;
    } else if (form == "option") {
      parsed.form = Form::kOption;
    } else if (form == "words") {
      parsed.form = Form::kWords;
    } else {
      return fail(ErrorCode::kInvalidSpec,
                  fmt::format("`{{{}}}`: expected json, option or words after `:`", inside));
    }
    inside = inside.substr(0, colon);
  }
  if (inside.ends_with('?')) parsed.presence = Presence::kOptional;
  if (inside.ends_with('*')) parsed.presence = Presence::kEach;
  if (parsed.presence != Presence::kRequired) inside.remove_suffix(1);
  if (inside.empty() || inside.find_first_of("{}?*: \t\n") != std::string_view::npos) {
    return fail(
        ErrorCode::kInvalidSpec,
        fmt::format("`{{{}}}` names no property; write `{{{{` and `}}}}` for braces", inside));
  }
  parsed.name = inside;
  return parsed;
}

const Json* not_null(const Placeholder& placeholder, const ArgumentSource& source) {
  for (const Json* object : {&source.arguments, &source.defaults}) {
    if (!object->is_object()) continue;
    const auto found = object->find(placeholder.name);
    if (found != object->end() && !found->is_null()) return &*found;
  }
  return nullptr;
}

}  // namespace

const Json* value_of(const Placeholder& placeholder, const ArgumentSource& source) {
  if (placeholder.form == Form::kJson) return json_value_of(placeholder, source);
  return not_null(placeholder, source);
}

const Json* json_value_of(const Placeholder& placeholder, const ArgumentSource& source) {
  if (placeholder.presence == Presence::kRequired && source.arguments.is_object()) {
    const auto given = source.arguments.find(placeholder.name);
    if (given != source.arguments.end()) return &*given;
  }
  return not_null(placeholder, source);
}

tl::unexpected<Error> refuse(const Placeholder& placeholder, std::string_view what) {
  return fail(ErrorCode::kInvalidArguments, fmt::format("/{}: {}", placeholder.name, what));
}

Result<std::string> value_text(const Placeholder& placeholder, const Json& value,
                               std::string_view what, std::optional<std::size_t> index) {
  if (placeholder.form == Form::kJson) return to_text(value);
  if (value.is_string()) return value.get<std::string>();
  if (value.is_number() || value.is_boolean()) return to_text(value);
  const char* const type = value.is_array() ? "an array" : value.is_object() ? "an object" : "null";
  const auto wrong = fmt::format("is {}; {} is text, a number or a boolean", type, what);
  if (!index) return refuse(placeholder, wrong);
  return fail(ErrorCode::kInvalidArguments,
              fmt::format("/{}/{}: {}", placeholder.name, *index, wrong));
}

namespace {

Result<std::string> text_of(const Placeholder& placeholder, const Json& value,
                            std::optional<std::size_t> index = {}) {
  auto text = value_text(placeholder, value, "a command's argument", index);
  if (text && text->find('\0') != std::string::npos)
    return refuse(placeholder,
                  "contains a NUL character, which a command's argument cannot contain");
  return text;
}

Result<void> append(const Placeholder& placeholder, std::string word, Dashes dashes,
                    std::vector<std::string>& words) {
  if (dashes == Dashes::kRefused && placeholder.form != Form::kOption && word.starts_with('-')) {
    return refuse(placeholder, "begins with '-', and the command would take it for an option");
  }
  words.push_back(std::move(word));
  return {};
}

Result<void> render_only(const Placeholder& placeholder, const ArgumentSource& source,
                         Dashes dashes, std::vector<std::string>& words) {
  const Json* value = value_of(placeholder, source);
  if (value == nullptr) {
    if (placeholder.presence == Presence::kRequired) return refuse(placeholder, "is not given");
    return {};
  }
  if (placeholder.form == Form::kWords) {
    ASSIGN_OR_RETURN(auto line, text_of(placeholder, *value));
    auto split = split_words(line);
    if (!split) return refuse(placeholder, split.error().message);
    for (auto& word : *split) words.push_back(std::move(word));
    return {};
  }
  if (placeholder.presence != Presence::kEach) {
    ASSIGN_OR_RETURN(auto text, text_of(placeholder, *value));
    return append(placeholder, std::move(text), dashes, words);
  }
  if (!value->is_array()) return refuse(placeholder, "is not an array");
  for (std::size_t i = 0; i < value->size(); ++i) {
    ASSIGN_OR_RETURN(auto text, text_of(placeholder, (*value)[i], i));
    RETURN_IF_ERROR(append(placeholder, std::move(text), dashes, words));
  }
  return {};
}

}  // namespace

const Placeholder* ArgumentTemplate::only_placeholder() const {
  return parts.size() == 1 && parts[0].placeholder ? &*parts[0].placeholder : nullptr;
}

Result<ArgumentTemplate> parse_argument_template(std::string_view text,
                                                 SecretPlaceholders secrets) {
  ArgumentTemplate parsed;
  std::string literal;
  const auto end_literal = [&] {
    if (!literal.empty()) parsed.parts.push_back({.literal = std::move(literal)});
    literal.clear();
  };
  for (std::size_t i = 0; i < text.size(); ++i) {
    const char c = text[i];
    if (c == '\0') return fail(ErrorCode::kInvalidSpec, "contains a NUL character");
    if ((c == '{' || c == '}') && i + 1 < text.size() && text[i + 1] == c) {
      literal += c;
      ++i;
    } else if (c == '}') {
      return fail(ErrorCode::kInvalidSpec,
                  fmt::format("`}}` at {} closes nothing; write `}}}}` for a brace", i));
    } else if (c == '{') {
      const auto end = text.find('}', i);
      if (end == std::string_view::npos) {
        return fail(ErrorCode::kInvalidSpec,
                    fmt::format("`{{` at {} is not closed; write `{{{{` for a brace", i));
      }
      auto placeholder = parse_placeholder(text.substr(i + 1, end - i - 1), secrets);
      RETURN_IF_ERROR(placeholder);
      end_literal();
      parsed.parts.push_back({.literal = {}, .placeholder = std::move(*placeholder)});
      i = end;
    } else {
      literal += c;
    }
  }
  end_literal();
  return parsed;
}

Result<std::optional<std::string>> render_text(const ArgumentTemplate& text,
                                               const ArgumentSource& source) {
  std::string rendered;
  for (const auto& part : text.parts) {
    if (!part.placeholder) {
      rendered += part.literal;
      continue;
    }
    const Json* value = value_of(*part.placeholder, source);
    if (value == nullptr) {
      if (part.placeholder->presence == Presence::kOptional) return std::nullopt;
      return refuse(*part.placeholder, "is not given");
    }
    auto piece = text_of(*part.placeholder, *value);
    RETURN_IF_ERROR(piece);
    rendered += *piece;
  }
  return rendered;
}

Result<void> render_words(const ArgumentTemplate& word, const ArgumentSource& source, Dashes dashes,
                          std::vector<std::string>& words) {
  if (const auto* only = word.only_placeholder()) return render_only(*only, source, dashes, words);
  ASSIGN_OR_RETURN(auto text, render_text(word, source));
  if (!text) return {};
  const bool ours = word.parts.empty() || !word.parts.front().placeholder;
  if (ours) {
    words.push_back(std::move(*text));
    return {};
  }
  return append(*word.parts.front().placeholder, std::move(*text), dashes, words);
}

Result<std::vector<std::string>> split_words(std::string_view line) {
  std::vector<std::string> words;
  std::string word;
  bool inside = false;  // of a word, which may be empty: ''
  char quote = 0;
  for (std::size_t i = 0; i < line.size(); ++i) {
    const char c = line[i];
    const bool more = i + 1 < line.size();
    if (quote == '\'') {
      if (c == '\'')
        quote = 0;
      else
        word += c;
    } else if (quote == '"') {
      if (c == '"')
        quote = 0;
      else if (c == '\\' && more && (line[i + 1] == '"' || line[i + 1] == '\\'))
        word += line[++i];
      else
        word += c;
    } else if (c == '\'' || c == '"') {
      quote = c;
      inside = true;
    } else if (c == '\\' && more) {
      word += line[++i];
      inside = true;
    } else if (c == ' ' || c == '\t' || c == '\n') {
      if (inside) words.push_back(std::move(word));
      word.clear();
      inside = false;
    } else {
      word += c;
      inside = true;
    }
  }
  if (quote != 0) {
    return fail(ErrorCode::kInvalidArguments, fmt::format("the quote {} is not closed", quote));
  }
  if (inside) words.push_back(std::move(word));
  return words;
}

}  // namespace toolway::tools::templates
