# The schedule explorer: one source file for each link rule of the registry, as for the kernels. It runs fibers on
# stacks of its own, which the address and thread sanitizers cannot follow; in their builds the stress tests
# stand for it.
if(NOT LANDBRIDGE_SANITIZE MATCHES "thread|address")
  set(EXPLORE_SOURCES explore/main.cpp explore/engine.cpp explore/fiber.cpp explore/case.cpp explore/program.cpp
      explore/mutants.cpp explore/systems.cpp explore/rounds.cpp explore/streams.cpp)
  foreach(row IN LISTS LINK_ROWS)
    string(REGEX MATCH "^LB_LINK\\(([a-z_0-9]+), \"[a-z0-9]+\", ([A-Za-z0-9]+)," _ "${row}")
    set(LINK "${CMAKE_MATCH_1}")
    set(TYPE "${CMAKE_MATCH_2}")
    configure_file(explore/link.cpp.in explore_${LINK}.cpp @ONLY)
    list(APPEND EXPLORE_SOURCES ${CMAKE_CURRENT_BINARY_DIR}/explore_${LINK}.cpp)
  endforeach()
  add_executable(explore ${EXPLORE_SOURCES})
  target_include_directories(explore PRIVATE explore ${PROJECT_SOURCE_DIR}/src/core)
  target_link_libraries(explore PRIVATE landbridge_headers)
  target_compile_options(explore PRIVATE -Wall -Wextra)
  if(LANDBRIDGE_SANITIZE)
    target_compile_options(explore PRIVATE -fsanitize=${LANDBRIDGE_SANITIZE})
    target_link_options(explore PRIVATE -fsanitize=${LANDBRIDGE_SANITIZE})
  endif()

  file(GLOB COUNTEREXAMPLES CONFIGURE_DEPENDS explore/counterexamples/*.txt)
  add_test(NAME explore_replay COMMAND explore replay ${COUNTEREXAMPLES})
  add_test(NAME explore_hunt COMMAND explore hunt)
  add_test(NAME explore_check COMMAND explore check)
endif()
