/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Tests of the agent with probes of every kind; run by test-agent.c. */
#ifndef TESTS_TEST_AGENT_PROBE_H
#define TESTS_TEST_AGENT_PROBE_H

void samples_and_text_of_a_probe_come_through(void **state);
void options_of_a_probe_are_its_words(void **state);
void a_sample_that_contradicts_itself_is_a_note(void **state);
void a_probe_that_hangs_is_killed_and_reported(void **state);
void a_probe_s_children_go_with_it(void **state);
void a_child_that_keeps_the_pipe_does_not_keep_the_agent(void **state);
void a_flood_is_bounded_and_ends_at_the_limit(void **state);
void a_flood_of_samples_is_bounded(void **state);
void half_a_line_at_the_end_is_said_to_be(void **state);
void a_line_that_is_too_long_is_cut(void **state);
void a_probe_killed_by_a_signal_says_which(void **state);
void a_probe_that_is_not_there_fails(void **state);

#endif
