/* Comparing. The depth of what is compared is bounded by cJSON's own. */
#include "match.h"

#include <stdlib.h>
#include <string.h>

static bool object_holds(const cJSON *value, const cJSON *wanted) {
  const cJSON *each;

  if (!cJSON_IsObject(value)) return false;
  cJSON_ArrayForEach(each, wanted) {
    const cJSON *found = cJSON_GetObjectItemCaseSensitive(value, each->string);

    /* null stands for absent. */
    if (cJSON_IsNull(each) ? found != NULL && !cJSON_IsNull(found)
                           : !holds_at_least(found, each))
      return false;
  }
  return true;
}

static bool array_holds(const cJSON *value, const cJSON *wanted) {
  const cJSON *found, *each;

  if (!cJSON_IsArray(value) ||
      cJSON_GetArraySize(value) != cJSON_GetArraySize(wanted))
    return false;
  found = value->child;
  cJSON_ArrayForEach(each, wanted) {
    if (!holds_at_least(found, each)) return false;
    found = found->next;
  }
  return true;
}

bool holds_at_least(const cJSON *value, const cJSON *wanted) {
  if (value == NULL) return false;
  if (cJSON_IsObject(wanted)) return object_holds(value, wanted);
  if (cJSON_IsArray(wanted)) return array_holds(value, wanted);
  return cJSON_Compare(value, wanted, true) != 0;
}

const cJSON *member_at(const cJSON *value, const char *path) {
  char name[128];

  while (*path != '\0' && value != NULL) {
    size_t length = strcspn(path, ".");

    if (length >= sizeof name) return NULL;
    memcpy(name, path, length);
    name[length] = '\0';
    path += length + (path[length] == '.');
    value = cJSON_IsArray(value)
                ? cJSON_GetArrayItem(value, (int)strtol(name, NULL, 10))
                : cJSON_GetObjectItemCaseSensitive(value, name);
  }
  return value;
}
