// A small fuzzer for compilers that bring none: fuzz_text SECONDS PATH...
// runs the target over every file below the paths, then over mutations of them until the time is up. An
// input that makes the target abort is left in ./fuzz-input.
#include <algorithm>
#include <chrono>
#include <csignal>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <random>
#include <string>
#include <vector>

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size);

namespace {
using Bytes = std::vector<std::uint8_t>;

Bytes current;

// The sanitizers and the target end in abort(): leave the input behind.
void keep_input(int) {
  if (std::FILE* f = std::fopen("fuzz-input", "wb")) {
    std::fwrite(current.data(), 1, current.size(), f);
    std::fclose(f);
  }
  std::signal(SIGABRT, SIG_DFL);
  std::abort();
}

class Mutator {
 public:
  explicit Mutator(std::vector<Bytes> seeds) : seeds_(std::move(seeds)) {}

  Bytes next() {
    Bytes b = seeds_[below(seeds_.size())];
    if (b.size() > 4096) b.resize(4096);
    for (std::size_t k = 1 + below(6); k > 0; --k) mutate(b);
    return b;
  }

 private:
  std::size_t below(std::size_t n) { return static_cast<std::size_t>(random_() % n); }

  void mutate(Bytes& b) {
    static const char* words[] = {"\n",
                                  "\r\n",
                                  "\r",
                                  " ",
                                  "\t",
                                  ",",
                                  ";",
                                  "#",
                                  "%",
                                  "-1",
                                  "1.5",
                                  "0",
                                  "1",
                                  "9",
                                  "12345678",
                                  "123456789",
                                  "2147483647",
                                  "2147483648",
                                  "4294967296",
                                  "9999999999999999",
                                  "18446744073709551615",
                                  "18446744073709551616",
                                  "a ",
                                  "e ",
                                  "c ",
                                  "p sp 3 2\n",
                                  "%%MatrixMarket matrix coordinate pattern general\n",
                                  "3 2 111 2\n"};
    const std::size_t at = below(b.size() + 1);
    const auto here = b.begin() + static_cast<std::ptrdiff_t>(at);
    switch (below(6)) {
      case 0: {  // a word inserted
        const std::string w = words[below(std::size(words))];
        b.insert(here, w.begin(), w.end());
        break;
      }
      case 1:  // a byte changed
        if (at < b.size()) b[at] = static_cast<std::uint8_t>(random_());
        break;
      case 2:  // a digit changed
        if (at < b.size()) b[at] = static_cast<std::uint8_t>('0' + below(10));
        break;
      case 3:  // a stretch dropped
        b.erase(here, here + static_cast<std::ptrdiff_t>(below(1 + std::min<std::size_t>(16, b.size() - at))));
        break;
      case 4: {  // a stretch of another seed
        const Bytes& other = seeds_[below(seeds_.size())];
        if (other.empty()) break;
        const std::size_t from = below(other.size());
        const std::size_t length = 1 + below(std::min<std::size_t>(64, other.size() - from));
        b.insert(here, other.begin() + static_cast<std::ptrdiff_t>(from),
                 other.begin() + static_cast<std::ptrdiff_t>(from + length));
        break;
      }
      default: {  // a line repeated
        const Bytes line(here, b.begin() + static_cast<std::ptrdiff_t>(std::min(b.size(), at + 1 + below(24))));
        for (std::size_t k = below(8); k > 0; --k) {
          b.insert(b.begin() + static_cast<std::ptrdiff_t>(at), line.begin(), line.end());
        }
      }
    }
  }

  std::vector<Bytes> seeds_;
  std::mt19937_64 random_{std::random_device{}()};
};

}  // namespace

int main(int argc, char** argv) {
  namespace fs = std::filesystem;
  if (argc < 3) {
    std::fprintf(stderr, "usage: %s SECONDS PATH...\n", argv[0]);
    return 2;
  }
  std::signal(SIGABRT, keep_input);
  std::vector<Bytes> seeds;
  const auto add = [&](const fs::path& path) {
    std::ifstream file(path, std::ios::binary);
    seeds.emplace_back(std::istreambuf_iterator<char>(file), std::istreambuf_iterator<char>());
  };
  for (int i = 2; i < argc; ++i) {
    if (!fs::is_directory(argv[i])) {
      add(argv[i]);
      continue;
    }
    for (const auto& entry : fs::recursive_directory_iterator(argv[i])) {
      if (entry.is_regular_file()) add(entry.path());
    }
  }
  if (seeds.empty()) {
    std::fprintf(stderr, "no files to start from\n");
    return 2;
  }
  for (const Bytes& seed : seeds) {
    current = seed;
    LLVMFuzzerTestOneInput(current.data(), current.size());
  }
  const auto end = std::chrono::steady_clock::now() + std::chrono::duration<double>(std::atof(argv[1]));
  const std::size_t files = seeds.size();
  Mutator mutator(std::move(seeds));
  std::uint64_t tried = 0;
  for (; std::chrono::steady_clock::now() < end; ++tried) {
    current = mutator.next();
    LLVMFuzzerTestOneInput(current.data(), current.size());
  }
  std::printf("%zu files, %llu mutations\n", files, static_cast<unsigned long long>(tried));
  return 0;
}
