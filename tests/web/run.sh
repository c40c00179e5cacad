#!/bin/bash
# SPDX-License-Identifier: GPL-3.0-or-later
#
# run.sh FIXTURE SOURCE_DIR - test the HTML report in Chromium.
#
# FIXTURE is the program that makes databases and pages (make-fixture.c), SOURCE_DIR this folder. Installs
# what it lacks (node, npm, chromium from Debian; playwright-core, pinned, from npm). Exits 77, which is
# "skipped", only where that cannot be done: not root, or no network.
set -euo pipefail

fixture=$1
source_dir=$2

skip()
{
	printf '1..0 # SKIP %s\n' "$*"
	exit 77
}

# install PACKAGE... - from Debian, as root only.
install()
{
	((EUID == 0)) || skip "$* not installed, and not root"
	printf 'run.sh: installing %s\n' "$*" >&2
	DEBIAN_FRONTEND=noninteractive apt-get -q -y -o DPkg::Lock::Timeout=300 install "$@" </dev/null >&2 ||
		{
			apt-get -q update </dev/null >&2 &&
				DEBIAN_FRONTEND=noninteractive apt-get -q -y install "$@" </dev/null >&2
		} || skip "cannot install $*"
}

chromium=${CHROMIUM:-/usr/bin/chromium}
command -v node >/dev/null || install nodejs
[[ -x $chromium ]] || install chromium
if ! [[ -d $source_dir/node_modules/playwright-core ]]; then
	command -v npm >/dev/null || install npm
	(cd "$source_dir" && npm ci --no-audit --no-fund --ignore-scripts >&2) || skip "cannot fetch playwright-core"
fi

work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
for kind in fill both quick days sweep hostile; do
	"$fixture" "$work/$kind.db" "$work/$kind.html" "$kind"
done
"$fixture" "$work/two.db" "$work/two.html" fill both

export CHROMIUM=$chromium PAGES=$work
cd "$source_dir"
exec node report.test.cjs
