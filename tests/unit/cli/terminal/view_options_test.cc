#include "cli/terminal/view_options.h"

#include <gtest/gtest.h>

#include <CLI/CLI.hpp>

namespace toolway::cli::terminal {
namespace {

constexpr Streams kTerminal{.terminal = true, .width = 130};

TEST(View, OfATerminalFitsItAndShowsAges) {
  const auto view = view_of({}, kTerminal, false, {});
  EXPECT_TRUE(view.fits());
  EXPECT_EQ(view.width, 130U);
  EXPECT_TRUE(view.style.coloured());
  EXPECT_EQ(view.times, Times::kAge);
}

TEST(View, OfAPipeIsWholeAndPlain) {
  const auto view = view_of({}, {.terminal = false, .width = 80}, false, {});
  EXPECT_FALSE(view.fits());
  EXPECT_FALSE(view.style.coloured());
  EXPECT_EQ(view.times, Times::kAbsolute);
  EXPECT_TRUE(view_of({.color = "always"}, {}, false, {}).style.coloured());
  EXPECT_EQ(view_of({.time = "relative"}, {}, false, {}).times, Times::kAge);
}

TEST(View, ColoursCanBeSwitchedOff) {
  EXPECT_FALSE(view_of({}, kTerminal, true, {}).style.coloured()) << "NO_COLOR";
  EXPECT_FALSE(view_of({.color = "never"}, kTerminal, false, {}).style.coloured());
  EXPECT_TRUE(view_of({.color = "always"}, kTerminal, true, {}).style.coloured())
      << "the option is nearer than the environment";
}

TEST(View, FormsOfTheOutput) {
  EXPECT_FALSE(view_of({.output = "wide"}, kTerminal, false, {}).fits());
  EXPECT_TRUE(view_of({.output = "json"}, kTerminal, false, {}).json());
  EXPECT_EQ(view_of({.output = "name"}, kTerminal, false, {}).output, Output::kName);
  EXPECT_EQ(view_of({.output = "raw"}, kTerminal, false, {}).output, Output::kRaw);
  CLI::App app;
  ViewOptions options;
  add_table_options(app, options);
  app.parse("-o name --time absolute", false);
  EXPECT_EQ(view_of(options, kTerminal, false, {}).times, Times::kAbsolute);
  EXPECT_THROW(app.parse("-o csv", false), CLI::ValidationError);
}

}  // namespace
}  // namespace toolway::cli::terminal
