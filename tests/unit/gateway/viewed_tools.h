#pragma once

#include "gateway/catalogue/tools_view.h"

namespace toolway::gateway {

/// A view of tools with the loop and the threads that it works on. What it gives is made when it is
/// asked.
class ViewedTools {
 public:
  explicit ViewedTools(const tools::LiveRegistry& live,
                       ToolsView::SwitchesNow switches = nothing_is_off)
      : view_(live, work_, io_.get_executor(), std::move(switches)) {}
  ~ViewedTools() { inbox_->close(); }

  ToolListPtr of(std::span<const std::string> namespaces,
                 tools::Format format = tools::Format::kToolway) {
    return get(view_.of(namespaces, format));
  }
  ToolListPtr all(tools::Format format, ToolFilter filter = {}) {
    return get(view_.all(format, std::move(filter)));
  }
  const tools::ApiNames& names(std::span<const std::string> namespaces) {
    return (set_ = get(view_.set_of(namespaces)))->names;
  }

  ToolsView& view() { return view_; }
  asio::io_context& io() { return io_; }
  /// What comes of a task, once the loop has run so far.
  template <typename T>
  std::shared_ptr<std::optional<T>> start(Task<Result<T>> task) {
    auto result = std::make_shared<std::optional<T>>();
    auto ended = [result](std::exception_ptr, Result<T> got) {
      if (got) result->emplace(std::move(*got));
    };
    asio::co_spawn(io_, std::move(task), std::move(ended));
    return result;
  }
  template <typename T>
  T await(const std::shared_ptr<std::optional<T>>& result) {
    while (!*result) io_.run_one();
    return **result;
  }

 private:
  template <typename T>
  T get(Task<Result<T>> task) {
    return await(start(std::move(task)));
  }
  asio::io_context io_{1};
  asio::executor_work_guard<Executor> alive_{io_.get_executor()};
  std::shared_ptr<LoopInbox> inbox_ = std::make_shared<LoopInbox>(io_);
  WorkPool work_{inbox_, 2};
  ToolsView view_;
  ToolSetPtr set_;
};

}  // namespace toolway::gateway
