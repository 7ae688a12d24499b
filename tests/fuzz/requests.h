/* A request as text, `GET PATH` or `POST PATH BODY`, to what answers it. */
#ifndef FUZZ_REQUESTS_H
#define FUZZ_REQUESTS_H

#include "http.h"

/* The text is cut up; `fresh` is what a connection would be called. A status
 * of 0: it is no request. */
response requests_take(server *to, const identity *who, char *text,
                       const char *fresh, uint64_t now);

#endif
