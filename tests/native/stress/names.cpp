// The tables of names and of ids against a map, for several numbers of threads.
#include "names.hpp"

#include <algorithm>
#include <unordered_map>

#include "ids.hpp"
#include "landbridge/random.hpp"
#include "stress.hpp"

namespace lb::core::stress {
namespace {

// Names of few or many words, in two columns.
class NamesTest {
 public:
  NamesTest(i64 rows, u64 words, int threads) : rows_(rows), names_(threads) {
    for (i64 i = 0; i < 2 * rows; ++i) {
      const u64 word = mix(3, static_cast<u64>(i)) % words;
      text_.push_back(std::string(word % 40, 'x') + std::to_string(word));
    }
  }

  void run() {
    number_in_two_batches();
    expect_order_of_appearance();
    expect_texts();
    expect_sorted();
  }

 private:
  void number_in_two_batches() {
    number_.resize(text_.size());
    const i64 half = rows_ / 2;
    for (i64 from = 0; from < rows_; from += half) {
      std::string data[2];
      std::vector<i64> offsets[2];
      for (int side = 0; side < 2; ++side) {
        offsets[side].push_back(0);
        for (i64 i = from; i < from + half; ++i) {
          data[side] += text_[static_cast<std::size_t>(2 * i + side)];
          offsets[side].push_back(static_cast<i64>(data[side].size()));
        }
      }
      const auto column = [&](int side) {
        return TextColumn{data[side].data(), static_cast<i64>(data[side].size()), {offsets[side].data()}, half};
      };
      std::vector<i32> u(static_cast<std::size_t>(half)), v(u.size());
      names_.number(column(0), column(1), u.data(), v.data());
      for (std::size_t i = 0; i < u.size(); ++i) {
        number_[2 * (static_cast<std::size_t>(from) + i)] = u[i];
        number_[2 * (static_cast<std::size_t>(from) + i) + 1] = v[i];
      }
    }
  }

  void expect_order_of_appearance() {
    bool right = true;
    for (std::size_t i = 0; i < text_.size(); ++i) {
      right &= known_.emplace(text_[i], static_cast<i32>(known_.size())).first->second == number_[i];
    }
    expect(right && names_.size() == static_cast<i64>(known_.size()), "names in the order in which they turn up");
  }

  void expect_texts() {
    write([&](i64* offsets, char* data) { names_.write(i64{0}, offsets, data); });
    bool right = true;
    for (const auto& [name, at] : known_) right &= written(static_cast<std::size_t>(at)) == name;
    expect(right, "names come back as they were");
  }

  void expect_sorted() {
    std::vector<i32> order(known_.size());
    names_.in_order(order.data());
    write([&](i64* offsets, char* data) { names_.write(order.data(), offsets, data); });
    std::vector<std::string> sorted;
    for (const auto& [name, at] : known_) sorted.push_back(name);
    std::sort(sorted.begin(), sorted.end());
    bool right = true;
    for (std::size_t i = 0; i < sorted.size(); ++i) {
      right &= written(i) == sorted[i];
      right &= known_.at(sorted[i]) == order[i];
    }
    expect(right, "names in the order of their bytes");
  }

  // Lets the table write all names: their offsets and their bytes.
  template <class Write>
  void write(const Write& write_to) {
    offsets_.resize(known_.size() + 1);
    data_.assign(static_cast<std::size_t>(names_.bytes()), ' ');
    write_to(offsets_.data(), data_.data());
  }
  std::string written(std::size_t i) const {
    const auto begin = static_cast<std::size_t>(offsets_[i]);
    return data_.substr(begin, static_cast<std::size_t>(offsets_[i + 1]) - begin);
  }

  i64 rows_;
  Names names_;
  std::vector<std::string> text_;  // of row i: 2 i and 2 i + 1
  std::vector<i32> number_;
  std::unordered_map<std::string, i32> known_;
  std::vector<i64> offsets_;
  std::string data_;
};

void test_ids(i64 rows, u64 different, int threads) {
  std::vector<u64> columns[2];
  for (int side = 0; side < 2; ++side) {
    for (i64 i = 0; i < rows; ++i) {
      columns[side].push_back(mix(5, mix(3, static_cast<u64>(2 * i + side)) % different));
    }
  }
  Ids ids(threads, different == 7);
  std::vector<i32> u(static_cast<std::size_t>(rows)), v(u.size());
  ids.number({columns[0].data()}, {columns[1].data()}, rows, false, u.data(), v.data());
  std::unordered_map<u64, i32> known;
  bool right = true;
  for (std::size_t i = 0; i < u.size(); ++i) {
    right &= known.emplace(columns[0][i], static_cast<i32>(known.size())).first->second == u[i];
    right &= known.emplace(columns[1][i], static_cast<i32>(known.size())).first->second == v[i];
  }
  expect(right && ids.size() == static_cast<i64>(known.size()), "ids in the order in which they turn up");
  std::vector<u64> ascending(known.size());
  std::vector<i32> numbers(known.size());
  ids.in_order(false, ascending.data(), numbers.data());
  right &= std::is_sorted(ascending.begin(), ascending.end());
  for (std::size_t i = 0; i < ascending.size(); ++i) right &= known.at(ascending[i]) == numbers[i];
  expect(right, "ids in ascending order");
}

}  // namespace

void names() {
  for (const int workers : {1, 2, 5}) {
    const i64 rows = workers == 2 ? 300000 : 20000;  // more than a block, and less
    for (const u64 words : {u64{7}, u64{50000}}) NamesTest(rows, words, workers).run();
    for (const u64 different : {u64{7}, u64{100000}}) test_ids(rows, different, workers);
  }
  Gate::together = true;  // the tables start their own threads
}

}  // namespace lb::core::stress
