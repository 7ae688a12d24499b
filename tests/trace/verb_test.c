#include "trace/verb.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "support/line.h"

static void test_verb__each_of_every_table_is_found_by_its_line(void **s) {
  const sn_verbs *tables[] = {&sn_verbs_inputs, &sn_verbs_states,
                              &sn_verbs_expects};
  size_t i;
  size_t k;
  (void)s;
  for (i = 0; i < 3; i++)
    for (k = 0; k < tables[i]->count; k++) {
      const sn_verb *verb = &tables[i]->verbs[k];
      seen_trace_line line;
      memset(&line, 0, sizeof line);
      sn_verb_begin(verb, &line);
      assert_ptr_equal(sn_verb_of(&line), verb);
      assert_ptr_equal(sn_verb_in(tables[i], &line), verb);
      assert_null(sn_verb_in(tables[(i + 1) % 3], &line));
    }
}

static void test_verb__a_blank_line_has_none(void **s) {
  seen_trace_line line;
  (void)s;
  memset(&line, 0, sizeof line);
  assert_null(sn_verb_of(&line));
}

static void test_verb__an_ack_has_a_word_a_refusal_may(void **s) {
  seen_trace_line line;
  (void)s;
  memset(&line, 0, sizeof line);
  line.type = SEEN_TRACE_INPUT;
  line.u.input.type = SEEN_INPUT_ACK;
  sn_verb_begin(sn_verb_of(&line), &line);
  assert_true(line.u.input.u.answer.has_word);
  assert_false(sn_verb_is_bare(&line));
  memset(&line, 0, sizeof line);
  line.type = SEEN_TRACE_INPUT;
  line.u.input.type = SEEN_INPUT_REFUSE;
  sn_verb_begin(sn_verb_of(&line), &line);
  assert_false(line.u.input.u.answer.has_word);
  assert_true(sn_verb_is_bare(&line));
}

static void test_verb__a_state_is_told_by_its_members(void **s) {
  const struct {
    const char *text;
    seen_trace_type type;
  } lines[] = {
      {"{\"state\":{}}", SEEN_TRACE_SESSION},
      {"{\"state\":{\"conv\":\"g\"}}", SEEN_TRACE_WORKING},
      {"{\"state\":{\"kind\":\"group\",\"conv\":\"g\"}}", SEEN_TRACE_RECORD}};
  size_t i;
  (void)s;
  for (i = 0; i < 3; i++) {
    seen_trace_line *line = line_parse(lines[i].text);
    assert_int_equal(line->type, lines[i].type);
    seen_trace_line_free(line);
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_verb__each_of_every_table_is_found_by_its_line),
      cmocka_unit_test(test_verb__a_blank_line_has_none),
      cmocka_unit_test(test_verb__an_ack_has_a_word_a_refusal_may),
      cmocka_unit_test(test_verb__a_state_is_told_by_its_members),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
