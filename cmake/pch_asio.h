// Heavy and stable: precompiled once for the folders that speak HTTP.
#pragma once
#include <boost/asio.hpp>
#include <boost/beast/core.hpp>
#include <boost/beast/http.hpp>

#include "cmake/pch_base.h"
