// Runs a fuzz target without a fuzzer: over each file of a corpus, and over
// mutations of it that are the same every time.
#include <cstdint>
#include <cstdio>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <random>
#include <set>
#include <string>
#include <vector>

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size);

namespace {

constexpr int kMutationsPerFile = 3000;

void run(const std::string& input) {
  LLVMFuzzerTestOneInput(reinterpret_cast<const std::uint8_t*>(input.data()), input.size());
}

std::string mutate(std::string input, std::mt19937& random) {
  const int edits = 1 + static_cast<int>(random() % 4);
  for (int i = 0; i < edits; ++i) {
    const std::size_t at = input.empty() ? 0 : random() % input.size();
    switch (random() % 5) {
      case 0: input.insert(at, 1, static_cast<char>(random())); break;
      case 1:
        if (!input.empty()) input.erase(at, 1 + random() % 8);
        break;
      case 2:
        if (!input.empty()) input[at] = static_cast<char>(random());
        break;
      case 3: input.insert(at, input.substr(at, random() % 64)); break;
      default: input.resize(at); break;
    }
  }
  return input;
}

}  // namespace

int main(int argc, char** argv) {
  if (argc != 2) {
    std::fprintf(stderr, "usage: %s CORPUS_DIRECTORY\n", argv[0]);
    return 2;
  }
  std::mt19937 random(20260101);
  int files = 0;
  // In one order everywhere, since each file's mutations follow the ones before.
  const std::set<std::filesystem::path> paths{std::filesystem::directory_iterator(argv[1]), {}};
  for (const auto& path : paths) {
    std::ifstream file(path, std::ios::binary);
    const std::string input{std::istreambuf_iterator<char>(file), {}};
    run(input);
    for (int i = 0; i < kMutationsPerFile; ++i) run(mutate(input, random));
    ++files;
  }
  std::printf("%d files and %d mutations of each\n", files, kMutationsPerFile);
  return files == 0 ? 1 : 0;
}
