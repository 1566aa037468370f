#pragma once

#include <sstream>

#include "tools/native/native.h"

struct WordCount {
  static constexpr toolway::tools::native::ToolInfo info{
      .name = "word_count", .ns = "text", .description = "Counts the words of a text.",
      .idempotent = true};
  struct Args {
    std::string text;
    std::int64_t min_length = 1;
    static constexpr auto fields = std::to_array<toolway::tools::native::Field>(
        {{.name = "text", .description = "What to count in."},
         {.name = "min_length", .description = "Shorter words do not count.", .has_default = true,
          .minimum = 1}});
  };
  struct Output {
    std::int64_t words = 0;
  };
  toolway::Result<Output> run(const Args& args, toolway::tools::model::ToolContext&) const {
    std::istringstream words(args.text);
    Output output;
    for (std::string word; words >> word;) {
      if (static_cast<std::int64_t>(word.size()) >= args.min_length) ++output.words;
    }
    return output;
  }
};
BOOST_DESCRIBE_STRUCT(WordCount::Args, (), (text, min_length))
BOOST_DESCRIBE_STRUCT(WordCount::Output, (), (words))
