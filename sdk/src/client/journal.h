/*
 * The files of a recorder. Each begins with a number that tells which is the
 * newer one, and with all that was recorded till then, so that it can be
 * replayed alone; then comes each input, as it is noted. An entry carries its
 * checksum, so that one that was cut off by a crash is noticed.
 *
 * Nothing of it fails: what can't be written is told through the log, and
 * tried again later.
 */
#ifndef SN_CLIENT_JOURNAL_H
#define SN_CLIENT_JOURNAL_H

#include "base/log.h"
#include "base/platform.h"
#include "base/text.h"
#include "client/lines.h"

/* The smallest file that is worth its beginning. */
#define SN_JOURNAL_LEAST 4096

typedef struct sn_journal {
  const seen_allocator *memory;
  const sn_log *log;
  char *paths[2]; /* NULL: there is no journal */
  uint64_t most;  /* bytes a file */
  uint64_t number;
  sn_stream file;
  uint64_t size;    /* of the file */
  unsigned skipped; /* entries, while none can be written */
  sn_text text;     /* what is written at once */
} sn_journal;

/* Does not touch what the newer of the files holds: the other one is next.
 * All zero is a journal that writes nothing. 0 or SEEN_ENOMEM. */
int sn_journal_open(sn_journal *journal, const char *path, uint64_t most,
                    const sn_log *log, const seen_allocator *memory,
                    seen_error *error);
void sn_journal_close(sn_journal *journal);

/* Begins the next file with these lines. */
void sn_journal_begin(sn_journal *journal, sn_lines lines);

/* Adds a packed input; `lines` are all that are recorded, this one as well,
 * for where another file begins. */
void sn_journal_add(sn_journal *journal, uint64_t at, const char *bytes,
                    size_t size, sn_lines lines);

/* A file that was read. */
typedef struct sn_journal_text {
  const seen_allocator *memory;
  uint8_t *bytes;
  size_t size;
  uint64_t number;
} sn_journal_text;

/* Reads the newest file that has its beginning: SEEN_ENOTFOUND, SEEN_ECORRUPT,
 * SEEN_EIO, SEEN_ENOMEM. */
int sn_journal_read(sn_journal_text *text, const char *path,
                    const seen_allocator *memory, seen_error *error);
void sn_journal_text_free(sn_journal_text *text);

#endif
