/*
 * Lines of a trace as few bytes, by the same tables as their text: inputs,
 * `me` and states. What text can't say, bytes can't either.
 */
#ifndef SN_TRACE_PACK_H
#define SN_TRACE_PACK_H

#include "base/text.h"

#include <seen/sys/trace.h>

/*
 * Adds the line behind what is there, without its time; that memory may be
 * missing shows in `out`. SEEN_EINVAL for a line of another type, or without
 * an id that it needs.
 */
int sn_pack_line(sn_text *out, const seen_trace_line *line, seen_error *error);

/*
 * The line of exactly these bytes, freed by seen_trace_line_free(). Fails with
 * SEEN_EPARSE for bytes that are no line, SEEN_ENOMEM.
 */
int sn_unpack_line(const void *bytes, size_t size,
                   const seen_allocator *allocator, seen_trace_line **out,
                   seen_error *error);

/* A hash of the tables: lines that were packed by others are not unpacked. */
uint32_t sn_pack_tables(void);

/* A number in groups of seven bits, the low ones first. Taking one moves
 * `*at`; false where it does not end before `end` or has more than 64 bits. */
void sn_pack_number(sn_text *out, uint64_t number);
bool sn_unpack_number(const uint8_t **at, const uint8_t *end, uint64_t *number);

#endif
