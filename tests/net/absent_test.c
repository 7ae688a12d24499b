/* A library that was built without its transport, as if this one were. */
#define seen_net_open absent_open
/* NOLINTNEXTLINE(bugprone-suspicious-include) the names are others here */
#include "net/absent.c"
#undef seen_net_open

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

static void test_absent__says_that_there_is_no_transport(void **state) {
  seen_error error = SEEN_ERROR_INIT;
  seen_net_options options;
  seen_transport *transport = (seen_transport *)&options;
  (void)state;
  seen_net_options_init(&options);
  assert_int_equal(absent_open(&options, &transport, &error),
                   SEEN_EUNSUPPORTED);
  assert_int_equal(error.code, SEEN_EUNSUPPORTED);
  assert_null(transport);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_absent__says_that_there_is_no_transport),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
