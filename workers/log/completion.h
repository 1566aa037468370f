#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#include "proto/toolway/v1/call.pb.h"
#include "tools/model/spec.h"
#include "tools/model/tool.h"
#include "workers/log/deadlines.h"

/// How an attempt ended, as the one terminal event. Pure.
namespace toolway::workers::log {

/// No result above this travels in one message (NATS takes 1 MiB, with all
/// that accompanies the result), whatever its spec allows.
inline constexpr std::size_t kMaxInlineResult = 960 * 1024;
/// A result up to this always travels in its completion: a preview would be hardly smaller.
inline constexpr std::size_t kMinInlineResult = 64;
/// Most of a large result that its completion shows.
inline constexpr std::size_t kMaxPreview = 16 * 1024;

/// How an attempt ended.
struct Ending {
  v1::Completed completed;
  /// The whole result's JSON, when `completed` holds only a preview of it: it has to
  /// be stored, and then goes into `completed.blob`, which so far has only the number of items.
  std::string large{};
};

/// Puts where a large result is stored into its completion; without it, the call fails.
void add_blob(Ending& ending, Result<v1::BlobRef> stored);

/// What the tool returned. A result that cannot be sent is a failure that says why.
Ending ending_of(tools::model::Execution execution, const tools::model::ResultForm& form);

/// Most of the bytes of a completion's blocks; with its result they stay below kMaxInlineResult.
inline constexpr std::size_t kMaxContent = 512 * 1024;

/// Puts blocks into the completion of a tool that succeeded, in their order. Of a block that does
/// not fit, only its kind is kept, and a text that says how large it was.
void add_content(v1::Completed& completed, std::vector<tools::model::ContentBlock> blocks);

/// Any other end: outcome, code, message.
v1::Completed completion_without_result(v1::Outcome outcome, std::string_view code,
                                        std::string message);

/// The tool threw.
v1::Completed threw(std::string what);
v1::Completed timed_out(LimitKind limit, std::chrono::milliseconds allowed);
v1::Completed cancelled();
/// Another attempt of the call started, and it must not be run twice.
v1::Completed unknown_after(std::uint32_t attempt);
/// An attempt whose worker had to shut down before the tool ended, which must not be run twice.
v1::Completed broken_off(std::uint32_t attempt);
/// A call whose attempts broke off `times` times, each with its worker.
v1::Completed broke_off_too_often(std::uint32_t times);
/// No worker starts it: an operator has switched its tool off, or the chain of extensions refuses
/// it.
v1::Completed refused(const Error& why);
/// This worker has no such tool, or cannot make it from its spec; another may.
v1::Completed cannot_run(const Error& why);

}  // namespace toolway::workers::log
