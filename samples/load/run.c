/* What loads and the stage ask of a run. */
#include "run.h"

#include "clock.h"
#include "stage.h"

#include <stdarg.h>
#include <string.h>

enum { TOKEN_S = 86400 };

void run_fail(run *self, const char *format, ...) {
  va_list arguments;

  if (self->phase == FAILED) return;
  va_start(arguments, format);
  vsnprintf(self->why, sizeof self->why, format, arguments);
  va_end(arguments);
  self->phase = FAILED;
}

uint64_t frame_number(const cJSON *frame, const char *name) {
  const cJSON *found = cJSON_GetObjectItemCaseSensitive(frame, name);

  return cJSON_IsNumber(found) && found->valuedouble > 0
             ? (uint64_t)found->valuedouble
             : 0;
}

const char *frame_text(const cJSON *frame, const char *name) {
  const char *found =
      cJSON_GetStringValue(cJSON_GetObjectItemCaseSensitive(frame, name));

  return found != NULL ? found : "";
}

void run_actor_name(const run *self, size_t actor, char name[64]) {
  if (actor == STAGE_HOST)
    snprintf(name, 64, "%s-host", self->name);
  else if (actor < self->how->users)
    snprintf(name, 64, "%s-u%zu", self->name, actor);
  else
    snprintf(name, 64, "%s-s%zu", self->name, actor - self->how->users);
}

char *run_token(run *self, size_t actor) {
  bool subscribes = actor != STAGE_HOST && actor >= self->how->users;
  char name[64], *token;

  run_actor_name(self, actor, name);
  token = token_make(self->key, name,
                     subscribes || (self->load->admins && actor != STAGE_HOST),
                     TOKEN_S, clock_now());
  if (token == NULL) run_fail(self, "this key can't sign");
  return token;
}

void run_say(run *self, size_t actor, const char *text, size_t length) {
  wire_say(self->actors[actor], text, length);
}

size_t run_group_of(const run *self, size_t user, size_t n) {
  const options *how = self->how;

  return user / how->members * how->conversations + n % how->conversations;
}

void run_answered(run *self, size_t user) {
  self->in_air--;
  self->slots[(self->slot_first + self->slot_count++) % self->slot_most] =
      (uint32_t)user;
}
