/* The rules that frames alone can't show: what is refused, and how. */
#ifndef CONFORM_TRANSPORT_H
#define CONFORM_TRANSPORT_H

#include "names.h"
#include "peer.h"
#include "table.h"

void transport_check(const options *how, peers *all, names *fresh,
                     table *results);

#endif
