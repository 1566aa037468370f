#pragma once

#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "tools/templates/argument_template.h"

/// What templates of HTTP requests make of values: each stays within the place that it is put in.
namespace toolway::tools::templates {

/// Where in a request a template is.
enum class HttpPlace {
  kHost,         ///< letters, digits, dots, hyphens and a colon; nothing is encoded
  kPathSegment,  ///< percent-encoded, so that it is one segment whatever it contains
  kQuery,        ///< percent-encoded: one name or value; form bodies too
  kHeader,       ///< no CR, LF, NUL or other control
  kText,         ///< as it is
};

/// What placeholders stand for in a request.
struct HttpValues {
  ArgumentSource arguments;
  /// Nothing: there is no secret of that name.
  std::function<std::optional<std::string>(const std::string& name)> secret;
};

/// The template's text, its values encoded for `place`; nothing when an optional value is not
/// given. Errors: kInvalidArguments (with the property), kNotFound (no secret of that name can go
/// there).
Result<std::optional<std::string>> render_part(const ArgumentTemplate& text,
                                               const HttpValues& source, HttpPlace place);

/// The texts that a value of a query or a form stands for: one, none (optional), or one for each
/// item (`{name*}`). Errors: as above.
Result<std::vector<std::string>> render_values(const ArgumentTemplate& text,
                                               const HttpValues& source);

/// A path whose placeholders are segments or parts of one. Errors: as above, and kInvalidArguments
/// when a value is empty, or would make a segment `.` or `..`.
Result<std::string> render_path(const ArgumentTemplate& path, const HttpValues& source);

}  // namespace toolway::tools::templates
