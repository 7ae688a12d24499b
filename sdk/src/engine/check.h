/* Refuses a malformed input in words, before anything is changed by it. */
#ifndef SN_ENGINE_CHECK_H
#define SN_ENGINE_CHECK_H

#include <seen/sys/engine.h>
#include <seen/sys/working.h>

/* 0, SEEN_EINVAL or SEEN_ERANGE. The conversation is not looked at. */
int sn_check_input(const seen_input *input, seen_error *error);

/* A record as an engine writes it: 0, SEEN_EINVAL or SEEN_ERANGE. */
int sn_check_record(const seen_record *record, seen_error *error);

/* What is in work, as an engine gives it: 0, SEEN_EINVAL or SEEN_ERANGE. */
int sn_check_working(const seen_working *working, seen_error *error);

/* An id: 1 to 255 bytes. */
int sn_check_id(const char *id, const char *what, seen_error *error);

#endif
