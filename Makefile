# SPDX-License-Identifier: GPL-2.0-only
#
# The front door: every target here calls a script or another Makefile, which
# do the work and explain themselves.

.DEFAULT_GOAL := help
SHELL := /bin/bash
MAKEFLAGS += --no-print-directory

# "make demo ARCH=arm64" means the same as XEN_ARCH=arm64.  The environment's ARCH is the kernel's.
ifeq ($(origin ARCH),command line)
XEN_ARCH := $(ARCH)
endif

# As xen-patches/lib/paths.sh has it.
BUILD := $(CURDIR)/build$(if $(filter-out 4.20,$(XEN_RELEASE)),/$(XEN_RELEASE))
BUILD := $(BUILD)$(if $(filter-out x86_64,$(XEN_ARCH)),/$(XEN_ARCH))

# ccache, where it is installed.
ifneq ($(wildcard /usr/lib/ccache),)
export PATH := /usr/lib/ccache:$(PATH)
endif

TOOLS := BUILD=$(BUILD)/tools XEN_DIST=$(BUILD)/dist
UNIT  := BUILD=$(BUILD)/unit XEN_DIST=$(BUILD)/dist
ifeq ($(XEN_ARCH),arm64)
TOOLS += CC="aarch64-linux-gnu-gcc --sysroot=$$(xen-patches/sysroot.sh)" \
         AR=aarch64-linux-gnu-ar
endif
JOBS  := $(shell nproc)

# A source of one's own reaches the scripts as they do from the environment.
export XEN_TARBALL XEN_TREE XEN_RELEASE XEN_FROM XEN_ARCH

.PHONY: help
help:
	@sed -n 's/^#| \?//p' $(firstword $(MAKEFILE_LIST))

#| xensched: log scheduling facts in Xen, place VMs by them.
#|
#| See it at work
#|   make demo          install what is missing, build, boot a Xen host in QEMU and show
#|                      a disk guest being moved to its driver domain
#|   make host          a shell in dom0 of such a host
#|
#| Build
#|   make setup         install the Debian packages that are missing (asks sudo)
#|   make xen           patched Xen: hypervisor and toolstack, in build/; from the source
#|                      that apt offers, or a pinned one (docs/develop/building.md)
#|   make check-updates   compare the pinned Xen with Debian's newest
#|   make xen-native    the same hypervisor without the patches, to compare with
#|   make tools         the library, the daemon xenschedd, the command xensched
#|   make install       install the tools on this machine (DESTDIR=, prefix=/usr)
#|   make uninstall     remove them again
#|   make deb           Debian packages of all of it, for this machine's Debian, in build/deb/
#|
#| Check
#|   make test          everything; the last line counts passed, failed, skipped
#|   make test-full     everything at length: hours
#|   make test-one NAME=daemon     one host test, or several
#|   make test-shell NAME=daemon   a shell in the host of that test
#|   make unit          unit tests only, in minutes
#|   make flask         permissions with FLASK, on a hypervisor of its own
#|   make stock         daemon and commands on an unpatched toolstack
#|   make debug         the roughest host tests, on a hypervisor with its assertions
#|   make drivers       the Linux modules, for the kernel of the host in a box
#|   make test-drivers  the tests of these modules only; KERNEL=6.12: with a kernel of
#|                      that series in the box
#|   make checked-kernel   the same on a Linux that checks itself (lockdep and others;
#|                      builds it once, 20 minutes of 2 CPUs)
#|   make fuzz          fuzz the record handler and the reader, SECONDS=600 each
#|   make lint          shell scripts, white space, documents, and more
#|
#| Measure (docs/develop/benchmarks.md); results are in build/bench/
#|   make bench         all benchmarks but near, phases, sampling and lever
#|   make bench-host    cost of logging for guests that use their disk (15 to 25 minutes)
#|   make bench-sites   cost of log sites, in instructions
#|   make bench-record  cost of recording an event, in cycles
#|   make bench-reader  cost of reading a log while it is written
#|   make bench-model   cost of matrix and plans on a large host
#|   make bench-daemon  cost of the whole daemon there, also while 1,000 guests boot
#|   make bench-cases   placement under loads that have hurt other schedulers
#|   make bench-page    opening and panning of the timeline's page
#|   make bench-memory  log sizes that Postmark and fio need
#|   make bench-recording  cost of recording everything, and of xentrace and trace-cmd
#|   make bench-disks   the ways of knowing disks' work: cost and agreement
#|   make bench-processes  cost of knowing which process of a guest asks for I/O
#|   make bench-correlation   agreement of notifications and rings
#|   make bench-placement     cost of a guest's location, in instructions
#|   make bench-machine       the same, and the log, in cache lines
#|                            (docs/develop/machine-model.md)
#|   make bench-near    a guest's location, by guests' clocks where distance takes time
#|                      (needs 'make machine'; minutes per seed and machine)
#|   make bench-phases  xenschedd's placement against credit2, where distance takes time
#|                      (needs 'make machine'; an hour for each load)
#|   make bench-sampling  a few samples of a run against the whole run, on the machine
#|                        model (docs/measure/sampling.md)
#|   make bench-lever     where a guest runs with soft and hard affinity (an hour or more)
#|   make machine       QEMU for the box's mode timed, in which each pCPU has its own clock
#|                      (root; ten minutes, once; docs/develop/machine-model.md)
#|
#| Write what is generated
#|   make results       the tables of documents, from docs/develop/results/
#|   make pictures      pictures and output in docs/measure/timeline.md
#|   make man           options and keys of the manual pages, from the programs' tables
#|
#| Change the patches (docs/develop/building.md)
#|   make xen-edit      build/xen/edit: a git repository, one commit per patch
#|   make xen-refresh   write its commits back to xen-patches/
#|   make xen-series    the series as mails, in build/series/; and the parts for
#|                      xen-devel, with cover letters (docs/develop/upstream.md)
#|   make xen-hunks     list the hunks that do not apply to another release of Xen
#|   make xen-series-check   build the hypervisor after every patch (slow); KINDS=all
#|                      also debug, with clang, for arm64, and the toolstack; SERIES=NAME
#|                      only these; LAST=y only after the last one
#|
#| Clean up
#|   make clean         remove what was built; keep downloads and build/xen/edit
#|   make distclean     remove all of build/, unless work in build/xen/edit would be lost
#|
#| XEN_RELEASE=X.Y selects another release of Xen that has a folder in xen-patches/.
#| XEN_ARCH=arm64 with xen, xen-native, tools, drivers, deb, demo or bench-sites is for arm64,
#| in build/arm64.
#| XEN_TARBALL=FILE or XEN_TREE=FOLDER builds your own Xen source; XEN_FROM=pin accepts
#| only the pinned one, XEN_FROM=apt only apt's.

.PHONY: setup
setup:
	@tests/setup.sh

.PHONY: xen
xen:
	@xen-patches/tree.sh patched
	@xen-patches/build.sh $(BUILD)/xen/patched
	@xen-patches/toolstack.sh

.PHONY: check-updates
check-updates:
	@xen-patches/check-updates.sh

.PHONY: xen-native
xen-native:
	@xen-patches/tree.sh native
	@xen-patches/build.sh $(BUILD)/xen/native

.PHONY: xen-series
xen-series:
	@xen-patches/series.sh
	@xen-patches/upstream.sh $(ASSISTED_BY)

.PHONY: xen-series-check
xen-series-check:
	@KINDS="$(KINDS)" xen-patches/series-check.sh $(SERIES)

.PHONY: xen-hunks
xen-hunks:
	@xen-patches/hunks.sh

.PHONY: xen-edit
xen-edit:
	@xen-patches/edit.sh

.PHONY: xen-refresh
xen-refresh:
	@xen-patches/refresh.sh

.PHONY: tools
tools: xen
	@$(MAKE) -C tools/xensched $(TOOLS) -j$(JOBS)

.PHONY: unit
unit: xen
	@$(MAKE) -C tests/unit $(UNIT) -j$(JOBS) all
	@$(MAKE) -C tests/unit $(UNIT) -k -j$(JOBS) -Otarget test

.PHONY: host
host: xen tools
	@tests/host/interactive.sh

.PHONY: demo
demo: setup
	@$(MAKE) xen tools
	@tests/host/demo.sh

.PHONY: test
test: setup
	@tests/run.sh

.PHONY: test-full
test-full:
	@tests/setup.sh --full
	@tests/run.sh --full

.PHONY: test-one test-shell need-name
test-one test-shell: need-name xen xen-native tools drivers
test-one:
	@tests/host/run-tests.sh $(NAME)

test-shell:
	@tests/host/run-tests.sh --shell $(NAME)

need-name:
	@: $(or $(NAME),$(error NAME=TEST is missing: tests/host/run-tests.sh --plan \
	    has the names))

.PHONY: bench
bench: bench-record bench-reader bench-model bench-cases bench-daemon bench-sites
bench: bench-memory bench-correlation bench-recording bench-processes bench-disks bench-placement
bench: bench-machine bench-host

.PHONY: bench-record
bench-record: xen xen-native
	@tests/bench/record.sh

.PHONY: bench-reader
bench-reader: xen
	@tests/bench/reader.sh

.PHONY: bench-model
bench-model: xen
	@tests/bench/model.sh

.PHONY: bench-cases
bench-cases: xen
	@tests/bench/cases.sh

.PHONY: bench-daemon
bench-daemon: xen
	@tests/bench/daemon.sh

.PHONY: bench-sites
bench-sites: xen xen-native tools
	@tests/bench/site-cost.sh

.PHONY: bench-memory bench-correlation bench-recording bench-processes bench-disks
bench-memory bench-correlation bench-recording bench-processes bench-disks: xen tools drivers
	@tests/bench/host-$(@:bench-%=%).sh

# Needs Debian's chromium, chromium-driver and python3-selenium.
.PHONY: bench-page
bench-page: tools
	@mkdir -p build/bench
	@LD_LIBRARY_PATH=$(CURDIR)/build/dist/usr/lib tests/bench/page.py \
	    build/tools/xensched build/bench/page.json

.PHONY: bench-placement bench-machine bench-near bench-phases bench-sampling bench-lever
bench-placement bench-machine bench-near bench-phases bench-sampling bench-lever: xen tools
	@tests/bench/host-$(@:bench-%=%).sh

.PHONY: machine
machine:
	@tests/machine/qemu/build.sh

.PHONY: man
man: xen
	@$(MAKE) -C tests/unit $(UNIT) -j$(JOBS) program
	@tools/xensched/man/options.py --write $(BUILD)/unit/bin/xensched-test

.PHONY: pictures
pictures: xen tools drivers
	@tests/host/pictures.sh

.PHONY: results
results:
	@tests/bench/results.py

.PHONY: bench-host
bench-host: xen xen-native tools drivers
	@tests/bench/host.sh

.PHONY: drivers
drivers:
	@tests/drivers/build.sh

.PHONY: test-drivers
test-drivers: xen xen-native tools
	@tests/drivers/test.sh $(KERNEL)

.PHONY: flask
flask: xen tools
	@tests/host/flask.sh

.PHONY: stock
stock: xen xen-native tools
	@tests/host/stock.sh

.PHONY: debug
debug: xen tools drivers
	@tests/host/debug.sh

.PHONY: checked-kernel
checked-kernel: xen tools drivers
	@tests/host/checked-kernel.sh

SECONDS ?= 600
.PHONY: fuzz
fuzz: xen
	@$(MAKE) -C tests/fuzz run SECONDS=$(SECONDS)

.PHONY: lint
lint:
	@tests/lint.sh

.PHONY: install uninstall
install: tools
install uninstall:
	@$(MAKE) -C tools/xensched $(TOOLS) $@

.PHONY: deb
deb:
	@tools/packaging/deb.sh

.PHONY: clean
clean:
	@rm -rf $(addprefix $(BUILD)/,deb dist tools unit host host-* bench series \
	    test test-drivers* guest-drivers log)
	@find $(BUILD)/xen -mindepth 1 -maxdepth 1 ! -name edit \
	    -exec rm -rf {} + 2> /dev/null || :

.PHONY: distclean
distclean:
	@xen-patches/edit.sh --may-remove
	@rm -rf $(BUILD)
