#pragma once

#include <memory>
#include <vector>

#include "tools/model/tool.h"

namespace toolway::tools::builtin {

/// `tasks.check_task_status` and `tasks.cancel_task`, with which a model looks after calls that
/// outlived their message. Gateways answer them where a model's message is answered; run as tools
/// they say so.
std::vector<std::shared_ptr<const model::Tool>> task_tools();

inline constexpr std::string_view kCheckTask = "check_task_status";
inline constexpr std::string_view kCancelTask = "cancel_task";
/// The longest that a check waits, in seconds.
inline constexpr int kMaxTaskWait = 30;

}  // namespace toolway::tools::builtin
