/* Two files in turns. */
#include "client/journal.h"

#include <string.h>

#include "base/fail.h"
#include "base/memory.h"
#include "client/entries.h"
#include "trace/pack.h"

/* How many entries are left out before another attempt to write. */
#define RETRY 256

static char *path_of(const seen_allocator *memory, const char *path,
                     unsigned turn) {
  size_t size = strlen(path);
  char *made = sn_allocate(memory, size + 3);

  if (made == NULL) return NULL;
  memcpy(made, path, size);
  made[size] = '-';
  made[size + 1] = (char)('0' + turn);
  made[size + 2] = '\0';
  return made;
}

/* The number of a file, 0 where it has none. */
static uint64_t number_of(const char *path, const seen_allocator *memory) {
  uint64_t number;
  uint8_t *bytes;
  size_t size;

  if (sn_platform_load(path, SN_HEAD_SIZE, memory, &bytes, &size, NULL) !=
      SEEN_OK)
    return 0;
  if (!sn_head_read(bytes, size, &number)) number = 0;
  sn_release(memory, bytes);
  return number;
}

int sn_journal_open(sn_journal *journal, const char *path, uint64_t most,
                    const sn_log *log, const seen_allocator *memory,
                    seen_error *error) {
  uint64_t numbers[2];
  unsigned turn;

  *journal = (sn_journal){
      .memory = memory, .log = log, .most = most, .file = {SN_NO_STREAM}};
  sn_text_growing(&journal->text, memory);
  for (turn = 0; turn < 2; turn++) {
    journal->paths[turn] = path_of(memory, path, turn);
    if (journal->paths[turn] == NULL) return sn_fail_memory(error);
    numbers[turn] = number_of(journal->paths[turn], memory);
  }
  journal->number = numbers[0] > numbers[1] ? numbers[0] : numbers[1];
  return SEEN_OK;
}

static void close_file(sn_journal *journal) {
  sn_platform_close(&journal->file);
  journal->size = 0;
  journal->skipped = 0;
}

void sn_journal_close(sn_journal *journal) {
  if (journal->paths[0] != NULL) close_file(journal);
  sn_release(journal->memory, journal->paths[0]);
  sn_release(journal->memory, journal->paths[1]);
  sn_text_free(&journal->text);
  *journal = (sn_journal){0};
}

static void tell(sn_journal *journal, const char *what) {
  sn_log_write(journal->log, SEEN_LOG_WARN, "recorder: %s", what);
}

/* Writes the text, and closes the file where it can't be. */
static void write_text(sn_journal *journal) {
  seen_error error = SEEN_ERROR_INIT;
  int status = journal->text.status;

  if (status != SEEN_OK)
    sn_fail_memory(&error);
  else
    status = sn_platform_write(&journal->file, journal->text.bytes,
                               journal->text.length, &error);
  if (status == SEEN_OK) {
    journal->size += journal->text.length;
    return;
  }
  tell(journal, error.message);
  close_file(journal);
}

static void empty(sn_text *text) {
  const seen_allocator *memory = text->memory;

  text->length = 0;
  if (text->status == SEEN_OK) return;
  sn_text_free(text);
  sn_text_growing(text, memory);
}

/* Adds a line to the beginning; SEEN_EFULL where that gets too long. */
static int add_line(const seen_trace_line *line, void *user_data,
                    seen_error *error) {
  sn_journal *journal = user_data;
  sn_text packed;
  int status;

  sn_text_growing(&packed, journal->memory);
  status = sn_pack_line(&packed, line, error);
  if (status == SEEN_OK) status = packed.status;
  if (status == SEEN_OK)
    sn_entry_add(&journal->text, journal->number,
                 (sn_entry){line->has_at, line->at,
                            (const uint8_t *)packed.bytes, packed.length});
  sn_text_free(&packed);
  if (status != SEEN_OK) return status;
  if (journal->text.status != SEEN_OK) return SEEN_ENOMEM;
  return journal->text.length > journal->most / 2 ? SEEN_EFULL : SEEN_OK;
}

/* The first line alone, which is `me`. */
static int add_first(const seen_trace_line *line, void *user_data,
                     seen_error *error) {
  int status = add_line(line, user_data, error);

  return status == SEEN_OK ? SEEN_EFULL : status;
}

/* Makes the beginning; false where it has `me` alone. */
static bool make_beginning(sn_journal *journal, sn_lines lines) {
  bool all;

  empty(&journal->text);
  sn_head_add(&journal->text, journal->number);
  all = lines.each(lines.source, add_line, journal, NULL) == SEEN_OK;
  if (!all) {
    empty(&journal->text);
    sn_head_add(&journal->text, journal->number);
    (void)lines.each(lines.source, add_first, journal, NULL);
  }
  sn_entry_add(&journal->text, journal->number, (sn_entry){0});
  return all;
}

/* Begins the next file; false where what is recorded is not in it. */
static bool begin(sn_journal *journal, sn_lines lines) {
  seen_error error = SEEN_ERROR_INIT;
  bool all;

  close_file(journal);
  journal->number++;
  all = make_beginning(journal, lines);
  if (sn_platform_create(journal->paths[journal->number % 2], &journal->file,
                         &error) == SEEN_OK)
    write_text(journal);
  else
    tell(journal, error.message);
  return all;
}

void sn_journal_begin(sn_journal *journal, sn_lines lines) {
  if (journal->paths[0] != NULL) (void)begin(journal, lines);
}

void sn_journal_add(sn_journal *journal, uint64_t at, const char *bytes,
                    size_t size, sn_lines lines) {
  const sn_entry entry = {true, at, (const uint8_t *)bytes, size};
  bool closed = journal->file.handle == SN_NO_STREAM;

  if (journal->paths[0] == NULL) return;
  if (closed && ++journal->skipped < RETRY) return;
  empty(&journal->text);
  sn_entry_add(&journal->text, journal->number, entry);
  if (closed || journal->size + journal->text.length > journal->most) {
    if (begin(journal, lines) || journal->file.handle == SN_NO_STREAM) return;
    empty(&journal->text);
    sn_entry_add(&journal->text, journal->number, entry);
  }
  write_text(journal);
}

/* Whether the file has a number and its whole beginning. */
static bool has_beginning(sn_journal_text *text) {
  const uint8_t *at;
  sn_entry entry;

  if (!sn_head_read(text->bytes, text->size, &text->number)) return false;
  at = text->bytes + SN_HEAD_SIZE;
  while (sn_entry_next(&at, text->bytes + text->size, text->number, &entry))
    if (entry.size == 0) return true;
  return false;
}

static int read_file(sn_journal_text *text, const char *path, unsigned turn,
                     const seen_allocator *memory, seen_error *error) {
  char *name = path_of(memory, path, turn);
  int status;

  *text = (sn_journal_text){.memory = memory};
  if (name == NULL) return sn_fail_memory(error);
  status = sn_platform_load(name, SIZE_MAX, memory, &text->bytes, &text->size,
                            error);
  if (status == SEEN_OK && !has_beginning(text))
    status = sn_fail(error, SEEN_ECORRUPT, "%s holds no recording", name);
  sn_release(memory, name);
  return status;
}

/* The newer one may be either, so that without memory for one there is none. A
 * file that is there but no recording says more than one that is not. */
int sn_journal_read(sn_journal_text *text, const char *path,
                    const seen_allocator *memory, seen_error *error) {
  sn_journal_text other;
  int first = read_file(text, path, 0, memory, error);
  int second =
      read_file(&other, path, 1, memory,
                first == SEEN_OK || first == SEEN_ENOTFOUND ? error : NULL);

  if (second == SEEN_OK && first != SEEN_ENOMEM &&
      (first != SEEN_OK || other.number > text->number)) {
    sn_journal_text_free(text);
    *text = other;
    return SEEN_OK;
  }
  sn_journal_text_free(&other);
  if (first == SEEN_OK && second != SEEN_ENOMEM) return SEEN_OK;
  sn_journal_text_free(text);
  return first == SEEN_OK || first == SEEN_ENOTFOUND ? second : first;
}

void sn_journal_text_free(sn_journal_text *text) {
  sn_release(text->memory, text->bytes);
  text->bytes = NULL;
}

static int each_line(void *source, sn_take_line take, void *user_data,
                     seen_error *error) {
  const sn_journal_text *text = source;
  const uint8_t *at = text->bytes + SN_HEAD_SIZE;
  sn_entry entry;

  while (sn_entry_next(&at, text->bytes + text->size, text->number, &entry)) {
    seen_trace_line *line;
    int status;

    if (entry.size == 0) continue;
    status =
        sn_unpack_line(entry.bytes, entry.size, text->memory, &line, error);
    if (status != SEEN_OK) return status;
    line->has_at = entry.has_at;
    line->at = entry.at;
    status = take(line, user_data, error);
    seen_trace_line_free(line);
    if (status != SEEN_OK) return status;
  }
  return SEEN_OK;
}

static sn_lines lines_of(sn_journal_text *text) {
  return (sn_lines){each_line, text};
}

int seen_recorder_read(const char *path, seen_recorder_names names,
                       const seen_allocator *allocator, seen_recorder_take take,
                       void *user_data, seen_error *error) {
  sn_journal_text text;
  int status;

  if (allocator == NULL) allocator = seen_allocator_default();
  status = sn_journal_read(&text, path, allocator, error);
  if (status != SEEN_OK) return status;
  status =
      sn_lines_write(lines_of(&text), names, allocator, take, user_data, error);
  sn_journal_text_free(&text);
  return status;
}
