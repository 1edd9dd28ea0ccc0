#include "text_header.hpp"

#include <algorithm>

#include "error.hpp"
#include "scan.hpp"

namespace lb::core {

using namespace line;

bool HeaderLines::advance() {
  if (next_ == end_) return false;
  line_ = next_;
  const char* eol = scan::line_end(next_, end_);
  eol_ = scan::trim_return(line_, eol);
  try {
    refuse_stray(line_, eol_);
  } catch (const Fault& f) {
    raise(f, data_, 1);
  }
  next_ = eol == end_ ? end_ : eol + 1;
  ++number_;
  at_ = skip_blanks(line_, eol_);
  return true;
}

std::string_view HeaderLines::word() {
  const char* end = token_end(at_, eol_, any);
  const std::string_view w(at_, static_cast<std::size_t>(end - at_));
  word_ = at_;
  at_ = skip_blanks(end, eol_);
  return w;
}

std::int64_t HeaderLines::count(const char* what) {
  word_ = at_;
  std::uint64_t value = 0;
  try {
    value = number(at_, eol_, line_, what);
  } catch (const Fault& f) {
    raise(f, data_, 1);
  }
  if (value > INT64_MAX) fail_here(std::string(what) + " does not fit 63 bits");
  at_ = skip_blanks(at_, eol_);
  return static_cast<std::int64_t>(value);
}

void HeaderLines::fail_here(const std::string& problem) const {
  const char* from = word_ != nullptr && word_ >= line_ && word_ < eol_ ? word_ : line_;
  raise(Fault{line_, from, from == line_ ? eol_ : token_end(from, eol_, any), problem}, data_, 1);
}

std::string lower_case(std::string_view word) {
  std::string out(word);
  for (char& c : out) c = static_cast<char>(c >= 'A' && c <= 'Z' ? c + 32 : c);
  return out;
}

void check_declared_count(const HeaderLines& header, std::int64_t count, const char* what, std::size_t bytes) {
  if (count <= static_cast<std::int64_t>(header.remaining() / bytes + 1)) return;
  header.fail_here("the header promises " + std::to_string(count) + " " + what + ", more than the " +
                   std::to_string(header.remaining()) + " bytes after it can hold");
}

EdgeTextOptions declared_options(const HeaderLines& header, std::int64_t vertices, std::int64_t edges) {
  check_declared_count(header, edges, "edges", 4);
  if (edges > 0 && vertices == 0) header.fail_here("the header promises edges but no vertices");
  EdgeTextOptions o;
  o.base = 1;
  o.limit = static_cast<std::uint64_t>(std::max<std::int64_t>(vertices, 1)) - 1;
  o.first_line = header.lines() + 1;
  return o;
}

}  // namespace lb::core
