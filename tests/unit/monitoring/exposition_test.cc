#include "monitoring/exposition.h"

#include <gtest/gtest.h>

namespace toolway::monitoring {
namespace {

TEST(Exposition, IsWhatWasAskedFor) {
  using enum Exposition;
  // What Prometheus 2.42 and 3.5 send, with and without OpenMetrics; browsers; curl.
  EXPECT_EQ(
      choose_exposition(
          "application/openmetrics-text;version=1.0.0,application/openmetrics-text;version=0.0.1;q=0.75,"
          "text/plain;version=0.0.4;q=0.5,*/*;q=0.1"),
      kOpenMetrics);
  EXPECT_EQ(
      choose_exposition(
          "application/openmetrics-text;version=1.0.0;escaping=allow-utf-8;q=0.5,"
          "application/openmetrics-text;version=0.0.1;q=0.4,text/plain;version=1.0.0;escaping=allow-utf-8;"
          "q=0.3,text/plain;version=0.0.4;q=0.2,*/*;q=0.1"),
      kOpenMetrics);
  EXPECT_EQ(choose_exposition(
                "text/plain;version=0.0.4;q=0.6,application/openmetrics-text;version=1.0.0;q=0.5"),
            kPrometheusText);
  EXPECT_EQ(choose_exposition("application/openmetrics-text"), kOpenMetrics);
  EXPECT_EQ(choose_exposition("APPLICATION/OpenMetrics-Text ; Version=1.0.0 ; Q=1"), kOpenMetrics);
  for (const char* text :
       {"", "*/*", "text/html,application/xhtml+xml,*/*;q=0.8", "application/openmetrics-text;q=0",
        "application/openmetrics-text;version=0.0.1",
        "application/openmetrics-text;q=", ",;=,;;"}) {
    EXPECT_EQ(choose_exposition(text), kPrometheusText) << text;
  }
}

}  // namespace
}  // namespace toolway::monitoring
