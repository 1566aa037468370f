// Precompiled once for every test program.
#pragma once
#include <gtest/gtest.h>

#include "cmake/pch_base.h"
