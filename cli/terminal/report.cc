#include "cli/terminal/report.h"

#include <fmt/format.h>

#include <cstdio>

#include "base/json.h"
#include "cli/terminal/exit_code.h"

namespace toolway::cli::terminal {

void print_failure(const View& view, const Failure& failure) {
  std::fflush(stdout);
  fmt::print(stderr, "{}", failure_text(failure, view.error_style, view.error_width));
}

void print_warning(const View& view, const std::string& text) {
  std::fflush(stdout);
  fmt::print(stderr, "{}",
             labelled(Colour::kYellow, "warning: ", text, view.error_style, view.error_width));
}

namespace {

void print_problem(const Error& error, const OrderedJson& errors) {
  const std::string code(code_name(error.code));
  OrderedJson problem = {{"type", "/errors/" + code}, {"detail", error.message}, {"code", code}};
  if (!errors.empty()) problem["errors"] = errors;
  std::fflush(stdout);
  fmt::print(stderr, "{}\n", problem.dump(2, ' ', false, OrderedJson::error_handler_t::replace));
}

}  // namespace

int report_problem_document(const Error& error, const OrderedJson& errors) {
  print_problem(error, errors);
  return exit_code(error.code);
}

int report_error(const View& view, const Error& error, const Subject& subject) {
  if (view.json()) {
    print_problem(error, OrderedJson::array());
  } else {
    print_failure(
        view, {.code = error.code, .what = error.message, .next = next_step(error.code, subject)});
  }
  return exit_code(error.code);
}

}  // namespace toolway::cli::terminal
