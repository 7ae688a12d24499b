/*
 * What an engine held before the inputs that are still recorded: an engine of
 * the recorder's own that is fed what falls out of the ring, and beside it
 * what it asked to be written.
 */
#ifndef SN_CLIENT_PAST_H
#define SN_CLIENT_PAST_H

#include "base/platform.h"
#include "client/lines.h"

#include <seen/sys/engine.h>
#include <seen/sys/store.h>

/* A record as it was last written, packed; no bytes: it was not. */
typedef struct sn_kept {
  char *bytes;
  size_t size;
} sn_kept;

typedef struct sn_past {
  seen_options options;
  seen_engine *engine; /* NULL: there is no past */
  sn_kept *written;    /* by handle */
  size_t capacity;
  sn_mutex *lock; /* of who reads what it takes over from; NULL: nobody */
} sn_past;

/* The options, their strings too, outlive it. */
void sn_past_init(sn_past *past, const seen_options *options);
void sn_past_free(sn_past *past);

/* Takes over what `of` holds, which is not fed meanwhile; of what is not
 * written there, `store` (or NULL) says what was. There is no past where it
 * fails. */
int sn_past_begin(sn_past *past, seen_engine *of, seen_store *store,
                  seen_error *error);

/* What happened next. There is no past where it fails. */
int sn_past_feed(sn_past *past, const seen_input *input, uint64_t at,
                 seen_error *error);

/* The time that it has come to; there is a past. */
uint64_t sn_past_now(const sn_past *past);

/* Gives `me` and the states; there is a past. */
int sn_past_each(sn_past *past, sn_take_line take, void *user_data,
                 seen_error *error);

#endif
