/*
 * A disk that can be told when to fail: a VFS for SQLite over the default one.
 * Of the calls that a kind of failure can happen to, the n-th meets it; or
 * the power fails there, and what was not synced is lost, or torn.
 */
#ifndef TESTS_SUPPORT_VFS_H
#define TESTS_SUPPORT_VFS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "support/random.h"

#define TEST_VFS "seen-test"

typedef enum test_fault {
  TEST_FAULT_NONE,
  TEST_FAULT_IO,       /* any call: the disk fails */
  TEST_FAULT_FULL,     /* what takes space */
  TEST_FAULT_READONLY, /* what writes */
  TEST_FAULT_BUSY,     /* locks */
  TEST_FAULT_CORRUPT,  /* reads: the disk says that it can't vouch for them */
  TEST_FAULT_SHORT,    /* reads: the half of it, as where a file was cut */
  TEST_FAULT_POWER,    /* what changes the disk: it, and all that follows,
                          fails; see test_vfs_restore() */
  TEST_FAULT_KILL,     /* any call: SIGKILL, in the middle of a write */
  TEST_FAULTS
} test_fault;

/* What becomes of what was not synced when the power failed. */
typedef enum test_tear {
  TEST_TEAR_LOST,
  TEST_TEAR_KEPT,
  TEST_TEAR_CALLS,   /* each write whole or not at all */
  TEST_TEAR_SECTORS, /* each sector of each write */
  TEST_TEARS
} test_tear;

/* Registers the VFS, with a disk that never fails, and ends it. Its files are
 * never synced for real. */
void test_vfs_begin(void);
void test_vfs_end(void);

/* The n-th call from now fails, 1 being the next, and with `on` each after it;
 * 0: none. */
void test_vfs_fail(test_fault fault, uint64_t n, bool on);

/* How many calls were failed since test_vfs_fail(). */
uint64_t test_vfs_failures(void);

/* How many calls the fault could have met since test_vfs_fail(). */
uint64_t test_vfs_calls(void);

/* Notes from now on what was synced of the files that are opened. */
void test_vfs_watch(void);

/* Writes the watched files as the power left them, and ends the watch. They
 * are closed. */
void test_vfs_restore(test_tear tear, test_random *random);

#endif
