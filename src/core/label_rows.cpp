#include "label_rows.hpp"

#include <algorithm>
#include <charconv>
#include <cstring>
#include <string_view>

#include "error.hpp"
#include "threads.hpp"

namespace lb::core {
namespace {

constexpr std::size_t longest_number = 20;

// A text that doubles when it grows; appending to a std::string would write every byte twice.
class Page {
 public:
  explicit Page(std::string& text) : text_(text) {}
  ~Page() { text_.resize(used_); }
  Page(const Page&) = delete;
  Page& operator=(const Page&) = delete;

  char* room(std::size_t bytes) {
    if (text_.size() - used_ < bytes) text_.resize(std::max(used_ + bytes, 2 * text_.size()));
    return text_.data() + used_;
  }
  void commit(const char* end) { used_ = static_cast<std::size_t>(end - text_.data()); }

 private:
  std::string& text_;
  std::size_t used_ = 0;
};

bool is_plain(std::string_view name, char separator) {
  if (name.empty()) return false;
  const char first = name.front(), last = name.back();
  if (first == ' ' || first == '\t' || first == '#' || first == '%' || last == ' ' || last == '\t') return false;
  for (const char c : name) {
    if (c == separator || c == '"' || c == '\n' || c == '\r') return false;
  }
  return true;
}

char* append_name(char* p, std::string_view name, char separator) {
  if (is_plain(name, separator)) {
    std::memcpy(p, name.data(), name.size());
    return p + name.size();
  }
  *p++ = '"';
  for (const char c : name) {
    if (c == '"') *p++ = '"';
    *p++ = c;
  }
  *p++ = '"';
  return p;
}

std::string_view name_at(const NameColumn& names, std::int64_t i) {
  const std::int64_t begin = names.offsets[i], end = names.offsets[i + 1];
  if (begin < 0 || end < begin || end > names.size) throw InputError("the offsets of names do not ascend");
  return {names.data + begin, static_cast<std::size_t>(end - begin)};
}

// Calls row(page, i) for all i in [0, count), in shares.
template <class Row>
std::vector<std::string> in_shares(std::int64_t count, int threads, std::size_t guess, const Row& row) {
  const std::int64_t shares = std::clamp<std::int64_t>(threads, 1, std::max<std::int64_t>(count, 1));
  std::vector<std::string> texts(static_cast<std::size_t>(shares));
  parallel(static_cast<int>(shares), [&](int share) {
    Page page(texts[static_cast<std::size_t>(share)]);
    const std::int64_t begin = count * share / shares, end = count * (share + 1) / shares;
    page.room(guess * static_cast<std::size_t>(end - begin));
    for (std::int64_t i = begin; i < end; ++i) row(page, i);
  });
  return texts;
}

}  // namespace

std::vector<std::string> format_named_rows(const NameColumn& names, std::int64_t begin, const std::int64_t* labels,
                                           const std::int64_t* representatives, std::int64_t count, char separator,
                                           int threads) {
  return in_shares(count, threads, 48, [&](Page& page, std::int64_t i) {
    const auto name = name_at(names, begin + i), smallest = name_at(names, representatives[i]);
    char* p = page.room(2 * (name.size() + smallest.size()) + longest_number + 7);
    p = append_name(p, name, separator);
    *p++ = separator;
    p = std::to_chars(p, p + longest_number, labels[i]).ptr;
    *p++ = separator;
    p = append_name(p, smallest, separator);
    *p++ = '\n';
    page.commit(p);
  });
}

template <class Id>
std::vector<std::string> format_numbered_rows(const Id* ids, const std::int64_t* labels, const Id* representatives,
                                              std::int64_t count, char separator, int threads) {
  return in_shares(count, threads, 32, [&](Page& page, std::int64_t i) {
    char* p = page.room(3 * longest_number + 3);
    p = std::to_chars(p, p + longest_number, ids[i]).ptr;
    *p++ = separator;
    p = std::to_chars(p, p + longest_number, labels[i]).ptr;
    *p++ = separator;
    p = std::to_chars(p, p + longest_number, representatives[i]).ptr;
    *p++ = '\n';
    page.commit(p);
  });
}

template std::vector<std::string> format_numbered_rows(const std::int64_t*, const std::int64_t*, const std::int64_t*,
                                                       std::int64_t, char, int);
template std::vector<std::string> format_numbered_rows(const std::uint64_t*, const std::int64_t*, const std::uint64_t*,
                                                       std::int64_t, char, int);

}  // namespace lb::core
