/*
 * A server's frame as a struct, in the very types that an engine is fed with.
 * It and all it points at belong to the reader that read it, until it reads
 * the next one.
 *
 * Reading is strict about types and ranges, so that whatever was read can be
 * fed; members that are not known are passed over, and an unknown type of
 * frame is told as such.
 */
#ifndef SN_WIRE_FRAME_H
#define SN_WIRE_FRAME_H

#include <seen/reply.h>
#include <seen/sys/input.h>

#include "base/arena.h"
#include "base/json.h"
#include "wire/names.h"

typedef struct sn_welcome {
  const char *user;
  const char *incarnation;
  uint64_t version;
  bool snapshot;        /* rows of all follow; else what changed */
  bool receipts;        /* the user's setting (S7) */
  uint64_t frame_bytes; /* limits of the server; 0: not said */
  uint64_t items;
} sn_welcome;

typedef struct sn_row {
  const char *id;
  seen_snapshot snapshot; /* its leave_seq is said where it has ended */
} sn_row;

typedef struct sn_changes {
  bool dated; /* has `from` and `version`: moves the resume version */
  uint64_t from;
  uint64_t version;
  const sn_row *rows;
  size_t count;
  const char *const *missing;
  size_t missing_count;
  bool more;
} sn_changes;

typedef struct sn_live {
  uint64_t version;
  seen_message message;
  seen_text text;
} sn_live;

/* What is said of one conversation in an ack. */
typedef struct sn_item {
  const char *conv;
  sn_result result;
  const char *code; /* of REFUSED */
  uint64_t retry_ms;
  bool has_word;
  seen_word word;
  uint64_t seq; /* of what was sent */
  uint64_t sent_at;
} sn_item;

typedef struct sn_ack {
  sn_say of;
  const sn_item *items;
  size_t count;
  bool more;
  bool receipts; /* of settings, with the version it holds from */
  uint64_t version;
} sn_ack;

typedef struct sn_peers {
  const seen_peer *items;
  size_t count;
} sn_peers;

typedef struct sn_page {
  const seen_text *messages;
  size_t count;
  bool more;
} sn_page;

typedef struct sn_resync {
  bool incarnation; /* the history is another; else it was only too slow */
} sn_resync;

typedef struct sn_refused {
  const char *code;
  const char *message;
  uint64_t retry_ms;
} sn_refused;

typedef struct sn_frame {
  sn_frame_type type;
  bool has_id;
  uint64_t id;
  const char *conv; /* NULL where the type has none */
  union {
    sn_welcome welcome;
    sn_changes changes;
    sn_live message;
    seen_word position;
    sn_ack ack;
    sn_peers peer;
    seen_receipt_rows receipts;
    seen_members members;
    seen_settings set;
    uint64_t left; /* leave_seq */
    sn_page page;
    sn_resync resync;
    sn_refused error;
  } u;
} sn_frame;

/* Answer of GET …/read-receipts. */
typedef struct sn_audience {
  const char *conv;
  uint64_t seq;
  uint64_t read;
  uint64_t audience;
  uint64_t delivered;
  uint64_t hidden;
  const char *const *users;
  size_t count;
  const char *cursor; /* NULL: there is no further page */
} sn_audience;

typedef struct sn_frame_reader {
  sn_arena arena;
  sn_json *json;       /* several frames are read one by one from here */
  const sn_json *next; /* the one that comes next; NULL: none */
  sn_frame frame;
  sn_audience audience;
} sn_frame_reader;

void sn_frame_reader_init(sn_frame_reader *reader,
                          const seen_allocator *memory);
void sn_frame_reader_free(sn_frame_reader *reader);

/* SEEN_EPARSE, in words, or SEEN_ENOMEM; `*out` is NULL then. */
int sn_frame_read(sn_frame_reader *reader, const char *text, size_t size,
                  const sn_frame **out, seen_error *error);

/*
 * Several, one by one: text that is a frame or an array of them is opened, and
 * each call of next gives one, or NULL behind the last.
 */
int sn_frames_open(sn_frame_reader *reader, const char *text, size_t size,
                   seen_error *error);
int sn_frames_next(sn_frame_reader *reader, const sn_frame **out,
                   seen_error *error);

int sn_audience_read(sn_frame_reader *reader, const char *text, size_t size,
                     const sn_audience **out, seen_error *error);

#endif
