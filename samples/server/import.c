#include "import.h"

#include "conversations.h"
#include "memory.h"
#include "mentions.h"
#include "messages.h"

#include <stdlib.h>
#include <string.h>

enum { LINE_BYTES = 65536, LINE_DEPTH = 3 };

typedef struct log_line {
  uint64_t t;
  const char *from; /* NULL: a notice */
  const char *event;
  uint64_t chars;
  const json *mentions; /* NULL: none */
} log_line;

typedef struct importing {
  server *server;
  conversation *conv;
  map known; /* those who speak, by name */
  char **speakers;
  size_t count, capacity;
  uint64_t last_t;
  uint64_t started_at; /* when t was 0 */
  uint64_t line;       /* that is read; 0: none */
  uint64_t lines;
  const char *wrong; /* with the line that was read last */
  text body;         /* as long as the longest so far */
} importing;

typedef bool (*take_line)(importing *self, const log_line *line);

static bool are_names(const json *list) {
  if (!json_is_array(list) || json_count(list) > NAMED_USERS) return false;
  for (const json *at = json_first(list); at; at = json_after(at))
    if (!json_is_name(at)) return false;
  return true;
}

/* What is wrong; NULL: nothing. */
static const char *read_line(const json *from, log_line *into) {
  const char *kind = json_is_text(json_member(from, "kind"));
  *into = (log_line){.mentions = json_member(from, "mentions"),
                     .event = json_is_text(json_member(from, "event"))};
  if (!json_is_number(json_member(from, "t"), &into->t)) return "t: ms";
  if (kind && !strcmp(kind, "system"))
    return into->event ? NULL : "event: a text";
  if (!kind || strcmp(kind, "text") != 0) return "kind: text or system";
  into->from = json_is_name(json_member(from, "from"));
  if (!into->from) return "from: a name";
  if (!json_is_number(json_member(from, "chars"), &into->chars))
    return "chars: a number";
  if (into->mentions && !are_names(into->mentions))
    return "mentions: at most 64 names";
  return NULL;
}

static bool parse_line(importing *self, const char *bytes, take_line take) {
  json *whole = json_parse(bytes, strlen(bytes), LINE_DEPTH, &self->wrong);
  log_line line;
  if (!whole) return false;
  self->wrong = read_line(whole, &line);
  if (!self->wrong && line.t < self->last_t) self->wrong = "t: it falls";
  bool taken = !self->wrong && take(self, &line);
  self->last_t = self->wrong ? self->last_t : line.t;
  json_free(whole);
  return taken;
}

/* Line by line from the start. */
static bool each_line(importing *self, FILE *log, take_line take) {
  static char bytes[LINE_BYTES];
  self->line = self->last_t = 0;
  rewind(log);
  while (fgets(bytes, sizeof bytes, log)) {
    self->line++;
    self->wrong = "a line is too long";
    if (strlen(bytes) == sizeof bytes - 1 && bytes[sizeof bytes - 2] != '\n')
      return false;
    if (!parse_line(self, bytes, take)) return false;
  }
  self->lines = self->line;
  self->line = 0;
  self->wrong = ferror(log) ? "it can't be read" : NULL;
  return !self->wrong;
}

static bool learn_speaker(importing *self, const log_line *line) {
  if (!line->from || map_get(&self->known, line->from)) return true;
  self->speakers = MUST_GROW(self->speakers, self->count, self->capacity);
  char *name = must_copy_text(line->from);
  self->speakers[self->count++] = name;
  map_put(&self->known, name, name);
  return true;
}

static bool append(importing *self, const log_line *line) {
  text said = {NULL, 0, 0};
  stored_message message = {
      .from = line->from ? line->from : self->speakers[0],
      .kind = line->from ? SEEN_MESSAGE_TEXT : SEEN_MESSAGE_SYSTEM,
      .state = line->from ? 0 : MESSAGE_UNCOUNTABLE,
      .body = line->event,
  };
  for (const json *at =
           line->from && line->mentions ? json_first(line->mentions) : NULL;
       at; at = json_after(at)) {
    text_add(&said, said.length ? "\n@" : "@");
    text_add(&said, json_is_name(at));
  }
  if (said.length) message.mentions = said.bytes;
  if (line->from) {
    uint64_t length = least(line->chars, self->server->limits.body_bytes);
    while (self->body.length < length)
      text_add(&self->body, "x");
    /* The words are not in a log: only how long they were. */
    message.body =
        length ? self->body.bytes + (self->body.length - length) : "";
  }
  self->server->now = self->started_at + line->t;
  messages_append(self->server, self->conv, &message);
  text_free(&said);
  self->wrong = self->server->failed ? "the storage failed" : NULL;
  return !self->wrong;
}

static void send(importing *self, connection *from, const text *frame) {
  server_frame(self->server, from, frame->bytes, frame->length,
               self->started_at);
}

/* By a frame of the first who speaks, like anybody's. */
static bool create(importing *self, const char *name) {
  text frame = {NULL, 0, 0}, hello = frame;
  identity first = {.admin = false};
  strcpy(first.user, self->speakers[0]);
  connection *from =
      server_connect(self->server, &first, NULL, self->started_at);
  text_add(&hello, "{\"t\":\"hello\",\"id\":1,\"device\":\"import\"}");
  send(self, from, &hello);
  text_add(&frame, "{\"t\":\"create\",\"id\":2,\"op\":\"import-");
  text_add_number(&frame, server_version(self->server));
  text_add(&frame, "\"");
  text_member_quoted(&frame, "conv", name);
  text_member_quoted(&frame, "kind",
                     self->count > self->server->limits.roster_limit ? "large"
                                                                     : "group");
  text_member(&frame, "users");
  text_add(&frame, "[");
  for (size_t i = 1; i < self->count; i++) {
    text_comma(&frame);
    text_add_quoted(&frame, self->speakers[i]);
  }
  text_add(&frame, "]}");
  send(self, from, &frame);
  server_disconnect(self->server, from, self->started_at);
  text_free(&frame);
  text_free(&hello);
  self->conv = conversations_find(self->server, name);
  self->wrong =
      "the conversation was not made: its name is 1 to 64 bytes of UTF-8 "
      "without control characters";
  return self->conv && self->conv->present == self->count;
}

static bool is_free(importing *self, const char *name) {
  bool found = conversations_find(self->server, name) != NULL;
  self->wrong = found ? "the conversation exists" : "the storage failed";
  return !found && !self->server->failed;
}

static bool fill(importing *self, FILE *log, const char *name, uint64_t now) {
  if (!each_line(self, log, learn_speaker)) return false;
  self->wrong = "nobody speaks in it";
  if (self->count == 0) return false;
  self->started_at = now > self->last_t ? now - self->last_t : 0;
  self->server->now = self->started_at;
  if (!is_free(self, name) || !create(self, name) ||
      !each_line(self, log, append))
    return false;
  self->wrong = "the storage failed";
  return server_commit(self->server, self->server->now);
}

/* One frame names all members, whatever clients may send. */
static limits of_import(void) {
  limits within;
  limits_init(&within);
  within.added = within.large_limit;
  within.frame_bytes = UINT32_MAX;
  return within;
}

static void end(importing *self) {
  server_close(self->server); /* what was not committed is undone */
  map_free(&self->known);
  for (size_t i = 0; i < self->count; i++)
    free(self->speakers[i]);
  free(self->speakers);
  text_free(&self->body);
}

bool import_log(FILE *log, const char *conv, const storage *over, uint64_t now,
                import_report *report, char *why, size_t why_bytes) {
  const uint8_t key[32] = {0};
  importing self = {.wrong = "the storage can't be read"};
  limits within = of_import();
  int status;
  self.server = server_open(over, &within, NULL, key, 1, &status);
  bool filled = self.server && fill(&self, log, conv, now);
  *report = (import_report){filled ? self.lines : 0, filled ? self.count : 0};
  if (!filled && self.line)
    snprintf(why, why_bytes, "line %llu: %s", (unsigned long long)self.line,
             self.wrong);
  else if (!filled)
    snprintf(why, why_bytes, "%s", self.wrong);
  end(&self);
  return filled;
}
