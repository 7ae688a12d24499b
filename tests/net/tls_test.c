/* Whom the transport trusts: certificates of a CA of the test's own. */
#include "net/caller.h"
#include "net/peer.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "support/server.h"

static test_folder papers;
static caller self;

static const char *paper(const char *name) {
  return test_folder_file(&papers, name);
}

/* A shell's command in the folder of the papers. */
static void run(const char *command) {
  char whole[2000];
  snprintf(whole, sizeof whole, "cd '%s' && { %s; } >>log 2>&1", papers.path,
           command);
  /* NOLINTNEXTLINE(cert-env33-c,concurrency-mt-unsafe) the test's own words */
  if (system(whole)) fail_msg("%s: see %s/log", command, papers.path);
}

/* A key and a certificate by that CA, for those names and days. */
static void issue(const char *name, const char *ca, const char *names,
                  const char *days) {
  char command[1500];
  snprintf(command, sizeof command,
           "openssl req -newkey ec -pkeyopt ec_paramgen_curve:prime256v1 "
           "-nodes -keyout %s.key -out %s.csr -subj /CN=%s && "
           "printf 'subjectAltName=%s\\n' > %s.ext && "
           "openssl x509 -req -in %s.csr -CA %s.pem -CAkey %s.key "
           "-CAcreateserial -extfile %s.ext -out %s.pem -days %s",
           name, name, name, names, name, name, ca, ca, name, name, days);
  run(command);
}

static void found_ca(const char *name) {
  char command[500];
  snprintf(command, sizeof command,
           "openssl req -x509 -newkey ec -pkeyopt "
           "ec_paramgen_curve:prime256v1 -nodes -keyout %s.key -out %s.pem "
           "-days 2 -subj /CN=%s -addext basicConstraints=critical,CA:TRUE",
           name, name, name);
  run(command);
}

static void serve(test_server *server, const char *name, char *token) {
  char certificate[300], key[300], file[40];
  const char *settings[] = {"--tls-cert", certificate, "--tls-key", key, NULL};
  snprintf(file, sizeof file, "%s.pem", name);
  snprintf(certificate, sizeof certificate, "%s", paper(file));
  snprintf(file, sizeof file, "%s.key", name);
  snprintf(key, sizeof key, "%s", paper(file));
  test_server_start(server, settings);
  test_server_token(server, "ann", 3600, token);
}

static seen_net_options trusting(const char *ca) {
  static char path[300];
  seen_net_options options;
  seen_net_options_init(&options);
  snprintf(path, sizeof path, "%s", paper(ca));
  options.ca_file = path;
  return options;
}

/* Both libraries say the same of a server: trusted, or not. */
static void expect(const char *certificate, const char *name,
                   const seen_net_options *options, bool trusted) {
  test_server server;
  char token[TEST_TOKEN_MAX];
  serve(&server, certificate, token);
  caller_open(&self, "https", name, server.port, options);
  caller_dial(&self, 1, SEEN_LINK_SOCKET, token, CALLER_MS);
  if (trusted) {
    caller_expect(&self, SEEN_TRANSPORT_OPEN, 1);
    caller_write(&self, 1, "{\"t\":\"hello\",\"id\":1,\"device\":\"d\"}");
    caller_expect(&self, SEEN_TRANSPORT_FRAME, 1);
    self.transport->close(self.transport, 1, 1000);
    caller_expect_end(&self, 1, SEEN_ENDED_LOCAL, 0);
  } else {
    caller_expect_end(&self, 1, SEEN_ENDED_TLS, 0);
  }
  caller_request(&self, 2, token, "/im/unread", NULL, CALLER_MS);
  caller_expect_answer(&self, 2, trusted ? 200 : 0,
                       trusted ? (seen_ended)0 : SEEN_ENDED_TLS);
  caller_dial(&self, 3, SEEN_LINK_POLL, token, CALLER_MS);
  caller_expect(&self, SEEN_TRANSPORT_OPEN, 3);
  caller_write(&self, 3, "{\"t\":\"hello\",\"id\":1,\"device\":\"e\"}");
  if (trusted)
    caller_expect(&self, SEEN_TRANSPORT_FRAME, 3);
  else
    caller_expect_end(&self, 3, SEEN_ENDED_TLS, 0);
  caller_close(&self);
  test_server_remove(&server);
}

static void test_tls__a_certificate_of_the_ca_is_trusted(void **state) {
  seen_net_options options = trusting("ca.pem");
  (void)state;
  expect("good", "localhost", &options, true);
  expect("good", "127.0.0.1", &options, true);
}

static void test_tls__one_for_another_host_is_not(void **state) {
  seen_net_options options = trusting("ca.pem");
  (void)state;
  expect("other", "localhost", &options, false);
  expect("other", "127.0.0.1", &options, false);
}

static void test_tls__one_that_is_over_is_not(void **state) {
  seen_net_options options = trusting("ca.pem");
  (void)state;
  expect("over", "localhost", &options, false);
}

static void test_tls__one_of_an_unknown_ca_is_not(void **state) {
  seen_net_options options = trusting("ca.pem");
  (void)state;
  expect("foreign", "localhost", &options, false);
  expect("good", "localhost", NULL, false);
}

static void key_of(const char *name, char key[64]) {
  char command[300], *text;
  size_t size;
  snprintf(command, sizeof command,
           "openssl x509 -in %s.pem -pubkey -noout | openssl pkey -pubin "
           "-outform der | openssl dgst -sha256 -binary | openssl base64 > %s",
           name, "pin");
  run(command);
  text = test_file_read(paper("pin"), &size);
  snprintf(key, 64, "%.44s", text);
  free(text);
}

static void test_tls__only_the_pinned_key_is_spoken_to(void **state) {
  seen_net_options options = trusting("ca.pem");
  char key[64];
  (void)state;
  options.pinned_key = key;
  key_of("good", key);
  expect("good", "localhost", &options, true);
  key_of("other", key);
  expect("good", "localhost", &options, false);
}

static void test_tls__a_pinned_key_is_no_ca(void **state) {
  seen_net_options options;
  char key[64];
  (void)state;
  seen_net_options_init(&options);
  options.pinned_key = key;
  key_of("good", key);
  expect("good", "localhost", &options, false);
}

/* Of a server that is not to be trusted: whether it got to read the token. */
static atomic_bool stolen;

/* Beside others: the next caller may be here before the last one has gone. */
static void listen_to_plain_text(int end, void *ignored) {
  char heard[PEER_HEAD_MAX] = "";
  (void)ignored;
  peer_head(end, heard);
  if (strstr(heard, "secret")) stolen = true;
}

static void test_tls__who_speaks_none_gets_no_token(void **state) {
  seen_net_options options = trusting("ca.pem");
  peer *other = peer_start(listen_to_plain_text, NULL);
  (void)state;
  stolen = false;
  caller_open(&self, "https", "localhost", peer_port(other), &options);
  caller_dial(&self, 1, SEEN_LINK_SOCKET, "secret", 1000);
  caller_expect(&self, SEEN_TRANSPORT_ENDED, 1);
  caller_request(&self, 2, "secret", "/im/unread", NULL, 1000);
  caller_expect(&self, SEEN_TRANSPORT_ANSWER, 2);
  assert_int_equal(self.event.status, 0);
  caller_close(&self);
  peer_stop(other);
  assert_false(stolen);
}

static void answer_in_plain_text(int end, void *ignored) {
  (void)ignored;
  peer_say(end, "HTTP/1.1 400 Bad Request\r\nContent-Length: 0\r\n\r\n");
  peer_idle(end);
}

static void test_tls__plain_text_in_answer_ends_it(void **state) {
  seen_net_options options = trusting("ca.pem");
  peer *other = peer_start(answer_in_plain_text, NULL);
  (void)state;
  caller_open(&self, "https", "localhost", peer_port(other), &options);
  caller_dial(&self, 1, SEEN_LINK_SOCKET, "secret", CALLER_MS);
  caller_expect(&self, SEEN_TRANSPORT_ENDED, 1);
  assert_int_equal(self.event.ended, SEEN_ENDED_LOST);
  caller_close(&self);
  peer_stop(other);
}

static int set_up(void **state) {
  (void)state;
  test_folder_make(&papers);
  found_ca("ca");
  found_ca("foreign_ca");
  issue("good", "ca", "DNS:localhost,IP:127.0.0.1", "2");
  issue("other", "ca", "DNS:elsewhere.test", "2");
  issue("over", "ca", "DNS:localhost", "-1");
  issue("foreign", "foreign_ca", "DNS:localhost", "2");
  return 0;
}

static int tear_down(void **state) {
  (void)state;
  test_folder_remove(&papers);
  return 0;
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_tls__a_certificate_of_the_ca_is_trusted),
      cmocka_unit_test(test_tls__one_for_another_host_is_not),
      cmocka_unit_test(test_tls__one_that_is_over_is_not),
      cmocka_unit_test(test_tls__one_of_an_unknown_ca_is_not),
      cmocka_unit_test(test_tls__only_the_pinned_key_is_spoken_to),
      cmocka_unit_test(test_tls__a_pinned_key_is_no_ca),
      cmocka_unit_test(test_tls__who_speaks_none_gets_no_token),
      cmocka_unit_test(test_tls__plain_text_in_answer_ends_it),
  };
  return cmocka_run_group_tests(tests, set_up, tear_down);
}
