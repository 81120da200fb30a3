// SPDX-License-Identifier: GPL-2.0-or-later
/* The table of options: see table.h. */
#include "controller/options/table.h"

#include "base/str.h"

#define ANY  (~0U)
#define WALK (CMD_PLAN | CMD_RUN)
#define TRIES                                                                               \
	(CMD_RUN | CMD_RESUME | CMD_TEST | CMD_DEMO | CMD_PROVE | CMD_VALIDATE | CMD_GATE | \
	 CMD_AUDIT)
#define PROVES (CMD_RUN | CMD_RESUME | CMD_DEMO | CMD_PROVE)
/* What makes the question: a resumed run keeps it. */
#define ASKS  (CMD_RUN | CMD_TEST | CMD_DEMO | CMD_VALIDATE | CMD_GATE | CMD_AUDIT)
#define BUILD (CMD_PLAN | ASKS | CMD_DOCTOR | CMD_BUILD)
/* Those of BUILD that only who builds from a range has. */
#define MAKES (CMD_PLAN | ASKS | CMD_BUILD)

const struct option_def option_table[OPTIONS] = {
	[OPT_REPO] = { "bisect.repo", "repo", 'C', KIND_TEXT, "DIR", NULL, 0, 0,
		       WALK | CMD_TEST | CMD_AUDIT | CMD_BUILD | CMD_VALIDATE | CMD_GATE,
		       "repository; without it the one around this directory" },
	[OPT_GOOD] = { "bisect.good", "good", 'g', KIND_LIST, "REV", NULL, 0, 0,
		       WALK | CMD_TEST | CMD_GATE,
		       "revision without the regression; may be given several times" },
	[OPT_BAD] = { "bisect.bad", "bad", 'b', KIND_LIST, "REV", NULL, 0, 0, WALK | CMD_GATE,
		      "revision with it; without it HEAD" },
	[OPT_PATH] = { "bisect.path", "path", 'p', KIND_LIST, "PATH", "drivers/gpu/drm/amd", 0, 0,
		       WALK | CMD_TEST | CMD_AUDIT | CMD_BUILD | CMD_VALIDATE | CMD_GATE,
		       "only commits that touch PATH; may be given several times" },
	[OPT_EVERY_COMMIT] = { "bisect.everycommit", "every-commit", 0, KIND_BOOL, NULL, "false", 0,
			       0, CMD_PLAN, "no limit to paths: what git bisect would try" },
	[OPT_FIRST_PARENT] = { "bisect.firstparent", "first-parent", 0, KIND_BOOL, NULL, "false", 0,
			       0, WALK, "follow only the first parent of merges" },
	[OPT_FIND] = { "bisect.find", "find", 0, KIND_CHOICE, "regression|fix", "regression", 0, 0,
		       WALK,
		       "the first bad commit, or the first good one: --good names the new end "
		       "then, --bad the old" },
	[OPT_TERM_OLD] = { "bisect.termold", "term-old", 0, KIND_TEXT, "WORD", NULL, 0, 0, WALK,
			   "what to call the state before the change; without it good, or bad for "
			   "a "
			   "fix" },
	[OPT_TERM_NEW] = { "bisect.termnew", "term-new", 0, KIND_TEXT, "WORD", NULL, 0, 0, WALK,
			   "what to call the state after it" },
	[OPT_FOLLOW] = { "bisect.follow", "follow", 0, KIND_BOOL, NULL, "false", 0, 0, WALK,
			 "add the names that files of the paths had before or after in the range" },
	[OPT_SUSPECT] = { "bisect.suspect", "suspect", 0, KIND_LIST, "REV", NULL, 0, 0, WALK,
			  "try the same change first: a commit, also of another tree or branch" },
	[OPT_SUSPECT_FILE] = { "bisect.suspectfile", "suspect-file", 0, KIND_LIST, "PATH", NULL, 0,
			       0, WALK, "commits that touch PATH weigh more" },
	[OPT_SUSPECT_FUNCTION] = { "bisect.suspectfunction", "suspect-function", 0, KIND_LIST,
				   "NAME", NULL, 0, 0, WALK,
				   "commits that change the C function NAME weigh more" },
	[OPT_TRUST_DEPS] = { "bisect.trustdeps", "trust-deps", 0, KIND_BOOL, NULL, "false", 0, 0,
			     WALK,
			     "leave out commits that touch no file which a build read; "
			     "without it they only weigh less" },
	[OPT_UPSTREAM] = { "bisect.upstream", "upstream", 0, KIND_TEXT, "REV", NULL, 0, 0, WALK,
			   "branch in which the culprit's upstream commit is looked for" },
	[OPT_WALK_CACHE] = { "bisect.walkcache", "walk-cache", 0, KIND_CHOICE, "on|off", "on", 0, 0,
			     WALK | CMD_AUDIT, "keep walked histories, and take them from there" },
	[OPT_NO_PROVE] = { "prove.off", "no-prove", 0, KIND_BOOL, NULL, "false", 0, 0,
			   CMD_RUN | CMD_RESUME | CMD_DEMO | CMD_GATE,
			   "leave out the corners that need a commit which nobody made" },
	[OPT_TIP] = { "prove.tip", "tip", 0, KIND_TEXT, "REV", NULL, 0, 0, PROVES,
		      "revision that the proof takes the culprit away from; without it the new "
		      "end" },
	[OPT_FOLLOW_UP] = { "prove.followup", "follow-up", 0, KIND_TEXT, "REV", NULL, 0, 0, PROVES,
			    "commit that completes the culprit; without it those that name it" },
	[OPT_BASE] = { "validate.base", "base", 0, KIND_TEXT, "REV", NULL, 0, 0, CMD_VALIDATE,
		       "revision that the patches are laid on" },
	[OPT_SETS] = { "validate.apply", "apply", 0, KIND_LIST, "PATCH|REV[,...]", NULL, 0, 0,
		       CMD_VALIDATE,
		       "a set of patches, a row of the table; a directory is its *.patch files; "
		       "may "
		       "be given several times" },
	[OPT_EACH] = { "validate.each", "each", 0, KIND_BOOL, NULL, "false", 0, 0, CMD_VALIDATE,
		       "of a set with several patches, a row after each of them" },
	[OPT_ROUNDS] = { "validate.rounds", "rounds", 0, KIND_NUM, "N", "2", 1, 100,
			 CMD_VALIDATE | CMD_AUDIT, "how often each build is booted, in turns" },
	[OPT_FLAKY] = { "search.flaky", "flaky", 0, KIND_REAL, "P", "0", 0, 4500, WALK,
			"chance that a bad commit's trial finds nothing; every trial is weighed "
			"then" },
	[OPT_CONFIDENCE] = { "search.confidence", "confidence", 0, KIND_REAL, "P", "0.99", 5000,
			     9999, WALK, "with --flaky: how sure a culprit must be" },
	[OPT_WORKERS] = { "run.workers", "workers", 'W', KIND_AUTO, "N|auto", NULL, 1, 64,
			  CMD_PLAN | CMD_RUN | CMD_RESUME | CMD_DEMO,
			  "trials at once, each in a guest of its own; auto: one a card, or what "
			  "this machine can bear; without it one a card, else 1" },
	[OPT_REPLAY] = { "run.replay", "replay", 0, KIND_TEXT, "FILE", NULL, 0, 0, WALK,
			 "begin with the verdicts of a `git bisect log`" },
	[OPT_SCOPE] = { "build.scope", "scope", 's', KIND_CHOICE, "unit|module|kernel|auto", "unit",
			0, 0, BUILD,
			"what is built of each candidate: the one translation unit, amdgpu.ko, or "
			"the "
			"kernel with it; auto: amdgpu.ko where that is sound, else the kernel" },
	[OPT_TREE] = { "build.tree", "tree", 0, KIND_CHOICE, "overlay|whole", "overlay", 0, 0,
		       MAKES & ~CMD_AUDIT, /* whose --tree is another */
		       "where the other files are from: the kernel's source, or the candidate" },
	[OPT_DRIVER] = { "build.driver", "driver", 0, KIND_CHOICE, "unit|module", "unit", 0, 0,
			 MAKES, "with --scope kernel: the driver's one unit, or amdgpu.ko" },
	[OPT_APPLY] = { "build.apply", "apply", 0, KIND_LIST, "PATCH|REV", NULL, 0, 0,
			MAKES & ~(CMD_VALIDATE | CMD_AUDIT),
			"mend candidates with a patch or a commit before they are built; may be "
			"followed by `if-has REV` and `unless-has REV`" },
	[OPT_RELEASE] = { "build.release", "release", 0, KIND_TEXT, "RELEASE", NULL, 0, 0,
			  BUILD | CMD_IMAGE,
			  "kernel release to build for and to boot; without it the newest complete "
			  "one" },
	[OPT_SOURCE] = { "build.source", "source", 0, KIND_TEXT, "PATH", NULL, 0, 0, BUILD,
			 "kernel source, tarball or tree; without it from /usr/src" },
	[OPT_KCONFIG] = { "build.config", "kconfig", 0, KIND_TEXT, "FILE", NULL, 0, 0, BUILD,
			  "kernel config; without it /boot/config-RELEASE" },
	[OPT_FRAGMENT] = { "build.fragment", "fragment", 0, KIND_LIST, "FILE", NULL, 0, 0, MAKES,
			   "config fragment laid over the kernel config; may be given several "
			   "times" },
	[OPT_SYMVERS] = { "build.symvers", "symvers", 0, KIND_TEXT, "FILE", NULL, 0, 0, BUILD,
			  "Module.symvers; without it that of the kernel's headers" },
	[OPT_CC] = { "build.cc", "cc", 0, KIND_TEXT, "COMPILER", "gcc", 0, 0, BUILD, "C compiler" },
	[OPT_COMPILER] = { "build.compiler", "compiler", 0, KIND_LIST, "VERSIONS CC", NULL, 0, 0,
			   MAKES,
			   "another compiler for some kernel versions, as \"4.19..5.17 gcc-10\"" },
	[OPT_CCACHE] = { "build.ccache", "ccache", 0, KIND_CHOICE, "auto|off", "auto", 0, 0,
			 TRIES | CMD_BUILD, "compile through ccache if it is installed" },
	[OPT_JOBS] = { "build.jobs", "jobs", 'j', KIND_NUM, "N", "0", 0, 4096, TRIES | CMD_BUILD,
		       "parallel compiles; 0: one per core" },
	[OPT_AHEAD] = { "build.ahead", "ahead", 0, KIND_CHOICE, "on|off", "on", 0, 0,
			CMD_RUN | CMD_RESUME | CMD_DEMO,
			"while a guest tests, build what may come next" },
	[OPT_IDLE] = { NULL, "idle", 0, KIND_BOOL, NULL, "false", 0, 0, CMD_BUILD,
		       "only with what the machine has left" },
	[OPT_CACHE_SIZE] = { "build.cachesize", "cache-size", 0, KIND_NUM, "MIB", "16384", 2048,
			     16777216, TRIES | CMD_BUILD,
			     "most that trees, artifacts and ccache take; the oldest go first" },
	[OPT_IMAGE] = { "guest.image", "image", 0, KIND_TEXT, "FILE", NULL, 0, 0, BUILD | CMD_IMAGE,
			"kernel the guest boots; without it /boot/vmlinuz-RELEASE" },
	[OPT_MODULES] = { "guest.modules", "modules", 0, KIND_TEXT, "DIR", NULL, 0, 0,
			  BUILD | CMD_IMAGE,
			  "modules of that kernel; without it /lib/modules/RELEASE" },
	[OPT_CONNECT] = { "guest.uri", "connect", 'c', KIND_TEXT, "URI", NULL, 0, 0,
			  TRIES | CMD_DOCTOR,
			  "libvirt; without it the embedded driver, no daemon" },
	[OPT_POOL] = { "guest.pool", "pool", 0, KIND_TEXT, "NAME", NULL, 0, 0, TRIES,
		       "with --connect: storage pool that the guest's files travel to; without it "
		       "default, or one that is made" },
	[OPT_ACCEL] = { "guest.accel", "accel", 0, KIND_CHOICE, "auto|kvm|tcg", "auto", 0, 0,
			TRIES | CMD_DOCTOR, "acceleration; auto uses KVM only if it runs a guest" },
	[OPT_START] = { "guest.start", "start", 0, KIND_CHOICE, "auto|warm|cold", "auto", 0, 0,
			TRIES,
			"how guests start: warm is restored from one that was booted and saved; "
			"auto "
			"does that where it can" },
	[OPT_MEMORY] = { "guest.memory", "memory", 'm', KIND_NUM, "MIB", "512", 128, 1048576, TRIES,
			 "memory of the guest" },
	[OPT_VCPUS] = { "guest.vcpus", "vcpus", 0, KIND_NUM, "N", "1", 1, 512, TRIES,
			"virtual processors of the guest" },
	[OPT_APPEND] = { "guest.append", "append", 0, KIND_TEXT, "ARGS", NULL, 0, 0, TRIES,
			 "more arguments for the guest's kernel" },
	[OPT_GPU] = { "guest.gpu", "gpu", 0, KIND_TEXT, "auto|none|PCI,...", "none", 0, 0, TRIES,
		      "card that is passed to the guest; of several each gets a guest of its own; "
		      "auto: those that can be passed" },
	[OPT_GPU_ROM] = { "guest.gpurom", "gpu-rom", 0, KIND_TEXT, "on|off|FILE", "on", 0, 0, TRIES,
			  "the card's expansion ROM: its own, none, or a file instead" },
	[OPT_GPU_WINDOW] = { "guest.gpuwindow", "gpu-window", 0, KIND_NUM, "GIB", "0", 0, 1048576,
			     TRIES, "room for its BARs above 4 GiB; 0: by the card" },
	[OPT_GIVE_SCREEN] = { "guest.givescreen", "give-screen", 0, KIND_BOOL, NULL, "false", 0, 0,
			      TRIES, "take the card also where the host loses its screen" },
	[OPT_GPU_SUSPEND] = { "guest.gpususpend", "gpu-suspend", 0, KIND_BOOL, NULL, "false", 0, 0,
			      TRIES,
			      "a card that no reset mends: let this machine sleep for 15 s, too" },
	[OPT_RELEASE_CARD] = { NULL, "release-card", 0, KIND_TEXT, "PCI", NULL, 0, 0, CMD_DOCTOR,
			       "end the quarantine of a card that works again" },
	[OPT_HUGEPAGES] = { "guest.hugepages", "hugepages", 0, KIND_CHOICE, "2M|1G|off", "off", 0,
			    0, TRIES, "pages that the guest's memory is of" },
	[OPT_CPUS] = { "guest.cpus", "cpus", 0, KIND_TEXT, "LIST", NULL, 0, 0, TRIES,
		       "processors of this machine that the guest runs on, as 2-5,8" },
	[OPT_CORE] = { "guest.core", "core", 0, KIND_CHOICE, "on|off", "off", 0, 0, TRIES,
		       "keep the memory of a guest that panics, oopses, hangs or locks up, 20 "
		       "MiB and more each" },
	[OPT_AGENT] = { "guest.agent", "agent", 0, KIND_TEXT, "FILE", NULL, 0, 0, TRIES | CMD_IMAGE,
			"agent to run in the guest; without it the installed one" },
	[OPT_GUEST] = { "guest.kind", "guest", 0, KIND_CHOICE, "initramfs|disk", "initramfs", 0, 0,
			TRIES,
			"the small guest, or a whole system on the disk that vm-images/disk-guest "
			"makes" },
	[OPT_DISK] = { "guest.disk", "disk", 0, KIND_TEXT, "FILE", NULL, 0, 0, TRIES,
		       "with --guest disk: its image, raw or qcow2; without it the last one made" },
	[OPT_MAKE_DISK] = { NULL, "disk", 0, KIND_TEXT, "RELEASE", NULL, 0, 0, CMD_IMAGE,
			    "make a disk guest: debian-12, debian-13, ubuntu-24.04, or a release's "
			    "name" },
	[OPT_NO_HIP] = { NULL, "no-hip", 0, KIND_BOOL, NULL, "false", 0, 0, CMD_IMAGE,
			 "with --disk: without the HIP runtime of the distribution" },
	[OPT_INCLUDE] = { NULL, "include", 0, KIND_LIST, "PACKAGE", NULL, 0, 0, CMD_IMAGE,
			  "with --disk: one more package; may be given several times" },
	[OPT_SOURCES] = { NULL, "sources", 0, KIND_LIST, "FILE", NULL, 0, 0, CMD_IMAGE,
			  "with --disk: apt sources; may be given several times" },
	[OPT_REFRESH] = { NULL, "refresh", 0, KIND_BOOL, NULL, "false", 0, 0, CMD_IMAGE,
			  "with --disk: make it again with the packages of today" },
	[OPT_RUNTIME_DIR] = { "guest.runtimedir", "runtime-dir", 0, KIND_TEXT, "DIR", NULL, 0, 0,
			      TRIES | CMD_IMAGE,
			      "give the guest the HIP runtime that lies there, in a directory or a "
			      "whole tree; /: this machine's" },
	[OPT_RUNTIME_DEB] = { "guest.runtimedeb", "runtime-deb", 0, KIND_LIST, "FILE", NULL, 0, 0,
			      TRIES | CMD_IMAGE,
			      "give it the HIP runtime of a package; may be given several times" },
	[OPT_FIRMWARE] = { "guest.firmware", "firmware", 0, KIND_TEXT, "auto|off|DIR", "auto", 0, 0,
			   TRIES | CMD_IMAGE,
			   "give it the firmware that amdgpu.ko names, from DIR; auto: from "
			   "/lib/firmware where amdgpu.ko meets a card" },
	[OPT_BOOT_LIMIT] = { "guest.bootlimit", "boot-limit", 0, KIND_NUM, "S", "0", 0, 86400,
			     TRIES, "seconds until the agent answers; 0: by the acceleration" },
	[OPT_LOAD_LIMIT] = { "guest.loadlimit", "load-limit", 0, KIND_NUM, "S", "0", 0, 86400,
			     TRIES, "seconds for loading the modules; 0: by the acceleration" },
	[OPT_PROBE_LIMIT] = { "guest.probelimit", "probe-limit", 0, KIND_NUM, "S", "0", 0, 86400,
			      TRIES,
			      "seconds for the probe; 0: from the sizes and the acceleration" },
	[OPT_SIZES] = { "probe.sizes", "sizes", 0, KIND_TEXT, "MIB,MIB", "4,8", 0, 0, ASKS,
			"sizes of the copies [MiB]; two at least, smallest first" },
	[OPT_OFFSETS] = { "probe.offset", "offset", 0, KIND_NUM, "KIB", "0", 0, 2044, ASKS,
			  "start of the source past a 2 MiB boundary [KiB], a multiple of 4" },
	[OPT_REPEATS] = { "probe.repeats", "repeats", 'r', KIND_NUM, "N", "3", 1, 100, ASKS,
			  "copies per regime and size" },
	[OPT_PERMISSION] = { "probe.permission", "permission", 0, KIND_CHOICE, "vma|read", "vma", 0,
			     0, CMD_TEST,
			     "with --window-table: what the mirror asks for, the mapping's or "
			     "read" },
	[OPT_KERNEL_EVIDENCE] = { "probe.kernelevidence", "kernel-evidence", 0, KIND_BOOL, NULL,
				  "false", 0, 0, ASKS,
				  "after the copies a pass under the kernel's probes: how often "
				  "hmm_range_fault was called, and the time inside; no verdict "
				  "rests on it" },
	[OPT_EXEC] = { "probe.exec", "exec", 0, KIND_TEXT, "FILE|guest:PATH", NULL, 0, 0, ASKS,
		       "test with this program instead of copies: it is packed into the guest with "
		       "its libraries, or lies there" },
	[OPT_EXEC_ARGS] = { "probe.execargs", "exec-args", 0, KIND_TEXT, "ARGS", NULL, 0, 0, ASKS,
			    "its arguments, parted by blanks" },
	[OPT_PACK] = { "probe.pack", "pack", 0, KIND_LIST, "FILE", NULL, 0, 0, ASKS,
		       "a program or data that it needs, put beside it; may be given several "
		       "times" },
	[OPT_RULE] = { "probe.rule", "rule", 0, KIND_LIST, "RULE", NULL, 0, 0, ASKS,
		       "what makes a commit bad: exit, metric NAME, console PRESET or console "
		       "/REGEX/; may be given several times (exit)" },
	[OPT_RETRIES] = { "run.retries", "retries", 0, KIND_NUM, "N", "1", 0, 20, TRIES,
			  "how often a weak result is tried again before it is a skip" },
	[OPT_WINDOW_TABLE] = { NULL, "window-table", 0, KIND_BOOL, NULL, "false", 0, 0, CMD_TEST,
			       "print the window law's table for REV instead of a verdict" },
	[OPT_PROBE_ARGS] = { NULL, "probe-args", 0, KIND_TEXT, "ARGS", NULL, 0, 0, CMD_TEST,
			     "run copy-regimes with these options and print its rows instead of a "
			     "verdict" },
	[OPT_AUDIT_UPSTREAM] = { NULL, "upstream", 0, KIND_TEXT, "[REPO:]REV", NULL, 0, 0,
				 CMD_AUDIT,
				 "where the changes come from; without REPO: from --repo" },
	[OPT_AUDIT_TREE] = { NULL, "tree", 0, KIND_TEXT, "[REPO:]REV", "HEAD", 0, 0, CMD_AUDIT,
			     "the tree that is audited; without REPO: from --repo" },
	[OPT_SINCE] = { NULL, "since", 0, KIND_TEXT, "REV", NULL, 0, 0, CMD_AUDIT,
			"only changes that the tree did not have at REV" },
	[OPT_DISTANCE] = { NULL, "distance", 0, KIND_NUM, "DAYS", "90", 1, 3650, CMD_AUDIT,
			   "how long after a change a commit that does not name it may be its "
			   "follow-up" },
	[OPT_MIN_RANK] = { NULL, "min-rank", 0, KIND_CHOICE, "certain|strong|likely|possible",
			   "likely", 0, 0, CMD_AUDIT, "leave out what is less sure" },
	[OPT_AUDIT_TEST] = { NULL, "test", 0, KIND_BOOL, NULL, "false", 0, 0, CMD_AUDIT,
			     "build the tree with each follow-up, boot it, and say which completes "
			     "the pair; other options of a build and a guest count with this "
			     "alone" },
	[OPT_DIR] = { "run.dir", "dir", 'd', KIND_TEXT, "DIR", NULL, 0, 0,
		      CMD_RUN | CMD_TEST | CMD_DEMO | CMD_BUILD | CMD_VALIDATE | CMD_AUDIT,
		      "where the run is kept, or a build's log; without it below "
		      "$XDG_STATE_HOME/amdgpu-bisect" },
	[OPT_COMMITS] = { NULL, "commits", 'n', KIND_NUM, "N", "64", 32, 5000, CMD_DEMO,
			  "commits after the first" },
	[OPT_SEED] = { NULL, "seed", 0, KIND_NUM, "S", "1", 0, UINT64_MAX, CMD_DEMO,
		       "where the commits of interest lie" },
	[OPT_TOUCH_CORE] = { NULL, "touch-core", 0, KIND_BOOL, NULL, "false", 0, 0, CMD_DEMO,
			     "some of the commits change mm/hmm.c and include/linux/hmm.h too" },
	[OPT_FAULT] = { NULL, "fault", 0, KIND_CHOICE, "windows|slow|warn", "windows", 0, 0,
			CMD_DEMO,
			"what the culprit does: windows; or what only --exec and --rule find, 3 ms "
			"a call or "
			"one warning of the kernel" },
	[OPT_FORMAT] = { NULL, "format", 'f', KIND_CHOICE, "text|json", "text", 0, 0,
			 CMD_PLAN | CMD_AUDIT | CMD_REPORT | CMD_STATUS | CMD_VISUALIZE |
				 CMD_VALIDATE,
			 "how to print it" },
	[OPT_MAIL] = { NULL, "mail", 0, KIND_CHOICE, "regression|stable|bug", NULL, 0, 0,
		       CMD_REPORT,
		       "a draft to send by hand: to the maintainers, the stable team, or a "
		       "tracker" },
	[OPT_LIMIT] = { NULL, "limit", 0, KIND_NUM, "N", "200", 0, 10000000, CMD_VISUALIZE,
			"commits shown at most, the newest; 0: all" },
	[OPT_OUTPUT] = { NULL, "output", 'o', KIND_TEXT, "FILE", NULL, 0, 0,
			 CMD_PLAN | CMD_AUDIT | CMD_REPORT | CMD_LOG | CMD_VISUALIZE | CMD_VALIDATE,
			 "write to FILE; without it to standard output" },
	[OPT_EVIDENCE] = { NULL, "evidence", 0, KIND_TEXT, "DIR", NULL, 0, 0, CMD_REPORT,
			   "write all that the verdicts rest on into DIR, for replay; no report" },
	[OPT_OLD] = { "gate.old", "old", 0, KIND_TEXT, "PKG|REV", NULL, 0, 0, CMD_GATE,
		      "the kernel that the new one is held against: a revision, a directory with "
		      "its "
		      "packages, or the one with its image among them" },
	[OPT_NEW] = { "gate.new", "new", 0, KIND_TEXT, "PKG|REV", NULL, 0, 0, CMD_GATE,
		      "the kernel that is to be released, likewise" },
	[OPT_OUT] = { "gate.out", "out", 0, KIND_TEXT, "DIR", NULL, 0, 0, CMD_GATE,
		      "where JUnit XML, KTAP and the evidence go; without it below "
		      "$XDG_STATE_HOME/amdgpu-bisect" },
	[OPT_BUDGET] = { "gate.budget", "budget", 0, KIND_TEXT, "TIME", NULL, 0, 0, CMD_GATE,
			 "end after that time, as 30m, 90s or 2h, with what was measured" },
	[OPT_QUIET] = { NULL, "quiet", 'q', KIND_BOOL, NULL, "false", 0, 0, ANY,
			"no progress, only the result" },
	[OPT_CONFIG] = { NULL, "config", 0, KIND_TEXT, "FILE", NULL, 0, 0, ANY,
			 "read FILE instead of ./bisect.conf" },
	[OPT_SHOW_CONFIG] = { NULL, "show-config", 0, KIND_BOOL, NULL, "false", 0, 0, ANY,
			      "print each value with its origin and stop" },
	[OPT_HELP] = { NULL, "help", 'h', KIND_BOOL, NULL, "false", 0, 0, ANY, "this text" },
};

/* What one command can do and another cannot. */
static const struct {
	enum option id;
	unsigned int commands;
	const char *choices;
} narrower[] = {
	{ OPT_FORMAT, CMD_PLAN | CMD_VISUALIZE, "text|json|dot" },
	{ OPT_FORMAT, CMD_REPORT, "text|json|html|junit|ktap" },
	{ OPT_FORMAT, CMD_AUDIT, "text|json|sarif" },
};

const char *option_choices(enum option id, enum command command)
{
	for (size_t i = 0; i < ARRAY_SIZE(narrower); i++)
		if (narrower[i].id == id && (narrower[i].commands & command))
			return narrower[i].choices;
	return option_table[id].arg;
}
