/*
 * What sockets and requests both ask of the front: whether one may come in,
 * and with whose token.
 */
#include "front_parts.h"

#include "clock.h"

#include <string.h>
#include <strings.h>

front *front_of(struct lws *wsi) {
  return lws_context_user(lws_get_context(wsi));
}

void front_takes(front *self) {
  if (self->turn_began == 0) self->turn_began = clock_precise();
}

bool front_random_name(front *self, char name[33]) {
  unsigned char bytes[16];

  if (lws_get_random(self->context, bytes, sizeof bytes) != sizeof bytes)
    return false;
  for (size_t i = 0; i < sizeof bytes; i++)
    snprintf(name + 2 * i, 3, "%02x", bytes[i]);
  return true;
}

bool front_is_listed(const char *list, const char *name) {
  size_t length;

  for (; *list != '\0'; list += length) {
    list += strspn(list, ", \t");
    length = strcspn(list, ", \t");
    if (length == strlen(name) && memcmp(list, name, length) == 0) return true;
  }
  return false;
}

bool front_origin_allowed(const front *self, struct lws *wsi) {
  const char *list = self->config->origins;
  char origin[256];

  if (lws_hdr_total_length(wsi, WSI_TOKEN_ORIGIN) == 0 ||
      strcmp(list, "*") == 0)
    return true;
  return lws_hdr_copy(wsi, origin, sizeof origin, WSI_TOKEN_ORIGIN) > 0 &&
         front_is_listed(list, origin);
}

bool front_bearer(struct lws *wsi, char *token, size_t size) {
  static const char scheme[] = "Bearer ";
  char header[FRONT_TOKEN_BYTES];

  if (lws_hdr_total_length(wsi, WSI_TOKEN_HTTP_AUTHORIZATION) == 0)
    return false;
  /* One that is too long is a token, and wrong. */
  *token = '\0';
  if (lws_hdr_copy(wsi, header, sizeof header, WSI_TOKEN_HTTP_AUTHORIZATION) >
          0 &&
      strncasecmp(header, scheme, strlen(scheme)) == 0)
    snprintf(token, size, "%s",
             header + strlen(scheme) + strspn(header + strlen(scheme), " "));
  return true;
}

bool front_may_connect(front *self) {
  if (self->open < self->config->connections && !self->is_closing) return true;
  self->counts.refused++;
  return false;
}

void front_connected(front *self) {
  self->open++;
  self->counts.accepted++;
}

void front_disconnected(front *self) {
  if (self->open > 0) self->open--;
}
