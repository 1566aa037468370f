#pragma once

#include "gateway/catalogue/tools_view.h"

namespace toolway::gateway {

/// A view of tools with the loop and the threads that it works on. What it gives is made when it is
/// asked.
class ViewedTools {
 public:
  explicit ViewedTools(const tools::model::LiveRegistry& live,
                       catalogue::ToolsView::SwitchesNow switches = catalogue::nothing_is_off)
      : view_(live, work_, io_.get_executor(), std::move(switches)) {}
  ~ViewedTools() { io_post_->close(); }

  catalogue::ToolListPtr of(std::span<const std::string> namespaces,
                            tools::exports::Format format = tools::exports::Format::kToolway,
                            const extensions::GrantsPtr& grants = {}) {
    return get(view_.of(namespaces, format, {}, grants));
  }
  catalogue::ToolListPtr all(tools::exports::Format format, catalogue::ToolFilter filter = {}) {
    return get(view_.all(format, std::move(filter)));
  }
  const tools::exports::ApiNames& names(std::span<const std::string> namespaces) {
    return (set_ = get(view_.set_of(namespaces)))->names;
  }

  catalogue::ToolsView& view() { return view_; }
  asio::io_context& io() { return io_; }
  /// What comes of a task, once the loop has run so far.
  template <typename T>
  std::shared_ptr<std::optional<T>> start(loop::Task<Result<T>> task) {
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
  T get(loop::Task<Result<T>> task) {
    return await(start(std::move(task)));
  }
  asio::io_context io_{1};
  asio::executor_work_guard<loop::Executor> alive_{io_.get_executor()};
  std::shared_ptr<loop::IoPost> io_post_ = std::make_shared<loop::IoPost>(io_);
  const SystemClock clock_;
  loop::WorkPool work_{io_post_, clock_, 2};
  catalogue::ToolsView view_;
  catalogue::ToolSetPtr set_;
};

}  // namespace toolway::gateway
