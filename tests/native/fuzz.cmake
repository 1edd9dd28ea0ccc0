# The text parsers on arbitrary bytes. Every compiler builds the driver of our own (fuzz_text), which replays files
# and mutates them; clang also builds the same target for libFuzzer (fuzz_text_libfuzzer).
add_executable(fuzz_text fuzz_text.cpp fuzz_driver.cpp)
target_link_libraries(fuzz_text PRIVATE landbridge_core)
target_compile_options(fuzz_text PRIVATE -Wall -Wextra)
add_test(NAME fuzz_text COMMAND fuzz_text 5 ${CMAKE_SOURCE_DIR}/tests/corpus)
if(CMAKE_CXX_COMPILER_ID MATCHES "Clang" AND LANDBRIDGE_SANITIZE)
  add_executable(fuzz_text_libfuzzer fuzz_text.cpp)
  target_link_libraries(fuzz_text_libfuzzer PRIVATE landbridge_core)
  target_link_options(fuzz_text_libfuzzer PRIVATE -fsanitize=fuzzer)
endif()
