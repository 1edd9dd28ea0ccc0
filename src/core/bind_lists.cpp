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

// Whether an object is an int, of no subclass such as bool, that fits 64 bits; its value.
bool is_integer(const nb::object& x, i64& value) {
  if (!x.is_valid() || !PyLong_CheckExact(x.ptr())) return false;
  int overflow = 0;
  value = PyLong_AsLongLongAndOverflow(x.ptr(), &overflow);
  return overflow == 0;
}

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

std::optional<Out<i64>> integers_of(const nb::list& values) {
  const Py_ssize_t size = PyList_Size(values.ptr());
  core::Buffer<i64> numbers(static_cast<std::size_t>(size), "the integers of a list");
  i64* const to = numbers.data();
  if (!each(values, size, [&](Py_ssize_t i, const nb::object& x) { return is_integer(x, to[i]); })) return std::nullopt;
  return to_numpy(std::move(numbers));
}

std::optional<std::pair<Out<i64>, Out<i64>>> integer_pairs(const nb::list& pairs) {
  const Py_ssize_t size = PyList_Size(pairs.ptr());
  core::Buffer<i64> u(static_cast<std::size_t>(size), "the integers of a list");
  core::Buffer<i64> v(static_cast<std::size_t>(size), "the integers of a list");
  i64 *const to_u = u.data(), *const to_v = v.data();
  const auto take = [&](Py_ssize_t i, const nb::object& row) {
    const Ends ends = ends_of(row);
    return is_integer(ends.u, to_u[i]) && is_integer(ends.v, to_v[i]);
  };
  if (!each(pairs, size, take)) return std::nullopt;
  return std::pair(to_numpy(std::move(u)), to_numpy(std::move(v)));
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
        "A list of ints as an array of int64; None if an element is anything else (a bool, too) or does not fit.");
  m.def("integer_pairs", &integer_pairs, nb::arg("pairs").noconvert(),
        "Both columns of a list of tuples or lists of two ints, as int64; None where `integers_of` has none.");
  m.def("columns_of_pairs", &columns_of_pairs, nb::arg("pairs").noconvert(),
        "Both columns of a list of tuples or lists of two, as lists; None if an element is anything else.");
}

}  // namespace lb::bind
