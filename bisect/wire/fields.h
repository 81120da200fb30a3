/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What each message holds: one table that both encoding and decoding follow, so that they cannot
 * disagree. Inner to wire/.
 */
#ifndef WIRE_FIELDS_H
#define WIRE_FIELDS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "wire/wire.h"

/* JSON numbers are doubles to most readers: whole numbers are exact up to here. */
#define WIRE_INT_MAX ((INT64_C(1) << 53) - 1)

#define EXTENT_BYTES (UINT64_C(2) << 20)
#define PAGE_BYTES   UINT64_C(4096)

enum field_kind {
	FIELD_NAME, /* char[], wire_name_ok() */
	FIELD_PROGRAM, /* char[], wire_name_ok() or an absolute path in printable ASCII without blanks */
	FIELD_NONCE, /* char[], 32 lower-case hex digits */
	FIELD_WORD,  /* char[], letters and digits, may be empty */
	FIELD_ARGS,  /* char[], printable ASCII, may be empty */
	FIELD_TEXT,  /* char[], anything; cleaned by text_clean(), never refused for its bytes */
	FIELD_U32,
	FIELD_U64,
	FIELD_I32,
	FIELD_I64,
	FIELD_BOOL,
	FIELD_REGIME, /* enum wire_regime by name */
	FIELD_TYPE,   /* enum wire_type by name; a bit of allowed per type */
	FIELD_HOW,    /* enum wire_probe_how by name */
	FIELD_NAMED,  /* another enum, by the names of names */
	FIELD_PRESENT, /* uint64_t[], 16 hex digits a word, blanks between, as many as extents need */
};

/* Names of an enum's values, in order. */
struct wire_names {
	const char *const *name; /* [n] */
	size_t n;
};

extern const struct wire_names wire_source_names, wire_path_names, wire_doubt_names;

struct field {
	const char *key;
	enum field_kind kind;
	size_t offset;	      /* in struct wire_msg [bytes] */
	size_t size;	      /* [bytes] */
	int64_t min, max;     /* numbers, inclusive */
	unsigned int allowed; /* FIELD_TYPE */
	bool optional;	      /* 0, false or empty: not written, and what a missing one means */
	const struct wire_names *names; /* FIELD_NAMED */
};

/** wire_fields() - the fields of a message, besides "type", in the order they are written */
const struct field *wire_fields(enum wire_type type, size_t *n);

/**
 * wire_check_text() - may @s be the value of text-like field @f? (it has the size of @f at most)
 * Return: NULL, or what it should be.
 */
const char *wire_check_text(const struct field *f, const char *s);

/**
 * wire_check() - contradictions between the fields of a message whose fields are each in bounds
 * @why: [size] filled if there is one
 * Return: true if there is none.
 */
bool wire_check(const struct wire_msg *msg, char *why, size_t size);

/** wire_how_name() / wire_how_parse() - "exited", "signaled", "hung" */
const char *wire_how_name(enum wire_probe_how how);
bool wire_how_parse(const char *name, enum wire_probe_how *ret);

/** wire_names_parse() - the value of that name */
bool wire_names_parse(const struct wire_names *names, const char *name, unsigned int *ret);

/** wire_type_parse() - the inverse of wire_type_name() */
bool wire_type_parse(const char *name, enum wire_type *ret);

/** wire_present_words() - words of the presence map that @extents need */
static inline size_t wire_present_words(uint32_t extents)
{
	return (extents + 63) / 64;
}

#endif
