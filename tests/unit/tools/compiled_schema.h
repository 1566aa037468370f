#pragma once

#include <gtest/gtest.h>

#include <memory>
#include <string>

#include "tools/schema/schema.h"

namespace toolway::tools {

/// The schema of that text; a failure of the test when it does not compile.
inline std::shared_ptr<const schema::CompiledSchema> compiled(const std::string& text) {
  auto schema = schema::compile_schema(*parse_ordered_json(text));
  EXPECT_TRUE(schema) << (schema ? "" : schema.error().message);
  return schema ? *schema : nullptr;
}

/// What a caller is told about `document`; empty: it fits.
inline std::string told(const std::string& schema, const std::string& document) {
  return schema::describe(compiled(schema)->validate(*parse_json(document)));
}

}  // namespace toolway::tools
