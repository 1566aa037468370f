#pragma once

#include <gtest/gtest.h>

#include <string>
#include <string_view>

#include "bus/key_value.h"
#include "tests/support/awaiting.h"

namespace toolway::test {

/// As an operator's verb writes an entry of a bucket, over whatever is there.
inline void write_entry(bus::Bus& bus, std::string_view bucket_name, const std::string& key,
                        const std::string& value) {
  bus::KeyValue bucket(bus, std::string(bucket_name));
  Awaited<Result<bus::Entry>> before;
  bucket.get(key, before.callback());
  const auto entry = before.next();
  ASSERT_TRUE(entry);
  Awaited<Result<std::uint64_t>> written;
  bucket.put(key, value, *entry ? (*entry)->revision : 0, written.callback());
  const auto revision = written.next();
  ASSERT_TRUE(revision && *revision);
}

}  // namespace toolway::test
