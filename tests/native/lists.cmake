# List ranking: its explorer, which needs no registry of links, and its stress test.
if(NOT LANDBRIDGE_SANITIZE MATCHES "thread|address")
  add_executable(explore_lists explore/lists.cpp explore/fiber.cpp)
  target_include_directories(explore_lists PRIVATE explore)
  target_link_libraries(explore_lists PRIVATE landbridge_headers)
  target_compile_options(explore_lists PRIVATE -Wall -Wextra)
  add_test(NAME explore_lists_check COMMAND explore_lists check)
  add_test(NAME explore_lists_mutants COMMAND explore_lists mutants)
endif()

add_executable(stress_lists stress_lists.cpp)
target_link_libraries(stress_lists PRIVATE landbridge_core)
target_compile_options(stress_lists PRIVATE -Wall -Wextra)
add_test(NAME stress_lists COMMAND stress_lists)
