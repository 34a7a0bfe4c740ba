# msda_add_test(<name> SOURCES <file>... [LIBRARIES <target>...] [LABELS gpu slow ...] [TIMEOUT <s>]
#               [SHARDS <n>] [KEPT [INPUTS <file or folder>...]] [APART <file>...])
#
# One GoogleTest program and one ctest entry for it, since an entry costs 40 ms. One for each of its cases where these
# may take long (TIMEOUT, slow), or are to be apart (gpu: a fault ends what a process can do with a device); with SHARDS
# so many in all, for cases that share what takes long to make. Those with a TIMEOUT of their own begin first, so
# that none is left for the end of a parallel run. Labels: gpu, slow, and threads for what ThreadSanitizer is to see.
# `./msda test -R` finds cases of every kind of entry.
#
# KEPT, for what neither waits nor measures: a test that passed is not run again until its program or INPUTS change,
# which are all that it reads of the trees of sources and of the build. kept-inputs holds them against what it opens.
#
# Sources of a program are compiled several at a time (msda_unity()), which halves what tests cost a clean build; those
# that give another helper a name which is there already stay APART.
include(GoogleTest)
set(MSDA_KEPT ${PROJECT_SOURCE_DIR}/cmake/kept.sh)  # INPUT... -- COMMAND..., in add_test()

# msda_test_code(<target>): compiled with little optimization and the precompiled headers of tests. Programs and
# their support libraries share these, so both are compiled as libraries are. Includes begin at the folder of tests:
# "support/problems.hpp" of the core's, "support/synthetic.hpp" of analysis's own.
function(msda_test_code target)
  target_include_directories(${target} PRIVATE ${CMAKE_CURRENT_SOURCE_DIR} ${PROJECT_SOURCE_DIR}/core/tests)
  msda_cold(${target})
  target_compile_options(${target} PRIVATE -fPIC)
  msda_use_precompiled(${target} msda_test_headers)
endfunction()

function(msda_add_test name)
  cmake_parse_arguments(ARG "KEPT" "TIMEOUT;SHARDS" "SOURCES;LIBRARIES;LABELS;INPUTS;APART" ${ARGN})
  set(cost 0)  # what ctest has seen
  set(by_case FALSE)
  if(ARG_TIMEOUT)
    set(cost ${ARG_TIMEOUT})
    set(by_case TRUE)
  elseif(ARG_LABELS MATCHES "gpu|slow")
    set(ARG_TIMEOUT 120)
    set(by_case TRUE)
  else()
    set(ARG_TIMEOUT 300)
  endif()
  add_executable(${name} ${ARG_SOURCES})
  target_link_libraries(${name} PRIVATE ${ARG_LIBRARIES} GTest::gtest GTest::gmock GTest::gtest_main)
  msda_test_code(${name})
  msda_unity(${name} BATCH 8 APART ${ARG_APART})
  target_compile_definitions(${name} PRIVATE
    MSDA_SOURCE_DIR="${PROJECT_SOURCE_DIR}" MSDA_BINARY_DIR="${PROJECT_BINARY_DIR}")
  list(JOIN ARG_LABELS " " words)
  set_property(GLOBAL APPEND_STRING PROPERTY MSDA_TEST_PROGRAMS "${name} ${words}\n")
  if(by_case AND NOT ARG_SHARDS)
    gtest_discover_tests(${name} DISCOVERY_MODE PRE_TEST
      PROPERTIES TIMEOUT ${ARG_TIMEOUT} COST ${cost} LABELS "${ARG_LABELS}")
    return()
  endif()
  set(command ${name})
  if(ARG_KEPT)
    set(command ${MSDA_KEPT} ${ARG_INPUTS} -- $<TARGET_FILE:${name}>)
  endif()
  if(NOT ARG_SHARDS)
    add_test(NAME ${name} COMMAND ${command})
    set_tests_properties(${name} PROPERTIES TIMEOUT ${ARG_TIMEOUT} LABELS "${ARG_LABELS}")
    return()
  endif()
  foreach(shard RANGE 1 ${ARG_SHARDS})
    math(EXPR index "${shard} - 1")
    add_test(NAME ${name}.${shard} COMMAND ${command})
    set_tests_properties(${name}.${shard} PROPERTIES
      TIMEOUT ${ARG_TIMEOUT} COST ${cost} LABELS "${ARG_LABELS}"
      ENVIRONMENT "GTEST_TOTAL_SHARDS=${ARG_SHARDS};GTEST_SHARD_INDEX=${index}")
  endforeach()
endfunction()

# Writes the list that ./msda sanitize goes through: a program and its labels on each line.
function(msda_list_tests)
  get_property(programs GLOBAL PROPERTY MSDA_TEST_PROGRAMS)
  file(WRITE ${PROJECT_BINARY_DIR}/tests.txt "${programs}")
endfunction()
