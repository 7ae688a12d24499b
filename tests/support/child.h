/* Another process, which has done something and keeps it until it is killed. */
#ifndef TESTS_SUPPORT_CHILD_H
#define TESTS_SUPPORT_CHILD_H

#include <stdbool.h>

#include <sys/types.h>

/*
 * Returns when `act` has returned in the child; that it said true is asserted.
 * The child ends by itself after two minutes, whatever becomes of its parent.
 */
pid_t test_child_start(bool (*act)(void *with), void *with);
void test_child_kill(pid_t child);

#endif
