// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Between the guest's start and its end everything waits here: for a message, for room to send one,
 * and, whatever is waited for, for the console's panic, the domain's end, the deadline and Ctrl-C.
 */
#include "guest/talk/session.h"

#include <errno.h>
#include <inttypes.h>
#include <stdarg.h>
#include <string.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/stop.h"

#define TICK_MS	       100	       /* the console is a file: nobody tells of news in it */
#define PANIC_GRACE_NS NS_PER_S	       /* for the rest of its report */
#define OOPS_GRACE_NS  (3 * NS_PER_S)  /* for the agent to say how its child ended */
#define CLOSE_GRACE_NS (3 * NS_PER_S)  /* for libvirt to say that the domain ended */
#define LAST_WORDS_MS  500	       /* for what is still on its way from another machine */
#define LATE_MAX       1000	       /* lines that are still taken after the end */
#define HALF_LINE_NS   (10 * NS_PER_S) /* the agent writes whole lines */

int session_end(struct session *s, enum trial_end end, const char *fmt, ...)
{
	struct trial *t = s->trial;
	va_list ap;

	va_start(ap, fmt);
	vsnprintf(t->reason, sizeof(t->reason), fmt, ap);
	va_end(ap);
	console_clean(t->reason);
	t->end = end;
	return SESSION_ENDED;
}

void session_stage(struct session *s, enum trial_stage stage, int64_t limit_ms)
{
	s->stage = stage;
	s->begun_ns = clock_now_ns();
	s->silence_ns = 0;
	s->deadline_ns = clock_now_ns() + limit_ms * NS_PER_MS;
}

static int end_by_oops(struct session *s)
{
	char text[2 * CONSOLE_LINE + 8];

	console_oops_text(&s->console, text, sizeof(text));
	return session_end(s, TRIAL_OOPS, "the kernel oopsed in the %s stage: %s",
			   trial_stage_name(s->stage), text);
}

/* The oops of a driver at boot is not ours to judge; later ones are. */
static bool oopsed(const struct session *s)
{
	return *s->console.oops && s->stage >= STAGE_LOAD;
}

static int end_by_death(struct session *s)
{
	bool ended = atomic_load(&s->wake->ended);
	int detail = atomic_load(&s->wake->detail);
	enum trial_end end = ended ? domain_trial_end(detail) : TRIAL_DIED;
	char words[CONSOLE_LINE * 2];

	if (*s->console.panic)
		return session_end(s, TRIAL_PANIC, "%s", s->console.panic);
	if (oopsed(s))
		return end_by_oops(s);
	if (s->lines.len && end == TRIAL_DIED)
		return session_end(s, TRIAL_PROTOCOL,
				   "the agent sent half a line (%zu bytes), then "
				   "the guest ended",
				   s->lines.len);
	console_last_words(&s->console, words, sizeof(words));
	return session_end(s, end, "the guest ended in the %s stage: %s; last words: %s",
			   trial_stage_name(s->stage),
			   ended ? domain_end_text(detail) : "its channel closed", words);
}

/* No interrupt is served and nothing is printed any more, or nothing in user space runs. */
static int end_by_watchdog(struct session *s)
{
	char words[CONSOLE_LINE * 2];

	console_last_words(&s->console, words, sizeof(words));
	return session_end(s, TRIAL_LOCKUP,
			   "the kernel locked up in the %s stage: its watchdog was not fed; last "
			   "words: %s",
			   trial_stage_name(s->stage), words);
}

/* How far the boot came; a restored guest says nothing on its console. */
static const char *boot_text(const struct session *s)
{
	if (s->console.agent_began)
		return "the agent began, and did not answer in time";
	if (s->console.kernel_began)
		return "the kernel did not come to the agent in time";
	if (s->silence_ns)
		return "the firmware did not start the kernel in time";
	return "the agent did not answer in time";
}

static int end_by_deadline(struct session *s)
{
	static const enum trial_end ends[] = {
		[STAGE_CREATE] = TRIAL_NO_BOOT,
		[STAGE_BOOT] = TRIAL_NO_BOOT,
		[STAGE_LOAD] = TRIAL_LOAD_HUNG,
		[STAGE_PROBE] = TRIAL_PROBE_HUNG,
	};
	const char *const texts[] = {
		[STAGE_CREATE] = "the agent did not answer in time",
		[STAGE_BOOT] = boot_text(s),
		[STAGE_LOAD] = "the module was not in in time",
		[STAGE_PROBE] = "the probe did not end in time",
	};
	char words[CONSOLE_LINE * 2];

	if (s->lines.len)
		return session_end(s, TRIAL_PROTOCOL,
				   "the agent sent half a line (%zu bytes) and "
				   "nothing more",
				   s->lines.len);
	console_last_words(&s->console, words, sizeof(words));
	return session_end(s, ends[s->stage], "%s; last words: %s%s%s", texts[s->stage], words,
			   *s->note ? "; last note: " : "", s->note);
}

/* Starts a grace once, then says whether it is over. */
static bool grace_over(struct session *s, int64_t grace_ns, int64_t now)
{
	if (!s->bad_ns || s->bad_ns > now + grace_ns)
		s->bad_ns = now + grace_ns;
	return now >= s->bad_ns;
}

/* Everything but the channel: 0: go on waiting. */
static int look(struct session *s, struct err *err)
{
	bool ended =
		atomic_load(&s->wake->ended); /* before the console: its last words are in then */
	int64_t now = clock_now_ns();

	if (stop_check(err) < 0)
		return -1;
	/* its streams do not tell */
	if (virt_lost(s->virt))
		return err_set(err, ERR_HOST, "the connection to libvirt was lost in the %s stage",
			       trial_stage_name(s->stage));
	if (ended && s->tap)
		tap_drain(s->tap, LAST_WORDS_MS);
	if (!console_poll(&s->console))
		return session_end(s, TRIAL_PROTOCOL,
				   "the guest flooded its console: more than "
				   "%" PRIu64 " MiB",
				   CONSOLE_BYTES >> 20);
	if (ended)
		return end_by_death(s);
	if (atomic_load(&s->wake->bitten))
		return end_by_watchdog(s);
	if (*s->console.panic)
		return grace_over(s, PANIC_GRACE_NS, now) ? end_by_death(s) : 0;
	if (s->closed)
		return grace_over(s, CLOSE_GRACE_NS, now) ? end_by_death(s) : 0;
	if (oopsed(s) && grace_over(s, OOPS_GRACE_NS, now))
		return end_by_oops(s);
	if (s->console.kernel_began && !s->kernel_ns)
		s->kernel_ns = now - s->begun_ns;
	if (s->silence_ns && !s->kernel_ns && now >= s->silence_ns)
		return end_by_deadline(s);
	if (now >= s->deadline_ns || (s->lines.len && now >= s->heard_ns + HALF_LINE_NS))
		return end_by_deadline(s);
	return 0;
}

static void nap(struct session *s, bool room)
{
	int64_t left = (s->deadline_ns - clock_now_ns()) / NS_PER_MS + 1;

	if (s->progress)
		progress_tick(s->progress);
	if (!s->closed)
		channel_expect(s->channel, room);
	wake_wait(s->wake, left < TICK_MS ? left : TICK_MS);
}

/* More bytes into s->in, if it is empty; true if there are some. */
static bool fill(struct session *s)
{
	long n;

	if (s->in_at < s->in_len)
		return true;
	if (s->closed)
		return false;
	n = channel_recv(s->channel, s->in, sizeof(s->in));
	s->in_at = 0;
	s->in_len = n > 0 ? (size_t)n : 0;
	if (n > 0)
		s->heard_ns = clock_now_ns();
	s->closed = n < 0;
	return n > 0;
}

/* 0: @line is one; SESSION_ENDED; 2: not whole yet. */
#define NOT_WHOLE 2
static int split(struct session *s, const char **line, size_t *len)
{
	struct err why;
	size_t used = 0;
	int r;

	if (s->lines.total > SESSION_BYTES_MAX)
		return session_end(s, TRIAL_PROTOCOL,
				   "the agent flooded its channel: more than "
				   "%" PRIu64 " MiB",
				   SESSION_BYTES_MAX >> 20);
	r = wire_lines_feed(&s->lines, s->in + s->in_at, s->in_len - s->in_at, &used, line, len,
			    &why);
	s->in_at += used;
	if (r < 0) {
		fwrite(s->lines.data, 1, 256, s->raw);
		return session_end(s, TRIAL_PROTOCOL, "%s", why.msg);
	}
	return r == 1 ? 0 : NOT_WHOLE;
}

static int take_note(struct session *s, const struct wire_msg *msg)
{
	str_copy(s->note, sizeof(s->note), msg->note.text);
	console_clean(s->note);
	if (str_starts(s->note, "card "))
		str_copy(s->card, sizeof(s->card), s->note);
	if (++s->notes > SESSION_NOTES_MAX)
		return session_end(s, TRIAL_PROTOCOL,
				   "the agent flooded its channel: more than %d "
				   "notes",
				   SESSION_NOTES_MAX);
	return 0;
}

static int keep_raw(struct session *s, const char *line, size_t len, struct err *err)
{
	if (fwrite(line, 1, len, s->raw) != len || fputc('\n', s->raw) == EOF)
		return err_errno(err, ERR_HOST, "cannot write agent.jsonl");
	return 0;
}

int session_next(struct session *s, struct wire_msg *msg, struct err *err)
{
	for (;;) {
		const char *line = NULL;
		struct err why;
		size_t len = 0;
		int r;

		r = look(s, err);
		/* what the agent said before the end still counts, but not for ever */
		if (r < 0 || (r > 0 && (!fill(s) || ++s->late > LATE_MAX)))
			return r;
		if (!fill(s)) {
			nap(s, false);
			continue;
		}
		r = split(s, &line, &len);
		if (r == NOT_WHOLE)
			continue;
		if (r != 0 || (r = keep_raw(s, line, len, err)) < 0)
			return r;
		if (wire_decode(line, len, msg, &why) < 0)
			return session_end(s, TRIAL_PROTOCOL, "%s", why.msg);
		if (msg->type != WIRE_NOTE)
			return 0;
		if (take_note(s, msg) != 0)
			return SESSION_ENDED;
	}
}

static int send_bytes(struct session *s, const char *data, size_t len, struct err *err)
{
	while (len) {
		long n = s->closed ? 0 : channel_send(s->channel, data, len);
		int r;

		if (n > 0) {
			data += n;
			len -= (size_t)n;
			continue;
		}
		if (n < 0)
			s->closed = true;
		r = look(s, err);
		if (r != 0)
			return r;
		fill(s); /* an agent that cannot get rid of its words may not listen to ours */
		nap(s, true);
	}
	return 0;
}

int session_send(struct session *s, const struct wire_msg *msg, int fd, uint64_t len,
		 struct err *err)
{
	_cleanup_free_ char *chunk = xmalloc(WIRE_LINE_MAX > 65536 ? WIRE_LINE_MAX : 65536);
	int r, n = wire_encode(msg, chunk, err);

	if (n < 0)
		return -1;
	r = send_bytes(s, chunk, (size_t)n, err);
	while (r == 0 && fd >= 0 && len) {
		ssize_t got = read(fd, chunk, len < 65536 ? len : 65536);

		if (got <= 0) {
			errno = got < 0 ? errno : EIO;
			return err_errno(err, ERR_HOST, "cannot read the module to be loaded");
		}
		len -= (uint64_t)got;
		r = send_bytes(s, chunk, (size_t)got, err);
		if (r == 0 && s->deadline_ns <= clock_now_ns())
			r = end_by_deadline(s);
	}
	return r;
}

void session_settle(struct session *s, int64_t ms)
{
	int64_t end = clock_now_ns() + ms * NS_PER_MS;

	while (console_poll(&s->console) && clock_now_ns() < end && !stop_requested() &&
	       !atomic_load(&s->wake->ended) && !(*s->console.oops && *s->console.rip))
		clock_sleep_ms(TICK_MS / 4);
}
