/*
 * Inputs made of bytes: mostly such as a server or a person may come up with,
 * around the same few conversations, people and seqs; now and then any number
 * at all.
 */
#ifndef FUZZ_INPUTS_H
#define FUZZ_INPUTS_H

#include "fuzz/target.h"

#include <seen/options.h>
#include <seen/sys/input.h>

enum { INPUT_ITEMS = 6 };

typedef struct input_maker {
  target_bytes bytes;
  uint64_t base; /* that seqs are near */
  uint64_t now;
  /* What the last input points at. */
  seen_run runs[INPUT_ITEMS];
  seen_mention mentions[INPUT_ITEMS];
  seen_member roster[INPUT_ITEMS];
  seen_membership joined[INPUT_ITEMS];
  seen_membership left[INPUT_ITEMS];
  seen_receipt_row rows[INPUT_ITEMS];
} input_maker;

/* The bytes say the options as well, but for who it is. */
void input_maker_begin(input_maker *self, const uint8_t *bytes, size_t size,
                       seen_options *options);

/* The next one, and the time that it happens at. */
seen_input input_maker_next(input_maker *self);

#endif
