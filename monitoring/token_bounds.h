#pragma once

#include <array>

namespace toolway::monitoring {

/// Upper bounds of a histogram of tokens, as OpenTelemetry's GenAI conventions advise for
/// gen_ai.client.token.usage.
inline constexpr std::array kTokenBounds{1.0,       4.0,       16.0,       64.0,      256.0,
                                         1024.0,    4096.0,    16384.0,    65536.0,   262144.0,
                                         1048576.0, 4194304.0, 16777216.0, 67108864.0};

}  // namespace toolway::monitoring
