#include "log.h"

#include "lines.h"
#include "memory.h"

#include <cjson/cJSON.h>

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Where an id is, or where it would have to be. */
static size_t place_of(const chat_log *log, const char *id) {
  size_t low = 0;
  size_t high = log->user_count;

  while (low < high) {
    size_t middle = low + (high - low) / 2;

    if (strcmp(log->users[middle]->id, id) < 0)
      low = middle + 1;
    else
      high = middle;
  }
  return low;
}

const log_user *chat_log_find(const chat_log *log, const char *id) {
  size_t at = place_of(log, id);
  bool found = at < log->user_count && strcmp(log->users[at]->id, id) == 0;

  return found ? log->users[at] : NULL;
}

static log_user *intern(chat_log *log, const char *id) {
  size_t at = place_of(log, id);
  log_user *user;

  if (chat_log_find(log, id) != NULL) return log->users[at];
  user = must_allocate(1, sizeof *user);
  user->id = must_copy(id, strlen(id));
  log->users = MUST_GROW(log->users, log->user_count, log->user_capacity);
  memmove(log->users + at + 1, log->users + at,
          (log->user_count++ - at) * sizeof(log_user *));
  log->users[at] = user;
  return user;
}

static const char *text_of(const cJSON *object, const char *name) {
  return cJSON_GetStringValue(cJSON_GetObjectItemCaseSensitive(object, name));
}

/* Reads the mentions of a line: NULL, or what is wrong. */
static const char *read_mentions(chat_log *log, const cJSON *list,
                                 log_line *line) {
  const cJSON *item;

  if (list == NULL) return NULL;
  if (!cJSON_IsArray(list)) return "'mentions' is not a list";
  line->mentions =
      must_allocate((size_t)cJSON_GetArraySize(list), sizeof *line->mentions);
  cJSON_ArrayForEach(item, list) {
    const char *id = cJSON_GetStringValue(item);

    if (id == NULL || *id == '\0') return "a mention is not an id";
    line->mentions[line->mention_count++] = intern(log, id)->id;
  }
  return NULL;
}

static const char *read_object(chat_log *log, const cJSON *object,
                               log_line *line) {
  const cJSON *at = cJSON_GetObjectItemCaseSensitive(object, "t");
  const char *kind = text_of(object, "kind");
  const char *from = text_of(object, "from");
  log_user *user;

  if (!cJSON_IsNumber(at) || at->valuedouble < 0 || at->valuedouble > 9e15)
    return "'t' is not a time";
  line->at = (uint64_t)at->valuedouble;
  if (log->count > 1 && line->at < line[-1].at) return "'t' falls";
  if (kind == NULL) return "no 'kind'";
  if (strcmp(kind, "system") == 0) return NULL;
  if (strcmp(kind, "text") != 0) return "'kind' is neither text nor system";
  if (from == NULL || *from == '\0') return "no 'from'";
  user = intern(log, from);
  user->speaks = true;
  line->from = user->id;
  return read_mentions(
      log, cJSON_GetObjectItemCaseSensitive(object, "mentions"), line);
}

static const char *read_line(chat_log *log, const char *text, size_t size) {
  cJSON *object = cJSON_ParseWithLength(text, size);
  const char *wrong = "no JSON object";
  log_line *line;

  log->lines = MUST_GROW(log->lines, log->count, log->capacity);
  line = &log->lines[log->count++];
  memset(line, 0, sizeof *line);
  if (cJSON_IsObject(object)) wrong = read_object(log, object, line);
  cJSON_Delete(object);
  return wrong;
}

bool chat_log_read(chat_log *log, const char *path, char *wrong, size_t size) {
  const char *what = NULL;
  text_file file;
  const char *text;
  size_t length;

  memset(log, 0, sizeof *log);
  if (!text_file_read(&file, path)) {
    snprintf(wrong, size, "%s: %s", path, strerror(errno));
    return false;
  }
  while (what == NULL && text_file_next(&file, &text, &length))
    what = read_line(log, text, length);
  text_file_free(&file);
  if (what != NULL)
    snprintf(wrong, size, "%s:%zu: error: %s", path, log->count, what);
  else if (log->count == 0)
    snprintf(wrong, size, "%s: error: an empty log", path);
  else
    return true;
  chat_log_free(log);
  return false;
}

void chat_log_free(chat_log *log) {
  size_t i;

  for (i = 0; i < log->count; i++)
    free(log->lines[i].mentions);
  for (i = 0; i < log->user_count; i++) {
    free(log->users[i]->id);
    free(log->users[i]);
  }
  free(log->lines);
  free(log->users);
  memset(log, 0, sizeof *log);
}

bool log_line_mentions(const log_line *line, const char *user) {
  size_t i;

  for (i = 0; i < line->mention_count; i++)
    if (strcmp(line->mentions[i], user) == 0) return true;
  return false;
}
