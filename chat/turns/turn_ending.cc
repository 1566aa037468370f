#include "chat/turns/turn_ending.h"

#include <string>
#include <utility>

namespace toolway::chat::turns {
namespace {

using engine::Reply;
using tools::model::ToolError;
using How = Reply::How;

std::string_view how_name(How how) {
  switch (how) {
    case How::kReplied: return "replied";
    case How::kCutOff: return "cut_off";
    case How::kRefused: return "refused";
    case How::kFiltered: return "filtered";
    case How::kMaxIterations: return "max_iterations";
    case How::kRepeats: return "repeats";
    case How::kStopped: return "stopped";
    case How::kFailed: return "failed";
  }
  return "failed";
}

ToolError without_reply(const Reply& reply, std::string code) {
  ToolError error(std::move(code), reply.text);
  error.retryable = reply.passes;
  error.retry_after = reply.retry_after;
  return error;
}

}  // namespace

tools::model::Execution ending_of(const Reply& reply, const engine::Memory& memory,
                                  std::uint64_t first) {
  switch (reply.how) {
    case How::kReplied:
    case How::kCutOff:
    case How::kRefused:
    case How::kFiltered: break;
    case How::kMaxIterations:
    case How::kRepeats:
      return tl::unexpected(without_reply(reply, std::string(how_name(reply.how))));
    case How::kStopped: return tl::unexpected(without_reply(reply, "cancelled"));
    case How::kFailed: return tl::unexpected(without_reply(reply, reply.error));
  }
  Json result{{"conversation", memory.conversation()},
              {"reply", reply.text},
              {"finish", how_name(reply.how)},
              {"first_message", first},
              {"last_message", memory.head()},
              {"iterations", reply.iterations},
              {"usage", {{"input", reply.usage.input}, {"output", reply.usage.output}}}};
  if (!reply.notice.empty()) result["notice"] = reply.notice;
  return result;
}

}  // namespace toolway::chat::turns
