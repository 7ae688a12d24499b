/*
 * Steps of vectors. The first step of a vector that fails ends it: what
 * follows rests on it. A file is read line by line, so that a failure can
 * name its line.
 */
#include "vectors.h"

#include "ask.h"
#include "match.h"
#include "token.h"

#include <stdlib.h>
#include <string.h>

enum { NONE_MS = 1500, MOST_PEERS = 32, WHY_BYTES = 2048 };

typedef struct player {
  const options *how;
  peers *all;
  names *names;
  table *results;
  const char *group;
  unsigned line;
  char title[200];
  bool is_open; /* a vector has begun */
  bool is_left_out;
  bool has_failed;
  char why[WHY_BYTES];
  peer *peers[MOST_PEERS];
  int count;
  int last_id;
} player;

static void fail(player *self, const char *what, const char *detail) {
  if (self->has_failed) return;
  self->has_failed = true;
  snprintf(self->why, sizeof self->why, "line %u: %s%.1900s", self->line, what,
           detail);
}

static const char *text_of(const cJSON *step, const char *name) {
  return cJSON_GetStringValue(cJSON_GetObjectItemCaseSensitive(step, name));
}

static bool flag_of(const cJSON *step, const char *name) {
  return cJSON_IsTrue(cJSON_GetObjectItemCaseSensitive(step, name)) != 0;
}

static peer *find(player *self, const char *name) {
  for (int i = 0; name != NULL && i < self->count; i++)
    if (strcmp(peer_name(self->peers[i]), name) == 0) return self->peers[i];
  fail(self, "there is no connection ", name != NULL ? name : "");
  return NULL;
}

static bool has_id(const cJSON *frame, const void *wanted) {
  const cJSON *id = cJSON_GetObjectItemCaseSensitive(frame, "id");

  return cJSON_IsNumber(id) && cJSON_Compare(id, wanted, true);
}

/*
 * Sends, and waits until an answer is there: what the next step says on
 * another connection would else overtake it.
 */
static void send_frame(player *self, peer *to, cJSON *frame) {
  char *text;

  if (cJSON_GetObjectItemCaseSensitive(frame, "id") == NULL)
    cJSON_AddNumberToObject(frame, "id", ++self->last_id);
  text = cJSON_PrintUnformatted(frame);
  if (text == NULL || !peer_send(to, text, strlen(text), 1))
    fail(self, "could not be sent: ", text != NULL ? text : "");
  else
    peer_has(to, has_id, cJSON_GetObjectItemCaseSensitive(frame, "id"),
             self->how->patience_ms / 3);
  free(text);
}

static void play_connect(player *self, const cJSON *step, const char *name) {
  const cJSON *more = cJSON_GetObjectItemCaseSensitive(step, "hello"), *each;
  const char *user = text_of(step, "user"), *device = text_of(step, "device");
  char token[TOKEN_BYTES];
  cJSON *hello;

  if (self->count == MOST_PEERS || user == NULL ||
      !token_for(self->how, user, flag_of(step, "admin"), 3600, token)) {
    fail(self, "no user, or no token for ", user != NULL ? user : "");
    return;
  }
  self->peers[self->count] = peer_open(self->all, name, token);
  hello = cJSON_CreateObject();
  cJSON_AddStringToObject(hello, "t", "hello");
  cJSON_AddStringToObject(hello, "device", device != NULL ? device : name);
  cJSON_ArrayForEach(each, more) {
    cJSON_DeleteItemFromObjectCaseSensitive(hello, each->string);
    cJSON_AddItemToObject(hello, each->string, cJSON_Duplicate(each, true));
  }
  send_frame(self, self->peers[self->count++], hello);
  cJSON_Delete(hello);
}

static bool fits(const cJSON *frame, const void *wanted) {
  return holds_at_least(frame, wanted);
}

static void save(player *self, const cJSON *step, const cJSON *from) {
  const cJSON *wanted = cJSON_GetObjectItemCaseSensitive(step, "save"), *each;

  cJSON_ArrayForEach(each, wanted) {
    const cJSON *found =
        cJSON_IsString(each) ? member_at(from, each->valuestring) : NULL;

    if (found == NULL)
      fail(self, "nothing to save as ", each->string);
    else
      names_save(self->names, each->string, found);
  }
}

static bool any_frame(const cJSON *frame, const void *wanted) {
  (void)frame, (void)wanted;
  return true;
}

/* What came in its place is the best hint: the last one that is left. */
static void fail_expectation(player *self, peer *from, const cJSON *wanted) {
  char *text = cJSON_PrintUnformatted(wanted), detail[WHY_BYTES];
  cJSON *came = NULL, *next;
  char *instead;

  while ((next = peer_take(from, any_frame, NULL, 0)) != NULL) {
    cJSON_Delete(came);
    came = next;
  }
  instead = came != NULL ? cJSON_PrintUnformatted(came) : NULL;
  snprintf(detail, sizeof detail, "%.600s\n       last came %.1200s",
           text != NULL ? text : "", instead != NULL ? instead : "nothing");
  fail(self, "did not come: ", detail);
  free(text);
  free(instead);
  cJSON_Delete(came);
}

static void play_expect(player *self, const cJSON *step, peer *from) {
  const cJSON *wanted = cJSON_GetObjectItemCaseSensitive(step, "frame");
  cJSON *found = peer_take(from, fits, wanted, self->how->patience_ms);

  if (found == NULL)
    fail_expectation(self, from, wanted);
  else
    save(self, step, found);
  cJSON_Delete(found);
}

static void play_none(player *self, const cJSON *step, peer *from) {
  const cJSON *wanted = cJSON_GetObjectItemCaseSensitive(step, "frame");
  cJSON *found;
  char *text;

  peers_wait(self->all, NONE_MS);
  found = peer_take(from, fits, wanted, 0);
  if (found == NULL) return;
  text = cJSON_PrintUnformatted(found);
  fail(self, "came: ", text != NULL ? text : "");
  free(text);
  cJSON_Delete(found);
}

static void play_close(player *self, peer *which) {
  int at = 0;

  while (self->peers[at] != which)
    at++;
  self->peers[at] = self->peers[--self->count];
  peer_close(which);
}

/* A query's `@v` is replaced too, where it stands for itself in the path. */
static char *path_of(const player *self, const char *what) {
  const cJSON *each;
  char *made = malloc(2048), *at;

  if (made == NULL) return NULL;
  snprintf(made, 2048, "%s", what);
  cJSON_ArrayForEach(each, self->names->saved) {
    char mark[80], value[600], rest[2048];

    snprintf(mark, sizeof mark, "@%.70s", each->string);
    at = strstr(made, mark);
    if (at == NULL) continue;
    if (cJSON_IsString(each))
      snprintf(value, sizeof value, "%s", each->valuestring);
    else
      snprintf(value, sizeof value, "%.0f", each->valuedouble);
    snprintf(rest, sizeof rest, "%s", at + strlen(mark));
    snprintf(at, 2048 - (size_t)(at - made), "%s%s", value, rest);
  }
  return made;
}

static void compare_answer(player *self, const cJSON *step,
                           const answer *answered) {
  const cJSON *status = cJSON_GetObjectItemCaseSensitive(step, "status");
  const cJSON *wanted = cJSON_GetObjectItemCaseSensitive(step, "answer");
  cJSON *body = cJSON_ParseWithLength(answered->body, answered->length);
  char detail[WHY_BYTES];

  snprintf(detail, sizeof detail, "%ld %.1200s", answered->status,
           answered->body != NULL ? answered->body : "");
  if (cJSON_IsNumber(status) && (long)status->valuedouble != answered->status)
    fail(self, "another status: ", detail);
  else if (wanted != NULL && !holds_at_least(body, wanted))
    fail(self, "another answer: ", detail);
  else
    save(self, step, body);
  cJSON_Delete(body);
}

static void play_http(player *self, const cJSON *step, const char *what) {
  const cJSON *body = cJSON_GetObjectItemCaseSensitive(step, "body");
  const char *user = text_of(step, "user");
  char token[TOKEN_BYTES], *text = NULL, *path = path_of(self, what);
  answer answered;

  if (user != NULL &&
      !token_for(self->how, user, flag_of(step, "admin"), 3600, token))
    fail(self, "no token for ", user);
  if (body != NULL) text = cJSON_PrintUnformatted(body);
  answered = ask(self->how, path != NULL ? path : what,
                 user != NULL ? token : NULL, text);
  compare_answer(self, step, &answered);
  answer_free(&answered);
  free(text);
  free(path);
}

static void play_step(player *self, const cJSON *step) {
  const char *verb = step->child != NULL ? step->child->string : "";
  const char *what = text_of(step, verb);
  cJSON *frame = cJSON_GetObjectItemCaseSensitive(step, "frame");
  peer *whose;

  if (strcmp(verb, "connect") == 0) {
    play_connect(self, step, what != NULL ? what : "");
  } else if (strcmp(verb, "http") == 0) {
    play_http(self, step, what != NULL ? what : "");
  } else if (strcmp(verb, "wait") == 0) {
    peers_wait(self->all, (int)step->child->valuedouble);
  } else if ((whose = find(self, what)) == NULL) {
    return;
  } else if (strcmp(verb, "send") == 0) {
    send_frame(self, whose, frame);
  } else if (strcmp(verb, "expect") == 0) {
    play_expect(self, step, whose);
  } else if (strcmp(verb, "none") == 0) {
    play_none(self, step, whose);
  } else if (strcmp(verb, "drop") == 0) {
    peer_drop(whose);
  } else if (strcmp(verb, "close") == 0) {
    play_close(self, whose);
  } else {
    fail(self, "no such step: ", verb);
  }
}

static void end_vector(player *self) {
  while (self->count > 0)
    play_close(self, self->peers[0]);
  if (self->is_open && !self->is_left_out)
    table_row(self->results, self->group, self->title,
              self->has_failed ? self->why : NULL);
  self->is_open = false;
}

static void begin_vector(player *self, const char *title) {
  end_vector(self);
  snprintf(self->title, sizeof self->title, "%s", title);
  self->is_open = true;
  self->has_failed = false;
  self->is_left_out =
      self->how->only != NULL && strstr(title, self->how->only) == NULL;
  names_next(self->names);
}

static bool play_line(player *self, const char *line) {
  cJSON *step = cJSON_Parse(line), *resolved;
  const char *title;

  if (!cJSON_IsObject(step)) {
    cJSON_Delete(step);
    return false;
  }
  title = text_of(step, "vector");
  if (title != NULL) {
    begin_vector(self, title);
  } else if (!self->is_open) {
    cJSON_Delete(step);
    return false;
  } else if (!self->has_failed && !self->is_left_out) {
    resolved = names_resolve(self->names, step);
    play_step(self, resolved);
    cJSON_Delete(resolved);
  }
  cJSON_Delete(step);
  return true;
}

bool vectors_play(const options *how, peers *all, names *fresh, table *results,
                  const char *path, char *why) {
  static char line[1 << 17];
  const char *slash = strrchr(path, '/');
  char group[64];
  player self = {.how = how, .all = all, .names = fresh, .results = results};
  FILE *file = fopen(path, "r");
  bool good = file != NULL;

  snprintf(group, sizeof group, "%s", slash != NULL ? slash + 1 : path);
  group[strcspn(group, ".")] = '\0';
  self.group = group;
  while (good && fgets(line, sizeof line, file) != NULL) {
    self.line++;
    if (line[strspn(line, " \t\r\n")] == '\0' || *line == '#') continue;
    good = play_line(&self, line);
  }
  end_vector(&self);
  if (file != NULL) fclose(file);
  if (!good) snprintf(why, 256, "%.150s:%u is no step", path, self.line);
  return good;
}
