#include "admin.h"

#include "json.h"
#include "text.h"

#include <curl/curl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { ANSWER_DEPTH = 16, HELLO_ID = 1, ACT_ID = 2, WAIT_S = 30 };
enum { ANSWER_MAX_BYTES = 16 * 1024 * 1024 };

static size_t take(char *bytes, size_t size, size_t count, void *into) {
  text *answer = into;
  if (answer->length + size * count > ANSWER_MAX_BYTES) return 0;
  text_add_bytes(answer, bytes, size * count);
  return size * count;
}

static void add_op(const admin_act *act, uint64_t now, text *into) {
  char fresh[64];
  snprintf(fresh, sizeof fresh, "admin-%llu-%ld", (unsigned long long)now,
           (long)getpid());
  text_member_quoted(into, "op", act->op ? act->op : fresh);
}

static text frames_of(const admin_act *act, uint64_t now) {
  text frames = {NULL, 0, 0};
  text_add(&frames, "[{\"t\":\"hello\",\"id\":1,\"device\":\"admin\"},"
                    "{\"t\":\"admin\",\"id\":2");
  add_op(act, now, &frames);
  text_member_quoted(&frames, "act", act->name);
  if (act->conv) {
    text_member_quoted(&frames, "conv", act->conv);
    text_member_number(&frames, "seq", act->seq);
  }
  if (act->user) text_member_quoted(&frames, "user", act->user);
  text_add(&frames, "}]");
  return frames;
}

static text line_of(const char *first, const char *second) {
  text line = {NULL, 0, 0};
  text_add(&line, first);
  text_add(&line, second);
  return line;
}

/* The HTTP status; 0: there was no answer, `why` says why. */
static long post(const admin_act *act, const text *frames, text *answer,
                 char *why, size_t why_bytes) {
  CURL *curl = curl_easy_init();
  text url = line_of(act->url, "/im/frames");
  text bearer = line_of("Authorization: Bearer ", act->token);
  struct curl_slist *list = curl_slist_append(NULL, bearer.bytes);
  long status = 0;
  list = curl_slist_append(list, "Content-Type: application/json");
  curl_easy_setopt(curl, CURLOPT_URL, url.bytes);
  curl_easy_setopt(curl, CURLOPT_HTTPHEADER, list);
  curl_easy_setopt(curl, CURLOPT_POSTFIELDS, frames->bytes);
  curl_easy_setopt(curl, CURLOPT_TIMEOUT, (long)WAIT_S);
  curl_easy_setopt(curl, CURLOPT_WRITEFUNCTION, take);
  curl_easy_setopt(curl, CURLOPT_WRITEDATA, answer);
  CURLcode code = curl_easy_perform(curl);
  if (code == CURLE_OK)
    curl_easy_getinfo(curl, CURLINFO_RESPONSE_CODE, &status);
  else
    snprintf(why, why_bytes, "%s", curl_easy_strerror(code));
  curl_easy_cleanup(curl);
  curl_slist_free_all(list);
  text_free(&url);
  text_free(&bearer);
  return status;
}

/* The frame that answers one of ours; NULL: none does. */
static const json *answer_to(const json *frames, uint64_t wanted) {
  uint64_t id;
  if (!json_is_array(frames)) return NULL;
  for (const json *at = json_first(frames); at; at = json_after(at))
    if (json_is_number(json_member(at, "id"), &id) && id == wanted) return at;
  return NULL;
}

static int judge(const text *answer, char *why, size_t why_bytes) {
  const char *wrong, *type, *code;
  json *frames =
      json_parse(answer->bytes, answer->length, ANSWER_DEPTH, &wrong);
  const json *act = answer_to(frames, ACT_ID);
  int result = 2;
  if (!act) act = answer_to(frames, HELLO_ID);
  type = act ? json_is_text(json_member(act, "t")) : NULL;
  code = act ? json_is_text(json_member(act, "code")) : NULL;
  snprintf(why, why_bytes, "%s", code ? code : "no answer of this protocol");
  if (code) result = 1;
  if (type && !strcmp(type, "ack")) result = 0;
  json_free(frames);
  return result;
}

int admin_run(const admin_act *act, uint64_t now, char *why, size_t why_bytes) {
  text frames = frames_of(act, now), answer = {NULL, 0, 0};
  long status = post(act, &frames, &answer, why, why_bytes);
  int result = 2;
  if (status == 200 && answer.length)
    result = judge(&answer, why, why_bytes);
  else if (status)
    snprintf(why, why_bytes, "HTTP %ld", status);
  text_free(&frames);
  text_free(&answer);
  return result;
}
