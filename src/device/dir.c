/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * dir.c - the free part of a mounted file system as a drive: "dir:PATH".
 *
 * The address space is cut into pieces, each a file in PATH/assay-data, sparse until it is first written
 * to; then its space is reserved in one go, so that it lies in few extents, as a copied file does. Reserving
 * 256 MiB takes a fraction of a ms on ext4 and is done by the lane that writes there first. TRIM gives space
 * back to the file system: as holes where it has them, else (ntfs-3g, exFAT) where it covers whole pieces.
 * Whether the drive hears of that is up to the file system (mount option `discard`, fstrim).
 *
 * At close everything is removed unless `keep`. What a killed run left is found by its mark and used again.
 */
#include "device/backends.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <linux/fs.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/cleanup.h"
#include "base/param.h"
#include "base/units.h"
#include "device/fs.h"
#include "device/mark.h"

#define SUBFOLDER "assay-data"
#define PIECE_BYTES_MIN (16ull << 20)
#define PIECES_MAX 8192u
#define PIECE_BYTES_SMALL (64ull << 20)	 /* for spans ... */
#define SPAN_BYTES_SMALL (64ull << 30)	 /* ... up to this, else ... */
#define PIECE_BYTES_LARGE (256ull << 20) /* ... at least this */
#define OVERHEAD_SHARE 512		 /* of the free space, for the file system's own tables */
#define FDS_RESERVE 256			 /* for everything else that the program opens */

struct dir_device {
	struct uring_device uring; /* first */
	uint64_t size_bytes, piece_bytes, lost_after_ns;
	bool keep, made; /* made: the subfolder, by this open */
	int lock_fd;
	char path[sizeof(((struct device_spec *)0)->path) +
		  sizeof(SUBFOLDER)]; /* of the subfolder */
	char id[MARK_ID_SIZE];
	pthread_mutex_t mutex; /* of reserving and giving back */
	uint8_t *reserved;     /* one a piece, atomic */
};

static const struct param dir_params[] = {
	{ "size", "bytes", PARAM_BYTES, offsetof(struct dir_device, size_bytes), 0, 0x1p62, "0B",
	  NULL, "use at most so much; 0: all that may be used", "" },
	{ "piece", "bytes", PARAM_BYTES, offsetof(struct dir_device, piece_bytes), 0, 0x1p40, "0B",
	  NULL, "size of a file, a power of two from 16 MiB on; 0: by the size of the folder", "" },
	{ "keep", "", PARAM_BOOL, offsetof(struct dir_device, keep), 0, 0, "false", NULL,
	  "leave the files there at the end", "" },
	{ "lost_after", "ns", PARAM_NS, offsetof(struct dir_device, lost_after_ns), 1e8, 3.6e12,
	  "60s", NULL, "an I/O that takes longer is given up", "" },
	PARAM_END
};

static uint64_t piece_length(const struct dir_device *dir, uint32_t piece)
{
	uint64_t at = (uint64_t)piece << dir->uring.piece_shift;
	uint64_t rest = dir->uring.dev.info.span_bytes - at;

	return rest < dir->piece_bytes ? rest : dir->piece_bytes;
}

static void piece_path(const struct dir_device *dir, uint32_t piece, char *buf, size_t size)
{
	snprintf(buf, size, "%s/piece-%05u", dir->path, piece);
}

/* --- while a run goes --- */

static int dir_prepare_write(struct uring_device *u, uint32_t piece)
{
	struct dir_device *dir = (struct dir_device *)u;
	int r = 0;

	if (__atomic_load_n(&dir->reserved[piece], __ATOMIC_ACQUIRE))
		return 0;
	pthread_mutex_lock(&dir->mutex);
	if (!dir->reserved[piece])
		r = fs_reserve(u->fds[piece], piece_length(dir, piece));
	if (r == 0)
		__atomic_store_n(&dir->reserved[piece], 1, __ATOMIC_RELEASE);
	pthread_mutex_unlock(&dir->mutex);
	return r;
}

static void dir_trimmed(struct uring_device *u, uint64_t offset, uint64_t length)
{
	struct dir_device *dir = (struct dir_device *)u;
	uint32_t first = (uint32_t)(offset >> u->piece_shift);
	uint32_t last = (uint32_t)((offset + length - 1) >> u->piece_shift);

	written_clear(u->written, offset, length);
	/* A piece that is one hole gets its space in one go again. */
	for (uint32_t piece = first; piece <= last; piece++)
		if (written_none(u->written, (uint64_t)piece << u->piece_shift,
				 piece_length(dir, piece)))
			__atomic_store_n(&dir->reserved[piece], 0, __ATOMIC_RELEASE);
}

static int empty_piece(struct dir_device *dir, uint32_t piece)
{
	int fd = dir->uring.fds[piece], r = 0;

	pthread_mutex_lock(&dir->mutex);
	if (ftruncate(fd, 0) < 0 || ftruncate(fd, (off_t)piece_length(dir, piece)) < 0)
		r = -errno;
	__atomic_store_n(&dir->reserved[piece], 0, __ATOMIC_RELEASE);
	pthread_mutex_unlock(&dir->mutex);
	return r;
}

/* Without holes: only pieces that are covered whole, since others may be written to at this moment. */
static int dir_trim(struct uring_device *u, uint64_t offset, uint64_t length)
{
	struct dir_device *dir = (struct dir_device *)u;
	uint32_t first = (uint32_t)(offset >> u->piece_shift);
	uint32_t last = (uint32_t)((offset + length - 1) >> u->piece_shift);
	int r = 0;

	for (uint32_t piece = first; piece <= last && r == 0; piece++) {
		uint64_t at = (uint64_t)piece << u->piece_shift;

		if (at >= offset && at + piece_length(dir, piece) <= offset + length)
			r = empty_piece(dir, piece);
	}
	return r;
}

static const struct uring_target dir_target = {
	.prepare_write = dir_prepare_write,
	.trimmed = dir_trimmed,
	.trim = dir_trim,
};

/* --- open --- */

static int options(struct dir_device *dir, const struct device_spec *spec, struct err *err)
{
	param_defaults(dir_params, dir);
	for (unsigned i = 0; i < spec->options; i++) {
		if (param_set(dir_params, dir, spec->option[i].name, spec->option[i].value, err) <
		    0) {
			err_prefix(err, "cannot open '%s'", spec->text);
			return -ERR_USAGE;
		}
	}
	dir->uring.lost_after_ns = dir->lost_after_ns;
	snprintf(dir->path, sizeof(dir->path), "%s/" SUBFOLDER, spec->path);
	if (dir->piece_bytes &&
	    (dir->piece_bytes < PIECE_BYTES_MIN || dir->piece_bytes & (dir->piece_bytes - 1)))
		return err_set(err, -ERR_USAGE,
			       "the piece size of '%s' is not a power of two from 16 MiB on",
			       spec->text);
	return 0;
}

/* The subfolder, ours and locked. */
static int claim(struct dir_device *dir, const struct fs *fs, bool read_only, struct err *err)
{
	/* A run that was killed before it made its mark left an empty folder: that may go. */
	if (!read_only)
		rmdir(dir->path);
	if (read_only) {
		dir->lock_fd = mark_folder_open(dir->path, dir->id);
		if (dir->lock_fd < 0)
			return err_set(err, dir->lock_fd,
				       "there is no '%s' that a run left to be read", dir->path);
	} else if (mkdir(dir->path, 0700) == 0) {
		dir->made = true;
		dir->lock_fd = mark_folder(dir->path, dir->id);
		if (dir->lock_fd < 0)
			return err_sys(err, dir->lock_fd, "cannot write to '%s'", dir->path);
	} else if (errno == EEXIST) {
		dir->lock_fd = mark_folder_open(dir->path, dir->id);
		if (dir->lock_fd < 0)
			return err_set(
				err, -ERR_REFUSED,
				"will not write to '%s': assay did not make it; rename it or "
				"choose another folder",
				dir->path);
	} else {
		return fs_open_failed(fs, dir->path, errno, err);
	}
	return fs_lock(dir->lock_fd, dir->path, err);
}

/* What an earlier run left. */
struct left_over {
	uint64_t taken_bytes, length_bytes;
	uint64_t piece_bytes; /* 0: not known, since there are fewer than two pieces */
	bool broken;	      /* the pieces are not ours or not of one size */
};

static void find_left_over(const struct dir_device *dir, struct left_over *ret)
{
	uint64_t before = 0;

	*ret = (struct left_over){ 0 };
	for (uint32_t i = 0; i < PIECES_MAX; i++) {
		char path[PATH_MAX];
		struct stat st;

		piece_path(dir, i, path, sizeof(path));
		if (lstat(path, &st) < 0)
			break;
		if (i == 1)
			ret->piece_bytes = before;
		/* All but the last are of one size, a power of two. */
		if (!S_ISREG(st.st_mode) ||
		    (i > 0 && (before != ret->piece_bytes || before < PIECE_BYTES_MIN ||
			       before & (before - 1))))
			ret->broken = true;
		before = (uint64_t)st.st_size;
		ret->length_bytes += before;
		ret->taken_bytes += (uint64_t)st.st_blocks * 512;
	}
}

static void remove_pieces(const struct dir_device *dir)
{
	for (uint32_t i = 0; i < PIECES_MAX; i++) {
		char path[PATH_MAX];

		piece_path(dir, i, path, sizeof(path));
		if (unlink(path) < 0)
			break;
	}
}

static int too_large(const struct dir_device *dir, const struct fs *fs, uint64_t span,
		     struct err *err)
{
	char wanted[32], usable[32], left[32];

	format_bytes_decimal(left, sizeof(left), (double)fs->leave_bytes);
	if (span < PIECE_BYTES_MIN)
		return err_set(
			err, -ENOSPC,
			"there is not enough free space to measure in '%s': after leaving %s "
			"free, less than 16 MiB remain; make room or change --leave-free",
			dir->path, left);
	format_bytes_decimal(wanted, sizeof(wanted), (double)dir->size_bytes);
	format_bytes_decimal(usable, sizeof(usable), (double)span);
	return err_set(
		err, -ENOSPC,
		"cannot use %s in '%s': only %s may be used, since %s are left free; ask for "
		"less or change --leave-free",
		wanted, dir->path, usable, left);
}

/* How large the address space and its pieces are. */
static int lay_out(struct dir_device *dir, struct fs *fs, const struct device_spec *spec,
		   struct err *err)
{
	struct device_info *info = &dir->uring.dev.info;
	struct left_over old;
	uint64_t span;

	find_left_over(dir, &old);
	if (!spec->read_only && (old.broken || (old.piece_bytes && dir->piece_bytes &&
						old.piece_bytes != dir->piece_bytes))) {
		remove_pieces(dir);
		find_left_over(dir, &old);
	}
	fs->free_bytes += old.taken_bytes;
	span = fs_usable(fs);
	span -= span / OVERHEAD_SHARE;
	if (spec->read_only && !spec->look)
		span = old.length_bytes;
	if (dir->size_bytes > span || span < PIECE_BYTES_MIN)
		return too_large(dir, fs, span, err);
	if (dir->size_bytes)
		span = dir->size_bytes;
	info->span_bytes = span - span % FS_BLOCK_BYTES;
	info->capacity_bytes = fs->capacity_bytes / FS_BLOCK_BYTES * FS_BLOCK_BYTES;
	info->occupied_bytes = info->capacity_bytes - fs->free_bytes;
	if (old.piece_bytes)
		dir->piece_bytes = old.piece_bytes;
	else if (dir->piece_bytes == 0)
		dir->piece_bytes = span <= SPAN_BYTES_SMALL ? PIECE_BYTES_SMALL : PIECE_BYTES_LARGE;
	while (span / dir->piece_bytes >= PIECES_MAX)
		dir->piece_bytes *= 2;
	dir->uring.piece_shift = (uint8_t)__builtin_ctzll(dir->piece_bytes);
	return 0;
}

/* A descriptor for each piece needs a higher limit than programs start with. */
static void raise_fd_limit(uint32_t pieces)
{
	struct rlimit limit;

	if (getrlimit(RLIMIT_NOFILE, &limit) < 0 || limit.rlim_cur >= pieces + FDS_RESERVE)
		return;
	limit.rlim_cur = pieces + FDS_RESERVE;
	if (limit.rlim_cur > limit.rlim_max)
		limit.rlim_cur = limit.rlim_max;
	setrlimit(RLIMIT_NOFILE, &limit);
}

static int open_piece(struct dir_device *dir, const struct fs *fs, uint32_t piece, bool read_only,
		      struct err *err)
{
	struct uring_device *u = &dir->uring;
	uint64_t length = piece_length(dir, piece);
	char path[PATH_MAX];
	struct stat st;
	int fd, r = 0;

	piece_path(dir, piece, path, sizeof(path));
	fd = open(path,
		  read_only ? O_RDONLY | O_DIRECT | O_CLOEXEC
			    : O_RDWR | O_CREAT | O_DIRECT | O_CLOEXEC | O_NOFOLLOW,
		  0600);
	if (fd < 0)
		return fs_open_failed(fs, path, errno, err);
	u->fds[piece] = fd;
	if (fstat(fd, &st) < 0)
		return err_sys(err, -errno, "cannot look at '%s'", path);
	if (!read_only && (uint64_t)st.st_size != length && ftruncate(fd, (off_t)length) < 0)
		return err_sys(err, -errno, "cannot make '%s' %llu bytes long", path,
			       (unsigned long long)length);
	/* A file system that does not know its holes says "all data" of a file without blocks. */
	if (st.st_blocks > 0)
		r = written_from_file(u->written, fd, (uint64_t)piece << u->piece_shift);
	return r < 0 ? err_sys(err, r, "cannot see what '%s' holds", path) : 0;
}

static int open_pieces(struct dir_device *dir, const struct fs *fs, bool read_only, struct err *err)
{
	struct uring_device *u = &dir->uring;
	uint32_t pieces =
		(uint32_t)((u->dev.info.span_bytes + dir->piece_bytes - 1) >> u->piece_shift);
	int r = 0;

	raise_fd_limit(pieces);
	u->written = written_new(u->dev.info.span_bytes);
	dir->reserved = calloc(pieces, 1);
	free(u->fds);
	u->fds = malloc(pieces * sizeof(*u->fds));
	if (!u->written || !dir->reserved || !u->fds) {
		u->n_fds = 0;
		return err_sys(err, -ENOMEM, "cannot open '%s'", dir->path);
	}
	u->n_fds = pieces;
	memset(u->fds, 0xff, pieces * sizeof(*u->fds));
	for (uint32_t i = 0; i < pieces && r == 0; i++)
		r = open_piece(dir, fs, i, read_only, err);
	/* Of a larger span in an earlier run. */
	for (uint32_t i = pieces; i < PIECES_MAX && r == 0 && !read_only; i++) {
		char path[PATH_MAX];

		piece_path(dir, i, path, sizeof(path));
		if (unlink(path) < 0)
			break;
	}
	return r < 0 ? r : fs_probe_direct(fs, u->fds[0], dir->path, err);
}

static void fill_info(struct dir_device *dir, const struct device_spec *spec)
{
	struct device_info *info = &dir->uring.dev.info;
	_cleanup_free_ char *real = realpath(spec->path, NULL);
	bool holes;

	info->budget_default_bytes = uring_budget_bytes(info->capacity_bytes);
	snprintf(info->state_key, sizeof(info->state_key), "dir:%.50s:%.70s", info->serial,
		 real ? real : spec->path);
	info->ops = 1u << IO_READ;
	if (spec->read_only && !spec->look)
		return;
	info->ops |= 1u << IO_WRITE | 1u << IO_FLUSH | 1u << IO_TRIM;
	info->trim_bytes_max = URING_TRIM_BYTES_MAX;
	if (spec->look)
		return;
	holes = fallocate(dir->uring.fds[0], FALLOC_FL_PUNCH_HOLE | FALLOC_FL_KEEP_SIZE,
			  (off_t)piece_length(dir, 0), FS_BLOCK_BYTES) == 0;
	dir->uring.trim = holes ? URING_TRIM_PUNCH : URING_TRIM_CALL;
}

static void dir_close(struct device *dev)
{
	struct dir_device *dir = (struct dir_device *)dev;
	char mark[PATH_MAX];
	bool lost = dir->uring.lost;
	bool remove = dir->lock_fd >= 0 && !dir->keep && !lost && dev->info.ops & 1u << IO_WRITE;

	/* First closed, then removed: FUSE keeps the names of open files. */
	uring_device_release(&dir->uring);
	if (remove) {
		remove_pieces(dir);
		snprintf(mark, sizeof(mark), "%s/.assay", dir->path);
		unlink(mark);
	}
	if (dir->lock_fd >= 0)
		close(dir->lock_fd);
	if (remove)
		rmdir(dir->path);
	if (lost)
		return;
	pthread_mutex_destroy(&dir->mutex);
	free(dir->reserved);
	free(dir);
}

static int dir_open(struct device **ret, const struct device_spec *spec, struct err *err)
{
	struct dir_device *dir = calloc(1, sizeof(*dir));
	struct stat st;
	struct fs fs;
	int r;

	if (!dir || uring_device_init(&dir->uring, &device_dir, "dir", 1) < 0) {
		free(dir);
		return err_sys(err, -ENOMEM, "cannot open '%s'", spec->path);
	}
	dir->uring.target = &dir_target;
	dir->lock_fd = -1;
	pthread_mutex_init(&dir->mutex, NULL);
	r = options(dir, spec, err);
	if (r == 0 && stat(spec->path, &st) < 0)
		r = err_sys(err, -errno, "cannot look at the folder '%s'", spec->path);
	else if (r == 0 && !S_ISDIR(st.st_mode))
		r = err_set(err, -ENOTDIR, "'%s' is not a folder; for a file write 'file:%s'",
			    spec->path, spec->path);
	if (r == 0)
		r = fs_look(&fs, spec->path, spec, err);
	if (r == 0 && !spec->look)
		r = claim(dir, &fs, spec->read_only, err);
	if (r == 0)
		r = lay_out(dir, &fs, spec, err);
	if (r == 0 && !spec->look)
		r = open_pieces(dir, &fs, spec->read_only, err);
	if (r < 0) {
		/* What was made is removed, what was found stays. */
		dir->keep = !dir->made;
		dir->uring.dev.info.ops = 1u << IO_WRITE;
		dir_close(&dir->uring.dev);
		return r;
	}
	fs_describe(&fs, &dir->uring);
	fill_info(dir, spec);
	*ret = &dir->uring.dev;
	return 0;
}

static int dir_purge(struct device *dev, enum purge_method method, struct err *err)
{
	struct dir_device *dir = (struct dir_device *)dev;
	struct fstrim_range all = { .len = UINT64_MAX };
	int r = 0;

	if (method != PURGE_DEFAULT && method != PURGE_DISCARD)
		return err_set(err, -ENOTSUP, "a folder can only be emptied and discarded, not: %s",
			       purge_method_names[method]);
	for (uint32_t i = 0; i < dir->uring.n_fds && r == 0; i++)
		r = empty_piece(dir, i);
	if (r < 0)
		return err_sys(err, r, "cannot empty '%s'", dir->path);
	written_clear(dir->uring.written, 0, dev->info.span_bytes);
	/* So that the drive hears of it. */
	if (syncfs(dir->lock_fd) < 0 || ioctl(dir->lock_fd, FITRIM, &all) < 0)
		return err_sys(err, -errno,
			       "the files in '%s' are gone, but the drive cannot be told (fstrim)",
			       dir->path);
	return 0;
}

const struct device_ops device_dir = {
	.name = "dir",
	.help = "dir:PATH[,size=SIZE,keep=true]: the free space of a mounted file system",
	.open = dir_open,
	.close = dir_close,
	.lane_open = uring_lane_open,
	.lane_close = uring_lane_close,
	.now_ns = uring_lane_now_ns,
	.submit = uring_lane_submit,
	.reap = uring_lane_reap,
	.counters = uring_counters,
	.telemetry = uring_telemetry,
	.purge = dir_purge,
};
