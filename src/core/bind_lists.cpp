// Bindings of the conversion of Python's lists, in blocks between which a signal or the deadline ends it.
#include <nanobind/stl/optional.h>
#include <nanobind/stl/pair.h>

#include "bind.hpp"

namespace lb::bind {
namespace {

using i64 = std::int64_t;

constexpr Py_ssize_t block = Py_ssize_t{1} << 16;  // elements: about a millisecond

// Handles signals, lets other threads of Python run, and throws where the deadline is past.
void rest() {
  if (PyErr_CheckSignals() != 0) throw nb::python_error();
  const Unlocked unlocked;
}

// An element of a list that any other thread may change between two of its elements; invalid behind its end.
nb::object element(nb::handle list, Py_ssize_t i) {
#if defined(Py_GIL_DISABLED)
  PyObject* const x = PyList_GetItemRef(list.ptr(), i);
#else
  PyObject* const x = PyList_GetItem(list.ptr(), i);
  Py_XINCREF(x);
#endif
  if (x == nullptr) PyErr_Clear();
  return nb::steal(x);
}

struct Ends {
  nb::object u, v;
};

// The elements of a tuple or a list of two, of no subclass; invalid for anything else.
Ends ends_of(nb::handle row) {
  if (PyTuple_CheckExact(row.ptr()) && PyTuple_Size(row.ptr()) == 2) {
    return {nb::borrow(PyTuple_GetItem(row.ptr(), 0)), nb::borrow(PyTuple_GetItem(row.ptr(), 1))};
  }
  if (PyList_CheckExact(row.ptr()) && PyList_Size(row.ptr()) == 2) return {element(row, 0), element(row, 1)};
  return {};
}

// A column of ints, of no subclass such as bool, as bits of 64 each: of int64, or of uint64 where one needs it.
class Integers {
 public:
  explicit Integers(Py_ssize_t size) : bits_(static_cast<std::size_t>(size), "the integers of a list") {}

  // Whether x is such an int and has become element i.
  bool take(Py_ssize_t i, const nb::object& x) {
    if (!x.is_valid() || !PyLong_CheckExact(x.ptr())) return false;
    int overflow = 0;
    i64 value = PyLong_AsLongLongAndOverflow(x.ptr(), &overflow);
    if (overflow > 0) {
      const unsigned long long large = PyLong_AsUnsignedLongLong(x.ptr());
      if (large == static_cast<unsigned long long>(-1) && PyErr_Occurred() != nullptr) {
        PyErr_Clear();
        return false;
      }
      value = static_cast<i64>(large);
      large_ = true;
    } else {
      negative_ = negative_ || value < 0;
    }
    bits_.data()[i] = value;
    return overflow >= 0;
  }

  // Whether one type holds all of them.
  [[nodiscard]] bool fit() const { return !(large_ && negative_); }

  [[nodiscard]] nb::object array() && {
    nb::object numbers = nb::cast(to_numpy(std::move(bits_)));
    return large_ ? nb::object(numbers.attr("view")("uint64")) : numbers;
  }

 private:
  core::Buffer<i64> bits_;
  bool large_ = false, negative_ = false;  // whether one is from 2^63 on, or below 0
};

// Whether take(i, element i) is true for every element of a list; it ends with the first for which it is not.
template <class Take>
bool each(const nb::list& values, Py_ssize_t size, const Take& take) {
  for (Py_ssize_t i = 0; i < size; ++i) {
    if (i % block == 0 && i > 0) rest();
    const nb::object x = element(values, i);
    if (!x.is_valid() || !take(i, x)) return false;
  }
  return true;
}

std::optional<nb::object> integers_of(const nb::list& values) {
  const Py_ssize_t size = PyList_Size(values.ptr());
  Integers numbers(size);
  const auto take = [&](Py_ssize_t i, const nb::object& x) { return numbers.take(i, x); };
  if (!each(values, size, take) || !numbers.fit()) return std::nullopt;
  return std::move(numbers).array();
}

std::optional<std::pair<nb::object, nb::object>> integer_pairs(const nb::list& pairs) {
  const Py_ssize_t size = PyList_Size(pairs.ptr());
  Integers u(size), v(size);
  const auto take = [&](Py_ssize_t i, const nb::object& row) {
    const Ends ends = ends_of(row);
    return u.take(i, ends.u) && v.take(i, ends.v);
  };
  if (!each(pairs, size, take) || !u.fit() || !v.fit()) return std::nullopt;
  return std::pair(std::move(u).array(), std::move(v).array());
}

std::optional<std::pair<nb::list, nb::list>> columns_of_pairs(const nb::list& pairs) {
  const Py_ssize_t size = PyList_Size(pairs.ptr());
  nb::list u = nb::steal<nb::list>(PyList_New(size)), v = nb::steal<nb::list>(PyList_New(size));
  if (!u.is_valid() || !v.is_valid()) throw nb::python_error();
  const auto take = [&](Py_ssize_t i, const nb::object& row) {
    Ends ends = ends_of(row);
    if (!ends.u.is_valid() || !ends.v.is_valid()) return false;
    return PyList_SetItem(u.ptr(), i, ends.u.release().ptr()) == 0 &&
           PyList_SetItem(v.ptr(), i, ends.v.release().ptr()) == 0;
  };
  if (!each(pairs, size, take)) return std::nullopt;
  return std::pair(std::move(u), std::move(v));
}

}  // namespace

void lists(nb::module_& m) {
  m.def("integers_of", &integers_of, nb::arg("values").noconvert(),
        "A list of ints as an array of int64, or of uint64 if one is from 2^63 on; None if an element is anything "
        "else, a bool among others, or if neither type holds all.");
  m.def("integer_pairs", &integer_pairs, nb::arg("pairs").noconvert(),
        "Both columns of a list of tuples or lists of two ints, each as by `integers_of`; None where that has none.");
  m.def("columns_of_pairs", &columns_of_pairs, nb::arg("pairs").noconvert(),
        "Both columns of a list of tuples or lists of two, as lists; None if an element is anything else.");
}

}  // namespace lb::bind
