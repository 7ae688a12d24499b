#include "agree.h"

#include <cjson/cJSON.h>
#include <curl/curl.h>
#include <stdio.h>
#include <string.h>

typedef struct demo_answer {
  char text[4096];
  size_t length;
} demo_answer;

static size_t take(char *bytes, size_t size, size_t count, void *user_data) {
  demo_answer *answer = user_data;
  size_t length = size * count;

  if (answer->length + length >= sizeof answer->text) return 0;
  memcpy(answer->text + answer->length, bytes, length);
  answer->length += length;
  answer->text[answer->length] = '\0';
  return length;
}

static bool get(const demo_device *device, const char *path,
                demo_answer *answer) {
  char url[256], bearer[4200];
  struct curl_slist *headers;
  CURL *curl = curl_easy_init();
  CURLcode result;

  if (curl == NULL) return false;
  snprintf(url, sizeof url, "%s%s", device->all->server->url, path);
  snprintf(bearer, sizeof bearer, "Authorization: Bearer %s", device->token);
  headers = curl_slist_append(NULL, bearer);
  answer->length = 0;
  curl_easy_setopt(curl, CURLOPT_URL, url);
  curl_easy_setopt(curl, CURLOPT_HTTPHEADER, headers);
  curl_easy_setopt(curl, CURLOPT_WRITEFUNCTION, take);
  curl_easy_setopt(curl, CURLOPT_WRITEDATA, answer);
  curl_easy_setopt(curl, CURLOPT_TIMEOUT, 30L);
  curl_easy_setopt(curl, CURLOPT_NOSIGNAL, 1L);
  result = curl_easy_perform(curl);
  curl_slist_free_all(headers);
  curl_easy_cleanup(curl);
  return result == CURLE_OK;
}

static uint64_t number(const cJSON *object, const char *name) {
  const cJSON *member = cJSON_GetObjectItemCaseSensitive(object, name);

  return cJSON_IsNumber(member) ? (uint64_t)member->valuedouble : UINT64_MAX;
}

/* The server's own count of a user's badge; false: no answer. */
static bool ask(const demo_device *device, seen_totals *totals) {
  demo_answer answer;
  cJSON *json;

  if (!get(device, "/im/unread", &answer)) return false;
  json = cJSON_Parse(answer.text);
  totals->unread = number(json, "unread");
  totals->conversations = number(json, "conversations");
  totals->muted = number(json, "muted");
  totals->mentions = number(json, "mentions");
  cJSON_Delete(json);
  return totals->unread != UINT64_MAX;
}

static bool same(const seen_totals *one, const seen_totals *other) {
  return one->unread == other->unread &&
         one->conversations == other->conversations &&
         one->muted == other->muted && one->mentions == other->mentions;
}

typedef struct demo_three {
  demo_device *one;
  demo_device *other;
  seen_totals totals;
} demo_three;

static bool agree(void *user_data) {
  demo_three *three = user_data;
  seen_totals one, other;

  seen_client_totals(three->one->client, &one);
  seen_client_totals(three->other->client, &other);
  return same(&one, &other) && ask(three->one, &three->totals) &&
         same(&one, &three->totals);
}

bool agree_all(demo_device *one, demo_device *other, seen_totals *totals) {
  demo_three three = {one, other, {0, 0, 0, 0}};
  bool agreed = devices_wait(one->all, agree, &three);

  *totals = three.totals;
  return agreed;
}
