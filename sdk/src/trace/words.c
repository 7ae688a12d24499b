/* The words that only traces have, and the others as tables. */
#include "model/names.h"
#include "trace/field.h"

static const char *pick(const char *const *words, unsigned count,
                        unsigned value) {
  return value < count ? words[value] : NULL;
}

static const char *kind(unsigned value) {
  return sn_kind_name((seen_kind)value);
}

static const char *message_kind(unsigned value) {
  return sn_message_kind_name((seen_message_kind)value);
}

static const char *why(unsigned value) {
  return sn_mention_why_name((seen_mention_why)value);
}

static const char *refusal(unsigned value) {
  return sn_refusal_name((seen_refusal)value);
}

static const char *request(unsigned value) {
  return sn_request_name((seen_request)value);
}

static const char *read_policy(unsigned value) {
  static const char *const words[] = {"viewport", "on_open"};
  return pick(words, SN_COUNT_OF(words), value);
}

static const char *own_send(unsigned value) {
  static const char *const words[] = {"neutral", "reads"};
  return pick(words, SN_COUNT_OF(words), value);
}

static const char *receipt_state(unsigned value) {
  static const char *const words[] = {"sent", "delivered", "read"};
  return pick(words, SN_COUNT_OF(words), value);
}

static const char *app(unsigned value) {
  static const char *const words[] = {"background", "foreground"};
  return pick(words, SN_COUNT_OF(words), value);
}

static const char *link(unsigned value) {
  static const char *const words[] = {"down", "up"};
  return pick(words, SN_COUNT_OF(words), value);
}

const sn_words sn_words_kind = {kind};
const sn_words sn_words_message_kind = {message_kind};
const sn_words sn_words_why = {why};
const sn_words sn_words_refusal = {refusal};
const sn_words sn_words_request = {request};
const sn_words sn_words_read_policy = {read_policy};
const sn_words sn_words_own_send = {own_send};
const sn_words sn_words_receipt_state = {receipt_state};
const sn_words sn_words_app = {app};
const sn_words sn_words_link = {link};
