/*
 * The port: libwebsockets is told what it serves and how, and what it says
 * goes to the log.
 */
#include "front_parts.h"

#include <errno.h>
#include <netdb.h>
#include <stdio.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

enum { WHY_BYTES = 512, READ_BYTES = 8192 };

static const struct lws_protocols protocols[] = {
    {"http", front_request_callback, sizeof(request), READ_BYTES, 0, NULL,
     65536},
    {"seen.v1", front_socket_callback, sizeof(socket_peer), READ_BYTES, 0, NULL,
     LWS_PRE + FRONT_OUT_BYTES},
    {NULL, NULL, 0, 0, 0, NULL, 0},
};

/* All zero: silence is watched by the sweep, not by a timer a socket. */
static const lws_retry_bo_t no_validity_timer;

static void on_lws_log(int level, const char *line) {
  log_event(level == LLL_ERR ? LEVEL_WARN : LEVEL_DEBUG, "libwebsockets",
            "%.*s", (int)strcspn(line, "\n"), line);
}

/* libwebsockets only says that it failed. */
static const char *why_no_port(const config *of) {
  struct addrinfo *found, kind = {.ai_flags = AI_NUMERICHOST | AI_PASSIVE,
                                  .ai_socktype = SOCK_STREAM};
  const char *why = *of->tls_cert != '\0' ? "the TLS files can't be used"
                                          : "libwebsockets can't begin";
  const int on = 1;
  char port[8];
  int probe;

  snprintf(port, sizeof port, "%d", of->port);
  if (getaddrinfo(of->host, port, &kind, &found) != 0)
    return "no address in numbers";
  probe = socket(found->ai_family, SOCK_STREAM, 0);
  if (probe < 0 ||
      setsockopt(probe, SOL_SOCKET, SO_REUSEADDR, &on, sizeof on) != 0 ||
      bind(probe, found->ai_addr, found->ai_addrlen) != 0)
    why = strerror(errno);
  if (probe >= 0) close(probe);
  freeaddrinfo(found);
  return why;
}

bool front_open_port(front *self, char *why) {
  const config *of = self->config;
  struct lws_context_creation_info how;

  memset(&how, 0, sizeof how);
  how.iface = of->host;
  how.port = of->port;
  how.server_string = "seen-server";
  how.protocols = protocols;
  how.user = self;
  how.options = LWS_SERVER_OPTION_FAIL_UPON_UNABLE_TO_BIND;
  how.timeout_secs = (of->hello_ms + 999) / 1000;
  how.timeout_secs_ah_idle = how.timeout_secs;
  how.keepalive_timeout = (int)(of->give_up_ms + 999) / 1000;
  how.max_http_header_data = 8192;
  how.pt_serv_buf_size = FRONT_GATHER_BYTES; /* read at once of a socket */
  how.retry_and_idle_policy = &no_validity_timer;
  /* With IPv6 an address of IPv4 would be taken as any address. */
  if (strchr(of->host, ':') == NULL)
    how.options |= LWS_SERVER_OPTION_DISABLE_IPV6;
  if (*of->tls_cert != '\0') {
    how.options |= LWS_SERVER_OPTION_DO_SSL_GLOBAL_INIT;
    how.ssl_cert_filepath = of->tls_cert;
    how.ssl_private_key_filepath = of->tls_key;
    how.alpn = "http/1.1";
  }
  lws_set_log_level(LLL_ERR | LLL_WARN | LLL_NOTICE, on_lws_log);
  how.options |= LWS_SERVER_OPTION_EXPLICIT_VHOSTS;
  self->context = lws_create_context(&how);
  if (self->context != NULL)
    self->vhost = lws_create_vhost(self->context, &how);
  if (self->vhost != NULL) return true;
  snprintf(why, WHY_BYTES, "can't listen on %s: %s", of->listen,
           why_no_port(of));
  return false;
}
