#pragma once

#include <string>
#include <vector>

#include "tools/messages/history.h"

/// Pure.
namespace toolway::tools::messages {

/// What was wrong, and what was done about it.
struct Repair {
  std::string wrong;
  std::string done;  ///< `it was dropped`
};

/// A history of messages in any order, and what had to be changed for it. Messages are counted from
/// 1.
struct Assembled {
  History history;
  std::vector<Repair> repairs;
};

/// Puts results where they belong: those in a row are one message; one that no call waits for is
/// dropped, the second of a call too, and a call without any gets one that says so.
Assembled assemble(std::vector<Message> messages);

}  // namespace toolway::tools::messages
