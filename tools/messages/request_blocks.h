#pragma once

#include <vector>

#include "base/json.h"
#include "tools/exports/model_message.h"
#include "tools/messages/message.h"

/// Texts with blocks, as APIs take them. Pure.
namespace toolway::tools::messages {

/// Which blocks a request of the API may have.
Blocks blocks_of(exports::ModelApi api);

/// The blocks that a request has as such, the newest where there are more than one request takes:
/// - of Messages, images and documents (platform.claude.com/docs/en/agents-and-tools/tool-use,
///   "tool_result"); a result that is an error takes text alone;
/// - of Responses, images and PDFs; a document that is text is a text there;
/// - of Chat Completions the same, of messages of the user: those of tools are text.
/// At most 20 images: with more, Messages takes none of over 2000 pixels; 20 MiB together, of the
/// 32 MB that a request may have; and 100 documents, with 100 pages of PDF.
std::vector<const Block*> request_blocks(const Selection& selection, exports::ModelApi api);

/// A result's `content`, or `output`: a text, or, with `shown` blocks in it, a list.
OrderedJson result_content(const CallResult& result, exports::ModelApi api,
                           const std::vector<const Block*>& shown);
/// The `content` of a message of the user, likewise.
OrderedJson user_content(const Message& message, exports::ModelApi api,
                         const std::vector<const Block*>& shown);

/// About how many pages a document has, one at least.
unsigned likely_pages(const Block& block);

}  // namespace toolway::tools::messages
