/* A name is a letter and the id's rank, in as many digits as the last has. */
#include "client/pseudonyms.h"

#include <string.h>

#include "base/fail.h"
#include "base/memory.h"
#include "base/sort.h"
#include "trace/pack.h"

/* A letter, the digits of any count, a NUL. */
#define NAME_SIZE 12

static const char letters[SN_ID_KINDS] = {'c', 'u', 'd'};

void sn_pseudonyms_init(sn_pseudonyms *names, const seen_allocator *memory) {
  *names = (sn_pseudonyms){.memory = memory};
}

void sn_pseudonyms_free(sn_pseudonyms *names) {
  for (size_t k = 0; k < SN_ID_KINDS; k++) {
    sn_id_list *list = &names->lists[k];

    for (size_t i = 0; i < list->count; i++)
      sn_release(names->memory, list->ids[i]);
    sn_release(names->memory, list->ids);
    sn_release(names->memory, list->names);
    sn_table_free(names->memory, &list->table);
  }
}

/* A copy that can be visited and changed. */
static int copy_line(const sn_pseudonyms *names, const seen_trace_line *line,
                     seen_trace_line **out, seen_error *error) {
  sn_text bytes;
  int status;

  sn_text_growing(&bytes, names->memory);
  status = sn_pack_line(&bytes, line, error);
  if (status == SEEN_OK && bytes.status != SEEN_OK)
    status = sn_fail_memory(error);
  if (status == SEEN_OK)
    status =
        sn_unpack_line(bytes.bytes, bytes.length, names->memory, out, error);
  sn_text_free(&bytes);
  if (status != SEEN_OK) return status;
  (*out)->has_at = line->has_at;
  (*out)->at = line->at;
  return SEEN_OK;
}

static int collect_id(sn_id_kind kind, const char **id, void *user_data) {
  sn_pseudonyms *names = user_data;
  sn_id_list *list = &names->lists[kind];
  size_t size = strlen(*id);
  uint32_t hash = sn_hash_bytes(0, *id, size);
  sn_probe probe;
  uint32_t found = sn_table_first(&list->table, hash, &probe);
  char *copy;

  while (found != 0 && strcmp(list->ids[found - 1], *id) != 0)
    found = sn_table_next(&list->table, &probe);
  if (found != 0) return SEEN_OK;
  if (SN_RESERVE(names->memory, &list->ids, &list->capacity, list->count + 1) ||
      sn_table_reserve(names->memory, &list->table, 1))
    return SEEN_ENOMEM;
  copy = sn_copy_text(names->memory, *id, size);
  if (copy == NULL) return SEEN_ENOMEM;
  list->ids[list->count++] = copy;
  sn_table_add(&list->table, hash, (uint32_t)list->count);
  return SEEN_OK;
}

int sn_pseudonyms_collect(sn_pseudonyms *names, const seen_trace_line *line,
                          seen_error *error) {
  seen_trace_line *copy;
  int status = copy_line(names, line, &copy, error);

  if (status != SEEN_OK) return status;
  status = sn_line_ids(copy, collect_id, names);
  seen_trace_line_free(copy);
  return status == SEEN_OK ? SEEN_OK : sn_fail_memory(error);
}

static bool before(const void *a, const void *b, const void *user_data) {
  (void)user_data;
  return strcmp(*(const char *const *)a, *(const char *const *)b) < 0;
}

static void write_name(char *name, char letter, size_t rank, size_t digits) {
  name[0] = letter;
  name[digits + 1] = '\0';
  for (size_t i = digits; i > 0; i--, rank /= 10)
    name[i] = (char)('0' + rank % 10);
}

int sn_pseudonyms_number(sn_pseudonyms *names, seen_error *error) {
  for (size_t k = 0; k < SN_ID_KINDS; k++) {
    sn_id_list *list = &names->lists[k];
    size_t digits = 1;

    if (list->count == 0) continue;
    list->names = sn_allocate(names->memory, list->count * NAME_SIZE);
    if (list->names == NULL) return sn_fail_memory(error);
    sn_sort(list->ids, list->count, sizeof *list->ids, before, NULL);
    for (size_t most = list->count; most > 9; most /= 10)
      digits++;
    for (size_t i = 0; i < list->count; i++)
      write_name(list->names + i * NAME_SIZE, letters[k], i + 1, digits);
  }
  return SEEN_OK;
}

static int rename_id(sn_id_kind kind, const char **id, void *user_data) {
  const sn_pseudonyms *names = user_data;
  const sn_id_list *list = &names->lists[kind];
  size_t low = 0;
  size_t high = list->count;

  while (low + 1 < high) {
    size_t middle = low + (high - low) / 2;

    if (strcmp(list->ids[middle], *id) <= 0)
      low = middle;
    else
      high = middle;
  }
  *id = list->names + low * NAME_SIZE;
  return SEEN_OK;
}

int sn_pseudonyms_rename(const sn_pseudonyms *names,
                         const seen_trace_line *line, seen_trace_line **out,
                         seen_error *error) {
  int status = copy_line(names, line, out, error);

  if (status == SEEN_OK)
    (void)sn_line_ids(*out, rename_id, (sn_pseudonyms *)names);
  return status;
}
