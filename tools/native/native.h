#pragma once

#include <memory>
#include <type_traits>
#include <utility>

#include "base/try.h"
#include "tools/native/native_schema.h"
#include "tools/native/native_tool.h"
#include "tools/native/schema_builder.h"

/// Writing a native tool: one struct, described in docs/tools.md. This header is
/// all that a file with tools includes.
namespace toolway::tools::native {
/// Stands for the arguments of a tool that takes none.
struct NoArgs {};

template <typename T>
concept HasArgs = requires { typename T::Args; };

/// Plain JSON goes to a tool without Args whose `run` takes it.
template <typename T>
concept TakesJson =
    !HasArgs<T> &&
    (requires(T& t, const Json& a, model::ToolContext& c) { t.run(a, c); } ||
     requires(T& t, const Json& a, model::ToolContext& c, model::Progress& p) { t.run(a, c, p); });

template <typename T>
struct ArgsOf {
  using type = std::conditional_t<TakesJson<T>, Json, NoArgs>;
};
template <HasArgs T>
struct ArgsOf<T> {
  using type = typename T::Args;
};

template <typename T, typename A = typename ArgsOf<T>::type>
concept RunsSingle =
    (std::is_same_v<A, NoArgs> && requires(T& t, model::ToolContext& c) { t.run(c); }) ||
    requires(T& t, const A& a, model::ToolContext& c) { t.run(a, c); };
template <typename T, typename A = typename ArgsOf<T>::type>
concept RunsMulti =
    (std::is_same_v<A, NoArgs> && requires(T& t, model::ToolContext& c, model::Progress& p) {
      t.run(c, p);
    }) || requires(T& t, const A& a, model::ToolContext& c, model::Progress& p) { t.run(a, c, p); };

template <typename T>
auto call(T& tool, const typename ArgsOf<T>::type& args, model::ToolContext& context,
          model::Progress& progress) {
  constexpr bool no_args = std::is_same_v<typename ArgsOf<T>::type, NoArgs>;
  if constexpr (RunsMulti<T> && no_args) {
    return tool.run(context, progress);
  } else if constexpr (RunsMulti<T>) {
    return tool.run(args, context, progress);
  } else if constexpr (no_args) {
    return tool.run(context);
  } else {
    return tool.run(args, context);
  }
}

template <typename R>
struct Returned {
  static_assert(always_false<R>, "`run` must return Result<Output> or ToolResult<Output>");
};
template <typename O, typename E>
struct Returned<tl::expected<O, E>> {
  static_assert(std::is_same_v<E, Error> || std::is_same_v<E, model::ToolError>,
                "`run` must return Result<Output> or ToolResult<Output>");
  using Output = O;
};

template <typename T>
using OutputOf = typename Returned<decltype(call<T>(
    std::declval<T&>(), std::declval<const typename ArgsOf<T>::type&>(),
    std::declval<model::ToolContext&>(), std::declval<model::Progress&>()))>::Output;

template <typename T>
OrderedJson input_schema() {
  using Args = typename ArgsOf<T>::type;
  if constexpr (requires { T::input(); }) {
    static_assert(std::is_same_v<Args, Json>,
                  "`input()` is for tools that take plain Json; Args has a schema already");
    return T::input().build();
  } else if constexpr (std::is_same_v<Args, Json> || std::is_same_v<Args, NoArgs>) {
    return empty_object_schema();
  } else {
    return object_schema<Args>();
  }
}

template <typename T>
OrderedJson output_schema() {
  using Output = OutputOf<T>;
  if constexpr (requires { T::output(); }) {
    return T::output().build();
  } else if constexpr (std::is_void_v<Output> || std::is_same_v<Output, Json>) {
    return nullptr;
  } else {
    return schema_of<Output>();
  }
}

template <typename T>
model::Execution run(T& tool, const Json& arguments, const Json& defaulted,
                     model::ToolContext& context, model::Progress& progress) {
  typename ArgsOf<T>::type args{};
  if constexpr (std::is_same_v<typename ArgsOf<T>::type, Json>) {
    args = defaulted;
  } else if constexpr (HasArgs<T>) {
    read(arguments, args, "");
  }
  auto result = call(tool, args, context, progress);
  RETURN_IF_ERROR(result);
  if constexpr (std::is_void_v<OutputOf<T>>) {
    return Json();
  } else {
    return write(*result);
  }
}

template <typename T>
constexpr void check_signature() {
  static_assert(
      requires { static_cast<const ToolInfo&>(T::info); },
      "a tool needs `static constexpr ToolInfo info{.name = …, .description = …};`");
  static_assert(
      RunsSingle<T> || RunsMulti<T>,
      "a tool needs `Result<Output> run(const Args&, ToolContext&)`, or with a third "
      "parameter `Progress&` when it is multi-step; without Args the first one is left out");
  static_assert(!(RunsSingle<T> && RunsMulti<T>),
                "a tool is single-result or multi-step: keep one of its two `run` functions");
}

/// A tool of type T, made from `args`. When `run` is const, one T serves all
/// calls, also at once. When it is not, every call runs on its own copy.
template <typename T, typename... A>
std::shared_ptr<const model::Tool> make_native_tool(A&&... args) {
  check_signature<T>();
  if constexpr (RunsSingle<T> != RunsMulti<T>) {
    auto input = input_schema<T>();
    auto prototype = std::make_shared<const T>(std::forward<A>(args)...);
    constexpr bool shared = RunsSingle<const T, typename ArgsOf<T>::type> ||
                            RunsMulti<const T, typename ArgsOf<T>::type>;
    auto body = [prototype, schema = TakesJson<T> ? input : OrderedJson()](
                    const Json& arguments, model::ToolContext& context,
                    model::Progress& progress) -> model::Execution {
      const Json defaulted = TakesJson<T> ? with_defaults(schema, arguments) : Json();
      if constexpr (shared) {
        return run(*prototype, arguments, defaulted, context, progress);
      } else {
        static_assert(std::is_copy_constructible_v<T>,
                      "`run` is not const, so every call runs on a copy of the tool, and this one "
                      "cannot be copied: make `run` const and thread-safe");
        T own(*prototype);
        return run(own, arguments, defaulted, context, progress);
      }
    };
    return std::make_shared<const NativeTool>(
        NativeTool::make_spec(T::info, std::move(input), output_schema<T>(),
                              RunsMulti<T> ? Steps::kMulti : Steps::kSingle),
        std::move(body));
  } else {
    return nullptr;  // the assertions above say why
  }
}

}  // namespace toolway::tools::native
