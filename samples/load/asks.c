/* libcurl's multi interface by epoll: it is told which sockets can be used. */
#include "asks.h"

#include "memory.h"

#include <curl/curl.h>
#include <libwebsockets.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <unistd.h>

enum { EVENTS = 64, NOW_MS = 2000, URL_BYTES = 512 };

typedef struct asker {
  CURL *easy;
  struct curl_slist *headers;
  char *text;
  size_t length;
  char error[CURL_ERROR_SIZE];
} asker;

struct asks {
  const options *how;
  net *in;
  CURLM *multi;
  int epoll;
  lws_sorted_usec_list_t alarm;
  bool is_closing;
  asks_answered answered;
  void *of;
  size_t count;
  asker askers[];
};

static void url_of(const options *how, const char *path, char *url) {
  snprintf(url, URL_BYTES, "%s://%s:%u%s", how->tls ? "https" : "http",
           how->host, (unsigned)how->port, path);
}

static size_t gather(char *part, size_t size, size_t count, void *of) {
  asker *self = of;

  self->text = must_resize(self->text, self->length + size * count + 1, 1);
  memcpy(self->text + self->length, part, size * count);
  self->length += size * count;
  self->text[self->length] = '\0';
  return size * count;
}

static CURL *easy_open(const options *how, asker *self, long give_up_ms) {
  CURL *made = curl_easy_init();

  if (made == NULL) return NULL;
  curl_easy_setopt(made, CURLOPT_WRITEFUNCTION, gather);
  curl_easy_setopt(made, CURLOPT_WRITEDATA, self);
  curl_easy_setopt(made, CURLOPT_ERRORBUFFER, self->error);
  curl_easy_setopt(made, CURLOPT_NOSIGNAL, 1L);
  curl_easy_setopt(made, CURLOPT_NOPROXY, "*");
  curl_easy_setopt(made, CURLOPT_TIMEOUT_MS, give_up_ms);
  curl_easy_setopt(made, CURLOPT_SSL_VERIFYPEER, how->insecure ? 0L : 1L);
  curl_easy_setopt(made, CURLOPT_SSL_VERIFYHOST, how->insecure ? 0L : 2L);
  return made;
}

/* Whoever asked is told, and may ask again at once. */
static void tell_answered(asks *self) {
  CURLMsg *message;
  int left;

  while ((message = curl_multi_info_read(self->multi, &left)) != NULL) {
    CURLcode result = message->data.result;
    char *place = NULL;
    asker *from;
    long status = 0;

    if (message->msg != CURLMSG_DONE) continue;
    curl_easy_getinfo(message->easy_handle, CURLINFO_PRIVATE, &place);
    from = (asker *)(void *)place;
    if (result == CURLE_OK)
      curl_easy_getinfo(from->easy, CURLINFO_RESPONSE_CODE, &status);
    curl_multi_remove_handle(self->multi, from->easy);
    if (status == 0)
      self->answered(
          self->of, (size_t)(from - self->askers), 0,
          *from->error != '\0' ? from->error : curl_easy_strerror(result), 0);
    else
      self->answered(self->of, (size_t)(from - self->askers), status,
                     from->length > 0 ? from->text : "", from->length);
  }
}

static void act(asks *self, curl_socket_t on, int events) {
  int running;

  curl_multi_socket_action(self->multi, on, events, &running);
}

static int curl_events(uint32_t events) {
  int wanted = 0;

  if ((events & EPOLLOUT) != 0) wanted |= CURL_CSELECT_OUT;
  if ((events & EPOLLIN) != 0) wanted |= CURL_CSELECT_IN;
  if ((events & (EPOLLERR | EPOLLHUP)) != 0) wanted |= CURL_CSELECT_ERR;
  return wanted;
}

static void on_ready(void *of) {
  struct epoll_event events[EVENTS];
  asks *self = of;
  int count = epoll_wait(self->epoll, events, EVENTS, 0);

  for (int i = 0; i < count; i++)
    act(self, events[i].data.fd, curl_events(events[i].events));
  tell_answered(self);
}

static int on_socket(CURL *easy, curl_socket_t which, int what, void *of,
                     void *unused) {
  asks *self = of;
  struct epoll_event wanted;

  (void)easy;
  (void)unused;
  memset(&wanted, 0, sizeof wanted);
  wanted.data.fd = which;
  if (what != CURL_POLL_OUT) wanted.events |= EPOLLIN;
  if (what != CURL_POLL_IN) wanted.events |= EPOLLOUT;
  if (what == CURL_POLL_REMOVE) {
    epoll_ctl(self->epoll, EPOLL_CTL_DEL, which, NULL);
    return 0;
  }
  if (epoll_ctl(self->epoll, EPOLL_CTL_MOD, which, &wanted) != 0)
    epoll_ctl(self->epoll, EPOLL_CTL_ADD, which, &wanted);
  return 0;
}

/* It rings before libwebsockets waits for sockets: that has to end at once. */
static void on_alarm(lws_sorted_usec_list_t *alarm) {
  asks *self = lws_container_of(alarm, asks, alarm);

  act(self, CURL_SOCKET_TIMEOUT, 0);
  tell_answered(self);
  lws_cancel_service(net_context(self->in));
}

static int on_timer(CURLM *multi, long ms, void *of) {
  asks *self = of;

  (void)multi;
  if (ms < 0 || self->is_closing)
    lws_sul_cancel(&self->alarm);
  else
    lws_sul_schedule(net_context(self->in), 0, &self->alarm, on_alarm,
                     ms > 0 ? (lws_usec_t)ms * LWS_US_PER_MS : 1);
  return 0;
}

static bool open_askers(asks *self) {
  for (size_t i = 0; i < self->count; i++) {
    asker *each = &self->askers[i];

    each->easy = easy_open(self->how, each, (long)self->how->give_up_ms);
    if (each->easy == NULL) return false;
    curl_easy_setopt(each->easy, CURLOPT_PRIVATE, (char *)each);
  }
  return true;
}

asks *asks_open(const options *how, net *in, size_t askers,
                asks_answered answered, void *of) {
  asks *self = must_allocate(1, sizeof *self + askers * sizeof(asker));

  self->how = how;
  self->in = in;
  self->count = askers;
  self->answered = answered;
  self->of = of;
  self->multi = curl_multi_init();
  if (self->multi != NULL) {
    curl_multi_setopt(self->multi, CURLMOPT_SOCKETFUNCTION, on_socket);
    curl_multi_setopt(self->multi, CURLMOPT_SOCKETDATA, self);
    curl_multi_setopt(self->multi, CURLMOPT_TIMERFUNCTION, on_timer);
    curl_multi_setopt(self->multi, CURLMOPT_TIMERDATA, self);
    curl_multi_setopt(self->multi, CURLMOPT_MAXCONNECTS, (long)askers);
    if (open_askers(self) &&
        (self->epoll = epoll_create1(EPOLL_CLOEXEC)) >= 0 &&
        net_watch(in, self->epoll, on_ready, self))
      return self;
  }
  asks_close(self);
  return NULL;
}

void asks_close(asks *self) {
  if (self == NULL) return;
  self->is_closing = true;
  for (size_t i = 0; i < self->count; i++) {
    asker *each = &self->askers[i];

    if (each->easy != NULL) {
      curl_multi_remove_handle(self->multi, each->easy);
      curl_easy_cleanup(each->easy);
    }
    curl_slist_free_all(each->headers);
    free(each->text);
  }
  if (self->multi != NULL) curl_multi_cleanup(self->multi);
  lws_sul_cancel(&self->alarm);
  free(self);
}

static bool set_token(asker *self, const char *token) {
  char header[4200];

  if (self->headers != NULL) return true;
  snprintf(header, sizeof header, "Authorization: Bearer %s", token);
  self->headers = curl_slist_append(NULL, header);
  return self->headers != NULL &&
         curl_easy_setopt(self->easy, CURLOPT_HTTPHEADER, self->headers) ==
             CURLE_OK;
}

bool asks_get(asks *self, size_t asker_at, const char *token,
              const char *path) {
  asker *from = &self->askers[asker_at];
  char url[URL_BYTES];

  url_of(self->how, path, url);
  from->length = 0;
  *from->error = '\0';
  return set_token(from, token) &&
         curl_easy_setopt(from->easy, CURLOPT_URL, url) == CURLE_OK &&
         curl_multi_add_handle(self->multi, from->easy) == CURLM_OK;
}

char *ask_now(const options *how, const char *path) {
  char url[URL_BYTES];
  asker one = {0};
  long status = 0;

  one.easy = easy_open(how, &one, NOW_MS);
  if (one.easy == NULL) return NULL;
  url_of(how, path, url);
  curl_easy_setopt(one.easy, CURLOPT_URL, url);
  if (curl_easy_perform(one.easy) == CURLE_OK)
    curl_easy_getinfo(one.easy, CURLINFO_RESPONSE_CODE, &status);
  curl_easy_cleanup(one.easy);
  if (status == 200 && one.text != NULL) return one.text;
  free(one.text);
  return NULL;
}
