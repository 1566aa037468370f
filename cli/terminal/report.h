#pragma once

#include "base/error.h"
#include "base/json.h"
#include "cli/terminal/failure.h"
#include "cli/terminal/view.h"

namespace toolway::cli::terminal {

/// Prints an error with its `errors` (objects with `path` and `message`) as a problem document.
/// Returns the exit status.
int report_problem_document(const Error& error, const OrderedJson& errors);

/// Prints an error that arose here on standard error, as a problem document with `-o json`. Returns
/// the exit status.
int report_error(const View& view, const Error& error, const Subject& subject = {});

/// Of a verb that prints for people only.
inline int report_error(const Error& error) { return report_error(View{}, error); }

/// On standard error, after what standard output has so far.
void print_failure(const View& view, const Failure& failure);

/// `warning: …` on standard error.
void print_warning(const View& view, const std::string& text);

}  // namespace toolway::cli::terminal
