# SPDX-License-Identifier: GPL-2.0-or-later
#
# room(NAME SOURCES... [LINK libraries])   one room of the house as a static library, room_NAME
# unit_test(NAME SOURCES... [LINK rooms])  a cmocka program, run by ctest with the label "unit"
# test_env(TEST...)                        the environment that every test runs in
# test_env_guest(TEST...)                  the same for tests that boot guests

function(room name)
	cmake_parse_arguments(R "" "" "LINK" ${ARGN})
	add_library(room_${name} STATIC ${R_UNPARSED_ARGUMENTS})
	target_include_directories(room_${name} PUBLIC ${PROJECT_SOURCE_DIR}/bisect ${PROJECT_SOURCE_DIR})
	target_link_libraries(room_${name} PUBLIC ${R_LINK})
endfunction()

function(test_env)
	set_property(TEST ${ARGN} APPEND PROPERTY ENVIRONMENT
		"LSAN_OPTIONS=suppressions=${PROJECT_SOURCE_DIR}/tests/lsan.supp:print_suppressions=0")
endfunction()

# LeakSanitizer's tracer now and then crashes on the threads that libvirt still has when the program
# ends ("Tracer caught signal 11"), so what opens libvirt is looked at for everything but leaks.
function(test_env_guest)
	set_property(TEST ${ARGN} APPEND PROPERTY ENVIRONMENT "ASAN_OPTIONS=detect_leaks=0")
endfunction()

function(unit_test name)
	cmake_parse_arguments(T "" "" "LINK" ${ARGN})
	add_executable(test-${name} ${T_UNPARSED_ARGUMENTS})
	target_include_directories(test-${name} PRIVATE ${PROJECT_SOURCE_DIR}/bisect ${PROJECT_SOURCE_DIR}
		${PROJECT_SOURCE_DIR}/tests)
	target_link_libraries(test-${name} PRIVATE ${T_LINK} PkgConfig::CMOCKA)
	add_test(NAME unit/${name} COMMAND test-${name})
	set_tests_properties(unit/${name} PROPERTIES LABELS unit TIMEOUT 900)
	test_env(unit/${name})
endfunction()
