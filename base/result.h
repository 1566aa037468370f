#pragma once

#include <string>
#include <tl/expected.hpp>
#include <utility>

#include "base/error.h"

namespace toolway {

/// What every fallible function returns. `tl::expected` is itself
/// [[nodiscard]]: an error is returned, or logged and counted on the same line.
template <typename T>
using Result = tl::expected<T, Error>;

/// Spares the caller from spelling out the type: `return fail(kTimeout, "…")`.
inline tl::unexpected<Error> fail(ErrorCode code, std::string message) {
  return tl::unexpected<Error>(Error{code, std::move(message)});
}

/// Passes an error on to a caller that returns another `Result`.
inline tl::unexpected<Error> fail(Error error) { return tl::unexpected<Error>(std::move(error)); }

}  // namespace toolway
