#include "cli/mcp_serve/parameter_headers.h"

#include <spdlog/spdlog.h>

#include <utility>
#include <variant>

#include "base/try.h"
#include "cli/mcp_serve/client_line.h"
#include "mcp/fields.h"
#include "mcp/message.h"

namespace toolway::cli::mcp_serve {
namespace {

/// About what an entry takes besides its texts.
constexpr std::size_t kEntry = 128;

std::size_t bytes_of(const std::string& tool,
                     const std::vector<mcp::MirroredParameter>& parameters) {
  std::size_t bytes = kEntry + tool.size();
  for (const auto& parameter : parameters) {
    bytes += kEntry + parameter.header.size();
    for (const auto& name : parameter.path) bytes += name.size();
  }
  return bytes;
}

}  // namespace

bool ParameterHeaders::knows(const std::string& tool) const {
  const MutexLock lock(mutex_);
  return asked_ || tools_.contains(tool);
}

unsigned ParameterHeaders::number() const {
  const MutexLock lock(mutex_);
  return number_;
}

mcp::Headers ParameterHeaders::of(const std::string& tool, std::string_view call) const {
  Parameters parameters;
  {
    const MutexLock lock(mutex_);
    const auto found = tools_.find(tool);
    if (found != tools_.end()) parameters = found->second;
  }
  if (parameters.empty()) return {};
  const auto decoded = mcp::decode_message(call, {.bytes = kMaxLine});
  const auto* request = decoded ? std::get_if<mcp::Request>(&*decoded) : nullptr;
  const auto* arguments = request != nullptr ? mcp::member(request->params, "arguments") : nullptr;
  return arguments != nullptr ? mcp::mirrored_headers(parameters, *arguments) : mcp::Headers();
}

bool ParameterHeaders::keep(const mcp::ToolDefinition& tool) {
  auto parameters = mcp::mirrored_parameters(tool.input_schema).value_or(Parameters());
  if (const auto found = tools_.find(tool.name); found != tools_.end()) {
    bytes_ -= bytes_of(tool.name, found->second);
    tools_.erase(found);
  }
  // Of a list that is known as a whole, the others need no entry.
  if (asked_ && parameters.empty()) return true;
  const auto bytes = bytes_of(tool.name, parameters);
  if (bytes_ + bytes > kMaxBytes) return false;
  bytes_ += bytes;
  tools_.emplace(tool.name, std::move(parameters));
  return true;
}

void ParameterHeaders::clear() {
  tools_.clear();
  bytes_ = 0;
  asked_ = false;
  ++number_;
}

void ParameterHeaders::learn(std::string_view answer) {
  const auto page = mcp::decode_tool_page(answer);
  if (!page) return;
  const MutexLock lock(mutex_);
  for (const auto& tool : page->tools) {
    if (keep(tool)) continue;
    // What came last counts more.
    clear();
    keep(tool);
  }
}

Result<void> ParameterHeaders::learn_all(unsigned old, const List& list) {
  const MutexLock one_at_a_time(listing_);
  if (number() != old) return {};
  const auto tools = list();
  const MutexLock lock(mutex_);
  const bool changed = number_ != old;
  if (!tools) {
    asked_ = !changed;
    return fail(tools.error());
  }
  clear();
  asked_ = true;
  bool all = true;
  for (const auto& tool : *tools) all = keep(tool) && all;
  if (!all) spdlog::warn("the list of tools is too long: some calls may lack headers");
  // It may have changed after it was read.
  asked_ = !changed;
  return {};
}

void ParameterHeaders::forget() {
  const MutexLock lock(mutex_);
  clear();
}

}  // namespace toolway::cli::mcp_serve
