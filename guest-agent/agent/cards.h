/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Cards that were passed to this guest. */
#ifndef AGENT_CARDS_H
#define AGENT_CARDS_H

#include "guest-agent/agent/port.h"

/**
 * cards_tell() - a note for each display or accelerator by AMD: "card 0000:01:00.0 1002:744c"
 *
 * Only where the kernel's arguments say that a card was passed (amdgpu_bisect.card): then the controller
 * takes no verdict from a guest that is without it.
 * Source: docs/protocol.md
 */
void cards_tell(struct port *p);

#endif
