#pragma once

#include <gtest/gtest.h>

#include <string>
#include <string_view>

#include "extensions/chain/extension_types.h"
#include "extensions/reader/policy_reader.h"
#include "tools/model/kinds.h"
#include "tools/model/registry.h"

namespace toolway::extensions::test {

/// A policy without mistakes.
inline PolicyPtr policy(std::string_view text) {
  auto document = reader::read_policy(text, "extensions.yaml", chain::extension_types());
  for (const auto& mistake : document.mistakes) ADD_FAILURE() << mistake.text();
  return std::move(document.policy);
}

inline tools::model::Spec spec(std::string ns, std::string name) {
  tools::model::Spec made;
  made.ns = std::move(ns);
  made.name = std::move(name);
  return made;
}

/// As a process has it, without compiled schemas.
inline tools::model::RegisteredTool registered(const tools::model::Spec& spec) {
  return {.tool = tools::model::declared_tool(spec), .digest = tools::model::digest(spec)};
}

inline Principal user(std::string id, std::vector<std::string> roles = {}) {
  return {.user_id = std::move(id), .roles = std::move(roles), .method = std::string(kByHeader)};
}

}  // namespace toolway::extensions::test
