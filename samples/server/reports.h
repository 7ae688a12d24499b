/* Applying what was read and received; what others learn of it. */
#ifndef SERVER_REPORTS_H
#define SERVER_REPORTS_H

#include "core.h"

/* P9, R3: the receipt of the period that holds `seq`; whether it rose. */
bool reports_raise_receipt(server *self, conversation *conv, member *of,
                           uint64_t seq);

/* The member's row has changed: written, and told to the user's other
 * connections. */
void reports_changed(server *self, conversation *conv, member *of,
                     const connection *by);

/* What a refused report is called; NULL: it was taken. */
const char *reports_code(seen_verdict verdict);

#endif
