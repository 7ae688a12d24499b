/* Requests of HTTP. */
#include "ask.h"

#include <curl/curl.h>
#include <stdlib.h>
#include <string.h>

static size_t take(char *part, size_t size, size_t count, void *user) {
  answer *self = user;
  char *more = realloc(self->body, self->length + size * count + 1);

  if (more == NULL) return 0;
  self->body = more;
  memcpy(self->body + self->length, part, size * count);
  self->length += size * count;
  self->body[self->length] = '\0';
  return size * count;
}

static struct curl_slist *headers(const char *token) {
  struct curl_slist *list =
      curl_slist_append(NULL, "Content-Type: application/json");
  char line[4200];

  if (token == NULL) return list;
  snprintf(line, sizeof line, "Authorization: Bearer %s", token);
  return curl_slist_append(list, line);
}

static void set_up(CURL *curl, const options *how, const char *what,
                   const char *body) {
  bool is_post = strncmp(what, "POST ", 5) == 0;
  char url[2048];

  snprintf(url, sizeof url, "%s://%s:%d%s", how->tls ? "https" : "http",
           how->host, how->port, strchr(what, ' ') + 1);
  curl_easy_setopt(curl, CURLOPT_URL, url);
  curl_easy_setopt(curl, CURLOPT_TIMEOUT, 30L);
  curl_easy_setopt(curl, CURLOPT_PROXY, "");
  if (how->insecure) {
    curl_easy_setopt(curl, CURLOPT_SSL_VERIFYPEER, 0L);
    curl_easy_setopt(curl, CURLOPT_SSL_VERIFYHOST, 0L);
  }
  if (!is_post) return;
  curl_easy_setopt(curl, CURLOPT_POST, 1L);
  curl_easy_setopt(curl, CURLOPT_POSTFIELDS, body != NULL ? body : "");
}

answer ask(const options *how, const char *what, const char *token,
           const char *body) {
  answer self = {0, NULL, 0};
  struct curl_slist *list = headers(token);
  CURL *curl = curl_easy_init();

  if (curl != NULL && strchr(what, ' ') != NULL) {
    set_up(curl, how, what, body);
    curl_easy_setopt(curl, CURLOPT_HTTPHEADER, list);
    curl_easy_setopt(curl, CURLOPT_WRITEFUNCTION, take);
    curl_easy_setopt(curl, CURLOPT_WRITEDATA, &self);
    if (curl_easy_perform(curl) == CURLE_OK)
      curl_easy_getinfo(curl, CURLINFO_RESPONSE_CODE, &self.status);
  }
  curl_easy_cleanup(curl);
  curl_slist_free_all(list);
  return self;
}

void answer_free(answer *self) {
  free(self->body);
  self->body = NULL;
}
