/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "cli/output.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/stat.h>
#include <unistd.h>

#include "report/html.h"
#include "report/json.h"
#include "report/terminal.h"

static int make_folders(char *path, struct err *err)
{
	for (char *slash = strchr(path + 1, '/'); slash; slash = strchr(slash + 1, '/')) {
		*slash = '\0';
		if (mkdir(path, 0777) < 0 && errno != EEXIST)
			return err_sys(
				err, -errno,
				"cannot make the folder '%s' for results; say where with --db FILE",
				path);
		*slash = '/';
	}
	return 0;
}

int store_path(const char *db, char *buf, size_t size, bool make, struct err *err)
{
	const char *data = getenv("XDG_DATA_HOME");
	const char *home = getenv("HOME");
	int n;

	if (!strcmp(db, "none")) {
		buf[0] = '\0';
		return 0;
	}
	if (*db)
		n = snprintf(buf, size, "%s", db);
	else if (data && *data == '/')
		n = snprintf(buf, size, "%s/assay/assay.db", data);
	else if (home && *home)
		n = snprintf(buf, size, "%s/.local/share/assay/assay.db", home);
	else
		return err_set(err, -ENOENT,
			       "neither XDG_DATA_HOME nor HOME is set; say where results go with "
			       "--db FILE");
	if (n < 0 || (size_t)n >= size)
		return err_set(err, -ENAMETOOLONG, "the path of the results is too long");
	return make && !*db ? make_folders(buf, err) : 0;
}

int store_open_read(const char *db, struct store **ret, struct err *err)
{
	char path[4096];
	int r = store_path(db, path, sizeof(path), false, err);

	if (r < 0)
		return r;
	if (!*path)
		return err_set(err, -ERR_USAGE, "nothing is kept in '--db none'");
	if (access(path, F_OK) < 0)
		return err_set(err, -ENOENT, "there are no results in '%s' yet", path);
	return store_open(ret, path, true, err);
}

int output_open(const char *path, FILE **ret, struct err *err)
{
	if (!*path || !strcmp(path, "-")) {
		*ret = stdout;
		return 0;
	}
	*ret = fopen(path, "we");
	return *ret ? 0 : err_sys(err, -errno, "cannot write '%s'", path);
}

int output_close(const char *path, FILE *f, struct err *err)
{
	int failed = ferror(f);

	if (f == stdout)
		failed |= fflush(f) != 0;
	else
		failed |= fclose(f) != 0;
	if (failed && errno == EPIPE)
		return 0; /* the reader has seen enough */
	return failed ? err_sys(err, errno ? -errno : -EIO, "cannot write %s%s%s", *path ? "'" : "",
				*path ? path : "the output", *path ? "'" : "")
		      : 0;
}

int output_probe(const char *path, struct err *err)
{
	struct stat st;
	bool there = stat(path, &st) == 0;
	FILE *f = fopen(path, "ae");

	if (!f)
		return err_sys(err, -errno, "cannot write '%s'", path);
	fclose(f);
	if (!there)
		unlink(path);
	return 0;
}

unsigned output_width(void)
{
	struct winsize size;

	if (isatty(STDOUT_FILENO) && ioctl(STDOUT_FILENO, TIOCGWINSZ, &size) == 0 &&
	    size.ws_col >= 40)
		return size.ws_col < 120 ? size.ws_col : 120;
	return 80;
}

bool output_colour(void)
{
	const char *term = getenv("TERM");

	return isatty(STDOUT_FILENO) && !getenv("NO_COLOR") && term && strcmp(term, "dumb") != 0;
}

int output_run(struct store *store, const struct run_settings *s, const char *run_id,
	       struct err *err)
{
	int r, closed;
	FILE *f;

	if (s->json) {
		r = report_json(stdout, store, run_id, err);
	} else {
		struct terminal terminal = { output_width(), output_colour() };

		r = report_terminal(stdout, store, run_id, &terminal, err);
	}
	if (r == 0)
		r = output_close("", stdout, err);
	if (r < 0 || !*s->report)
		return r;
	r = output_open(s->report, &f, err);
	if (r < 0)
		return r;
	r = report_html(f, store, &run_id, 1, err);
	closed = output_close(s->report, f, r < 0 ? NULL : err);
	if (r == 0 && closed == 0 && !s->json)
		printf("\nReport: %s\n", s->report);
	return r < 0 ? r : closed;
}
