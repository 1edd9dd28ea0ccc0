// Shared by the bindings of names and of ids.
#pragma once
#include "bind.hpp"
#include "bind_ids.hpp"
#include "names.hpp"

namespace lb::bind {

inline core::TextColumn column_of(const Ids& offsets, const In<u8>& data) {
  if (offsets.size() == 0) throw core::InputError("a column of names has one offset more than names");
  return {reinterpret_cast<const char*>(data.data()), static_cast<i64>(data.size()), ids_of(offsets),
          static_cast<i64>(offsets.size()) - 1};
}

inline void check_since(i64 since, i64 size) {
  if (since < 0 || since > size) throw core::InputError("there are numbers 0.." + std::to_string(size - 1));
}

// An array of `count` numbers that write(numbers) fills without the interpreter's lock.
template <class Write>
Out<i32> numbers_of(i64 count, const Write& write) {
  core::Buffer<i32> numbers(static_cast<std::size_t>(count), "the numbers of the ids");
  {
    const Unlocked unlocked;
    write(numbers.data());
  }
  return to_numpy(std::move(numbers));
}

// Runs number() without the interpreter's lock; where it throws, the dictionary forgets what is new.
template <class Dictionary, class Number>
void number_or_forget(Dictionary& dictionary, const Number& number) {
  const i64 before = dictionary.size();
  const Unlocked unlocked;
  try {
    number();
  } catch (...) {
    dictionary.forget(before);
    throw;
  }
}

}  // namespace lb::bind
