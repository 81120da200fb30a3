// SPDX-License-Identifier: GPL-2.0-or-later
/* What each message holds, and what it must not contradict: see fields.h. */
#include "wire/fields.h"

#include <assert.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "base/str.h"

#define DAY_MS	       86400000
#define ERRNO_MAX      4095 /* MAX_ERRNO, include/linux/err.h */
#define COPY_MAX_BYTES ((int64_t)(WIRE_EXTENTS_MAX * EXTENT_BYTES))
#define PAGES_MAX      (COPY_MAX_BYTES / (int64_t)PAGE_BYTES)
#define DEVICES_MAX    64
#define REQUESTS                                                                  \
	(1U << WIRE_HELLO | 1U << WIRE_PUT | 1U << WIRE_LOAD | 1U << WIRE_PROBE | \
	 1U << WIRE_EXEC | 1U << WIRE_POWEROFF)

#define MEMBER(member) \
	.offset = offsetof(struct wire_msg, member), .size = sizeof(((struct wire_msg *)0)->member)
#define NUMBER(KIND, member, least, most) \
	.kind = (KIND), MEMBER(member), .min = (least), .max = (most)

#define MAY_BE(KIND, member) .kind = (KIND), MEMBER(member), .optional = true
#define MAY_COUNT(KIND, member, most) \
	.kind = (KIND), MEMBER(member), .max = (most), .optional = true
#define NAMED(member, all) .kind = FIELD_NAMED, MEMBER(member), .optional = true, .names = (all)

static const struct field hello[] = {
	{ "version", NUMBER(FIELD_U32, hello.version, 0, UINT32_MAX) },
	{ "nonce", FIELD_NONCE, MEMBER(hello.nonce) },
	{ "agent", FIELD_TEXT, MEMBER(hello.agent) },
	{ "kernel", FIELD_TEXT, MEMBER(hello.kernel) },
};

static const struct field put[] = {
	{ "name", FIELD_NAME, MEMBER(put.name) },
	{ "bytes", NUMBER(FIELD_U64, put.bytes, 0, WIRE_FILE_MAX) },
};

static const struct field load[] = {
	{ "name", FIELD_NAME, MEMBER(load.name) },
	{ "params", FIELD_ARGS, MEMBER(load.params) },
	{ "limit_ms", NUMBER(FIELD_U32, load.limit_ms, 1, DAY_MS) },
};

static const struct field probe[] = {
	{ "probe", FIELD_NAME, MEMBER(probe.probe) },
	{ "args", FIELD_ARGS, MEMBER(probe.args) },
	{ "limit_ms", NUMBER(FIELD_U32, probe.limit_ms, 1, DAY_MS) },
};

static const struct field exec[] = {
	{ "program", FIELD_PROGRAM, MEMBER(exec.program) },
	{ "args", FIELD_ARGS, MEMBER(exec.args) },
	{ "limit_ms", NUMBER(FIELD_U32, exec.limit_ms, 1, DAY_MS) },
};

static const struct field output[] = {
	{ "text", FIELD_TEXT, MEMBER(output.text) },
};

static const struct field done[] = {
	{ "of", FIELD_TYPE, MEMBER(done.of), .allowed = 1U << WIRE_PUT | 1U << WIRE_LOAD },
	{ "name", FIELD_NAME, MEMBER(done.name) },
};

static const struct field loaded[] = {
	{ "name", FIELD_NAME, MEMBER(loaded.name) },
	{ "srcversion", FIELD_WORD, MEMBER(loaded.srcversion) },
	{ "build_id", FIELD_WORD, MEMBER(loaded.build_id) },
};

static const struct field sample[] = {
	{ "regime", FIELD_REGIME, MEMBER(sample.regime) },
	{ "warmup", FIELD_BOOL, MEMBER(sample.warmup) },
	{ "repeat", NUMBER(FIELD_U32, sample.repeat, 0, WIRE_SAMPLES_MAX - 1) },
	{ "bytes", NUMBER(FIELD_U64, sample.bytes, 1, COPY_MAX_BYTES) },
	{ "offset", NUMBER(FIELD_U64, sample.offset, 0, EXTENT_BYTES - 1) },
	{ "elapsed_ns", NUMBER(FIELD_I64, sample.elapsed_ns, 0, WIRE_INT_MAX) },
	{ "extents", NUMBER(FIELD_U32, sample.extents, 1, WIRE_EXTENTS_MAX) },
	{ "resident", NUMBER(FIELD_U32, sample.resident, 0, WIRE_EXTENTS_MAX) },
	{ "present", FIELD_PRESENT, MEMBER(sample.present) },
	{ "pages_present", NUMBER(FIELD_U64, sample.pages_present, 0, PAGES_MAX) },
	{ "restarts", NUMBER(FIELD_U32, sample.restarts, 0, UINT32_MAX) },
	{ "calls", NUMBER(FIELD_U32, sample.calls, 0, UINT32_MAX) },
	{ "result", NUMBER(FIELD_I32, sample.result, -ERRNO_MAX, 0) },
	{ "read_permission", FIELD_BOOL, MEMBER(sample.read_permission) },
	{ "evidence", MAY_BE(FIELD_BOOL, sample.evidence) },
	{ "doubt", NAMED(sample.doubt, &wire_doubt_names) },
	{ "path", NAMED(sample.path, &wire_path_names) },
	{ "source", NAMED(sample.source, &wire_source_names) },
	{ "device", MAY_COUNT(FIELD_U32, sample.device, DEVICES_MAX - 1) },
	{ "process", MAY_COUNT(FIELD_U32, sample.process, WIRE_PROCESSES_MAX - 1) },
	{ "kept_mapping", MAY_BE(FIELD_BOOL, sample.kept_mapping) },
	{ "fresh_buffer", MAY_BE(FIELD_BOOL, sample.fresh_buffer) },
	{ "boot_ns", MAY_COUNT(FIELD_I64, sample.boot_ns, WIRE_INT_MAX) },
	{ "steal_ns", MAY_COUNT(FIELD_I64, sample.steal_ns, WIRE_INT_MAX) },
	{ "after", MAY_BE(FIELD_BOOL, sample.after) },
	{ "resident_after", MAY_COUNT(FIELD_U32, sample.resident_after, WIRE_EXTENTS_MAX) },
	{ "present_after", MAY_BE(FIELD_PRESENT, sample.present_after) },
	{ "pages_after", MAY_COUNT(FIELD_U64, sample.pages_after, PAGES_MAX) },
	{ "copied_before", MAY_COUNT(FIELD_U64, sample.copied_before, PAGES_MAX) },
	{ "copied_after", MAY_COUNT(FIELD_U64, sample.copied_after, PAGES_MAX) },
	{ "anon_before", MAY_COUNT(FIELD_U64, sample.anon_before, WIRE_INT_MAX) },
	{ "anon_after", MAY_COUNT(FIELD_U64, sample.anon_after, WIRE_INT_MAX) },
	{ "file_before", MAY_COUNT(FIELD_U64, sample.file_before, WIRE_INT_MAX) },
	{ "file_after", MAY_COUNT(FIELD_U64, sample.file_after, WIRE_INT_MAX) },
	{ "minor_faults", MAY_COUNT(FIELD_U64, sample.minor_faults, WIRE_INT_MAX) },
	{ "major_faults", MAY_COUNT(FIELD_U64, sample.major_faults, WIRE_INT_MAX) },
	{ "file_offset", MAY_COUNT(FIELD_U64, sample.file_offset, WIRE_INT_MAX) },
	{ "page_bytes", MAY_COUNT(FIELD_U32, sample.page_bytes, UINT32_MAX) },
	{ "thp", MAY_BE(FIELD_WORD, sample.thp) },
	{ "file_system", MAY_BE(FIELD_WORD, sample.file_system) },
	{ "mapping", MAY_BE(FIELD_TEXT, sample.mapping) },
	{ "hmm_calls", MAY_COUNT(FIELD_U64, sample.hmm_calls, WIRE_INT_MAX) },
	{ "hmm_busy", MAY_COUNT(FIELD_U64, sample.hmm_busy, WIRE_INT_MAX) },
	{ "driver_calls", MAY_COUNT(FIELD_U64, sample.driver_calls, WIRE_INT_MAX) },
	{ "driver_ns", MAY_COUNT(FIELD_I64, sample.driver_ns, WIRE_INT_MAX) },
	{ "profile_samples", MAY_COUNT(FIELD_U32, sample.profile_samples, UINT32_MAX) },
	{ "profile_inside", MAY_COUNT(FIELD_U32, sample.profile_inside, UINT32_MAX) },
};

static const struct field probe_end[] = {
	{ "how", FIELD_HOW, MEMBER(probe_end.how) },
	{ "code", NUMBER(FIELD_I32, probe_end.code, 0, 255) },
};

static const struct field note[] = {
	{ "text", FIELD_TEXT, MEMBER(note.text) },
};

static const struct field fail[] = {
	{ "of", FIELD_TYPE, MEMBER(fail.of), .allowed = REQUESTS },
	{ "text", FIELD_TEXT, MEMBER(fail.text) },
};

#define FIELDS(table)                      \
	{                                  \
		(table), ARRAY_SIZE(table) \
	}

static const struct {
	const struct field *fields;
	size_t n;
} messages[] = {
	[WIRE_HELLO] = FIELDS(hello),	      [WIRE_PUT] = FIELDS(put),
	[WIRE_LOAD] = FIELDS(load),	      [WIRE_PROBE] = FIELDS(probe),
	[WIRE_EXEC] = FIELDS(exec),	      [WIRE_OUTPUT] = FIELDS(output),
	[WIRE_POWEROFF] = { NULL, 0 },	      [WIRE_DONE] = FIELDS(done),
	[WIRE_LOADED] = FIELDS(loaded),	      [WIRE_SAMPLE] = FIELDS(sample),
	[WIRE_PROBE_END] = FIELDS(probe_end), [WIRE_NOTE] = FIELDS(note),
	[WIRE_FAIL] = FIELDS(fail),
};
static_assert(ARRAY_SIZE(messages) == WIRE_TYPES, "a message has no fields");

const struct field *wire_fields(enum wire_type type, size_t *n)
{
	assert((unsigned int)type < WIRE_TYPES);
	*n = messages[type].n;
	return messages[type].fields;
}

static bool is_program(const char *s)
{
	if (*s != '/')
		return wire_name_ok(s);
	for (; *s; s++)
		if (*s <= ' ' || *s > '~')
			return false;
	return true;
}

const char *wire_check_text(const struct field *f, const char *s)
{
	size_t len = strlen(s);

	switch (f->kind) {
	case FIELD_NAME:
		return wire_name_ok(s) ? NULL : "a plain file name";
	case FIELD_PROGRAM:
		return is_program(s) ? NULL : "a plain file name or an absolute path";
	case FIELD_NONCE:
		return len == 32 && strspn(s, "0123456789abcdef") == len ? NULL : "32 hex digits";
	case FIELD_WORD:
		for (; *s; s++)
			if (!((*s >= '0' && *s <= '9') || (*s >= 'a' && *s <= 'z') ||
			      (*s >= 'A' && *s <= 'Z')))
				return "letters and digits";
		return NULL;
	case FIELD_ARGS:
		for (; *s; s++)
			if (*s < ' ' || *s > '~')
				return "printable ASCII";
		return NULL;
	default:
		return NULL;
	}
}

/* The bits of the presence map, and -1 if there are any past @extents. */
static int64_t count_present(const uint64_t *present, uint32_t extents)
{
	int64_t n = 0;

	for (uint32_t i = 0; i < WIRE_EXTENTS_MAX; i++) {
		if (!(present[i / 64] >> i % 64 & 1))
			continue;
		if (i >= extents)
			return -1;
		n++;
	}
	return n;
}

/* What was present at one time, of a sample whose @extents are right. */
struct seen {
	const char *when;
	uint32_t resident;
	const uint64_t *present; /* [WIRE_EXTENTS_MAX / 64] */
	uint64_t pages;
};

static bool check_seen(const struct wire_sample *s, const struct seen *p, char *why, size_t size)
{
	uint64_t first = s->offset / PAGE_BYTES;
	uint64_t pages = (s->offset + s->bytes + PAGE_BYTES - 1) / PAGE_BYTES - first;
	int64_t set = count_present(p->present, s->extents);

	if (p->resident > s->extents)
		snprintf(why, size, "%" PRIu32 " resident of %" PRIu32 " extents%s", p->resident,
			 s->extents, p->when);
	else if (set < 0)
		snprintf(why, size, "presence bits beyond the %" PRIu32 " extents%s", s->extents,
			 p->when);
	else if (set != p->resident)
		snprintf(why, size, "%" PRId64 " presence bits for %" PRIu32 " resident extents%s",
			 set, p->resident, p->when);
	else if (p->pages < p->resident || p->pages > pages ||
		 p->pages > p->resident * (EXTENT_BYTES / PAGE_BYTES))
		snprintf(why, size, "%" PRIu64 " pages present in %" PRIu32 " resident extents%s",
			 p->pages, p->resident, p->when);
	else
		return true;
	return false;
}

static bool check_sample(const struct wire_sample *s, char *why, size_t size)
{
	const struct seen before = { "", s->resident, s->present, s->pages_present };
	const struct seen after = { " after the copy", s->resident_after, s->present_after,
				    s->pages_after };
	uint64_t extents = (s->offset + s->bytes + EXTENT_BYTES - 1) / EXTENT_BYTES;

	if (s->extents != extents)
		snprintf(why, size,
			 "%" PRIu32 " extents, but %" PRIu64 " bytes at offset %" PRIu64
			 " touch %" PRIu64,
			 s->extents, s->bytes, s->offset, extents);
	else if (!s->after && (s->resident_after || s->pages_after))
		snprintf(why, size, "presence after the copy that was not looked at");
	else if (s->copied_before > s->pages_present || s->copied_after > s->pages_after ||
		 s->hmm_busy > s->hmm_calls || s->profile_inside > s->profile_samples)
		snprintf(why, size, "a part that is more than its whole");
	else
		return check_seen(s, &before, why, size) && check_seen(s, &after, why, size);
	return false;
}

bool wire_check(const struct wire_msg *msg, char *why, size_t size)
{
	if (msg->type == WIRE_SAMPLE)
		return check_sample(&msg->sample, why, size);
	if (msg->type == WIRE_PROBE_END && msg->probe_end.how == PROBE_SIGNALED &&
	    (msg->probe_end.code < 1 || msg->probe_end.code > 64)) {
		snprintf(why, size, "%" PRId32 " is no signal", msg->probe_end.code);
		return false;
	}
	return true;
}
