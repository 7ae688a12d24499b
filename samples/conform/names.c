/* Names. */
#include "names.h"

#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

bool names_open(names *self) {
  FILE *random = fopen("/dev/urandom", "rb");
  bool read;

  memset(self, 0, sizeof *self);
  read = random != NULL && fread(&self->run, 4, 1, random) == 1;
  if (random != NULL) fclose(random);
  return read;
}

void names_close(names *self) {
  cJSON_Delete(self->saved);
  self->saved = NULL;
}

void names_next(names *self) {
  names_close(self);
  self->vector++;
  self->saved = cJSON_CreateObject();
}

void names_save(names *self, const char *name, const cJSON *value) {
  cJSON_DeleteItemFromObjectCaseSensitive(self->saved, name);
  cJSON_AddItemToObject(self->saved, name, cJSON_Duplicate(value, true));
}

char *names_text(const names *self, const char *text) {
  size_t room = strlen(text) * 32 + 1, length = 0;
  char *made = malloc(room);

  if (made == NULL) return NULL;
  while (*text != '\0') {
    size_t name = 0;

    if (*text == '$')
      while (islower((unsigned char)text[1 + name]) ||
             isdigit((unsigned char)text[1 + name]))
        name++;
    if (name == 0) {
      made[length++] = *text++;
      continue;
    }
    /* `$a` grows to at most 28 bytes and the name. */
    length += (size_t)snprintf(made + length, room - length, "%.*s-%llx-%u",
                               (int)name, text + 1, self->run, self->vector);
    text += 1 + name;
  }
  made[length] = '\0';
  return made;
}

static cJSON *resolve_string(const names *self, const char *text) {
  const cJSON *saved =
      *text == '@' ? cJSON_GetObjectItemCaseSensitive(self->saved, text + 1)
                   : NULL;
  char *made;
  cJSON *string;

  if (saved != NULL) return cJSON_Duplicate(saved, true);
  made = names_text(self, text);
  string = made != NULL ? cJSON_CreateString(made) : NULL;
  free(made);
  return string;
}

cJSON *names_resolve(const names *self, const cJSON *step) {
  const cJSON *each;
  cJSON *copy;

  if (cJSON_IsString(step)) return resolve_string(self, step->valuestring);
  if (!cJSON_IsArray(step) && !cJSON_IsObject(step))
    return cJSON_Duplicate(step, true);
  copy = cJSON_IsArray(step) ? cJSON_CreateArray() : cJSON_CreateObject();
  cJSON_ArrayForEach(each, step) {
    cJSON *made = names_resolve(self, each);

    if (cJSON_IsArray(step))
      cJSON_AddItemToArray(copy, made);
    else
      cJSON_AddItemToObject(copy, each->string, made);
  }
  return copy;
}
