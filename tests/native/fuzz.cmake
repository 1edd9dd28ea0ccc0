# The text parsers on arbitrary bytes. Every compiler builds the driver of our own (fuzz_text), which replays files
# and mutates them; clang also builds a target for libFuzzer from each parser (fuzz_edges_libfuzzer and so on).
add_executable(fuzz_text fuzz_text.cpp fuzz_driver.cpp)
target_link_libraries(fuzz_text PRIVATE landbridge_core)
target_compile_options(fuzz_text PRIVATE -Wall -Wextra)
add_test(NAME fuzz_text COMMAND fuzz_text 5 ${CMAKE_SOURCE_DIR}/tests/corpus)
if(CMAKE_CXX_COMPILER_ID MATCHES "Clang" AND LANDBRIDGE_SANITIZE)
  foreach(parser IN ITEMS edges names matrix_market dimacs metis)
    add_executable(fuzz_${parser}_libfuzzer fuzz_text.cpp)
    target_compile_definitions(fuzz_${parser}_libfuzzer PRIVATE LB_FUZZ=fuzz_${parser})
    target_link_libraries(fuzz_${parser}_libfuzzer PRIVATE landbridge_core)
    target_link_options(fuzz_${parser}_libfuzzer PRIVATE -fsanitize=fuzzer)
  endforeach()
endif()
