#pragma once

#include <tl/expected.hpp>
#include <utility>

// How an error is handed on to the caller. `expression` is a tl::expected, evaluated once, and may
// have commas; the error type of the function around it is the same, or made of it implicitly
// (`Error` becomes `Problem`). A temporary is moved from, anything that has a name is copied.
//
// None of them is a statement expression, which gcc 12 miscompiles when it awaits: so
// ASSIGN_OR_RETURN is several statements, and needs a block around it.

/// Returns the error of `expression`, if it has one; drops its value.
#define RETURN_IF_ERROR(...) TOOLWAY_LEAVE_IF_ERROR(return, TOOLWAY_TRIED, __VA_ARGS__)
/// The same in a coroutine. `expression` may await.
#define CO_RETURN_IF_ERROR(...) TOOLWAY_LEAVE_IF_ERROR(co_return, TOOLWAY_TRIED, __VA_ARGS__)

/// `ASSIGN_OR_RETURN(const auto size, size_of(file));` returns the error of `expression`, or
/// initialises (or assigns) with its value. A declaration has no commas.
#define ASSIGN_OR_RETURN(declaration, ...) \
  TOOLWAY_ASSIGN_OR_LEAVE(return, TOOLWAY_TRIED, declaration, __VA_ARGS__)
/// The same in a coroutine. `expression` may await.
#define CO_ASSIGN_OR_RETURN(declaration, ...) \
  TOOLWAY_ASSIGN_OR_LEAVE(co_return, TOOLWAY_TRIED, declaration, __VA_ARGS__)

// By line and not by __COUNTER__: the same in every source that includes an inline function.
#define TOOLWAY_TRIED TOOLWAY_JOINED(tried_at_line_, __LINE__)
#define TOOLWAY_JOINED(a, b) TOOLWAY_JOINED_TEXT(a, b)
#define TOOLWAY_JOINED_TEXT(a, b) a##b

// decltype(auto) of a bracketed expression: a temporary becomes a variable, without a move, and
// what has a name becomes a reference to it.
#define TOOLWAY_LEAVE_IF_ERROR(leave, tried, ...)                                   \
  do {                                                                              \
    decltype(auto) tried = (__VA_ARGS__);                                           \
    if (!tried) leave tl::unexpected(std::forward<decltype(tried)>(tried).error()); \
  } while (false)

#define TOOLWAY_ASSIGN_OR_LEAVE(leave, tried, declaration, ...)                   \
  decltype(auto) tried = (__VA_ARGS__);                                           \
  if (!tried) leave tl::unexpected(std::forward<decltype(tried)>(tried).error()); \
  declaration = *std::forward<decltype(tried)>(tried)
