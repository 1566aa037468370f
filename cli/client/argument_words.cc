#include "cli/client/argument_words.h"

#include <fmt/format.h>

#include <iostream>
#include <iterator>

#include "base/try.h"
#include "cli/client/arguments.h"
#include "cli/process/named_file.h"

namespace toolway::cli::client {

Result<OrderedJson> arguments_of_words(const std::vector<std::string>& words) {
  if (words.empty()) return OrderedJson::object();
  if (words.size() != 1) return object_of_pairs(words, OrderedJson());
  const auto& word = words.front();
  if (word == "-")
    return object_of({std::istreambuf_iterator<char>(std::cin), std::istreambuf_iterator<char>()});
  if (!word.starts_with('@')) return object_of(word);
  ASSIGN_OR_RETURN(const auto text, process::read_named_file(word.substr(1)));
  auto object = object_of(text);
  if (!object)
    return fail(object.error().code, fmt::format("{}: {}", word.substr(1), object.error().message));
  return object;
}

}  // namespace toolway::cli::client
