# Kernels, runs, streams and the thread back-end on real threads; the sanitizer presets build the same sources.
add_executable(stress stress/main.cpp stress/threads.cpp stress/kernels.cpp stress/runs.cpp stress/streams.cpp
               stress/names.cpp)
target_link_libraries(stress PRIVATE landbridge_core)
target_compile_options(stress PRIVATE -Wall -Wextra)
add_test(NAME stress_threads COMMAND stress threads)
add_test(NAME stress_kernels COMMAND stress kernels)
add_test(NAME stress_runs COMMAND stress runs)
add_test(NAME stress_streams COMMAND stress streams)
add_test(NAME stress_names COMMAND stress names)
if(LANDBRIDGE_SANITIZE MATCHES "thread")
  add_test(NAME stress_race COMMAND stress race)
  set_tests_properties(stress_race PROPERTIES WILL_FAIL TRUE)
endif()
