#pragma once

#include "tests/unit/tools/messages/blocks.h"
#include "tests/unit/tools/messages/messages.h"
#include "tests/unit/tools/messages/strict_check.h"

namespace toolway::chat::test {

using namespace tools::messages::test;

}  // namespace toolway::chat::test
