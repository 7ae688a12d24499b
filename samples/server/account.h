/* What is set for a user as a whole. */
#ifndef SERVER_ACCOUNT_H
#define SERVER_ACCOUNT_H

#include "core.h"

/* As it is set, or as it is for who never set anything. */
stored_user account_of(server *self, const char *user);

/* Written, and carried into all conversations of the user. */
void account_change(server *self, const stored_user *now);

#endif
