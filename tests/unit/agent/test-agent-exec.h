/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Tests of the agent with programs of the user's; run by test-agent.c. */
#ifndef TESTS_TEST_AGENT_EXEC_H
#define TESTS_TEST_AGENT_EXEC_H

void the_last_line_of_a_program_is_its_result(void **state);
void a_result_needs_no_line_break(void **state);
void a_program_that_prints_nothing_has_an_empty_result(void **state);
void a_result_comes_from_stdout_alone(void **state);
void a_line_too_long_for_a_result_is_none(void **state);
void what_a_program_finds_beside_it_comes_first(void **state);
void a_program_of_the_guest_is_run_by_its_path(void **state);
void a_flood_of_a_program_is_bounded_and_keeps_its_result(void **state);
void a_program_that_hangs_gives_what_it_had(void **state);
void a_missing_interpreter_is_named(void **state);
void a_missing_library_is_named(void **state);
void what_is_no_program_is_said_to_be_none(void **state);
void a_program_that_is_not_there_fails(void **state);
void memory_is_taken_from_the_program_first(void **state);

#endif
