#pragma once

#include <map>
#include <string>
#include <vector>

#include "tests/chaos/options.h"

/// What the processes of the stack are started with, besides their ways to the servers. Pure.
namespace toolway::chaos {

/// `directory`: of the run. `role`: gateway, worker or collector.
std::vector<std::string> arguments_of(const Options& options, const std::string& directory,
                                      const std::string& role, const std::string& name);

/// Of chat process number `number`. Each speaks another API with the model, so that turns are taken
/// over by one that does.
std::map<std::string, std::string> chat_environment(unsigned number, const std::string& model_url);

/// What gateways seal with, and collectors.
std::string seal_keys_in(const std::string& directory);

}  // namespace toolway::chaos
