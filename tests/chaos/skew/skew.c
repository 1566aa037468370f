/* Shifts the clock on the wall of one process, for the fault "skew" of the chaos suite: preloaded, it adds to
 * CLOCK_REALTIME the seconds in the file named by TOOLWAY_CHAOS_SKEW, eight bytes that may change at
 * any moment. The monotonic clock is left alone, as when an operator sets a machine's clock. */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <fcntl.h>
#include <pthread.h>
#include <stdint.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/time.h>
#include <time.h>
#include <unistd.h>

static int (*real_gettime)(clockid_t, struct timespec*);
static int (*real_timedwait)(pthread_cond_t*, pthread_mutex_t*, const struct timespec*);
static const volatile int64_t* shift;

__attribute__((constructor)) static void begin(void) {
  /* As POSIX writes it: ISO C has no conversion from an object's pointer to a function's. */
  *(void**)&real_gettime = dlsym(RTLD_NEXT, "clock_gettime");
  /* The one of today: without a version, the one of before glibc 2.3.2 may come. */
  void* wait = dlvsym(RTLD_NEXT, "pthread_cond_timedwait", "GLIBC_2.3.2");
  if (wait == NULL) wait = dlsym(RTLD_NEXT, "pthread_cond_timedwait");
  *(void**)&real_timedwait = wait;
  const char* file = getenv("TOOLWAY_CHAOS_SKEW");
  const int fd = file == NULL ? -1 : open(file, O_RDONLY | O_CLOEXEC);
  if (fd < 0) return;
  void* mapped = mmap(NULL, sizeof(int64_t), PROT_READ, MAP_SHARED, fd, 0);
  close(fd);
  if (mapped != MAP_FAILED) shift = mapped;
}

static int64_t seconds(void) { return shift == NULL ? 0 : *shift; }

int clock_gettime(clockid_t clock, struct timespec* out) {
  if (real_gettime == NULL) begin();
  const int status = real_gettime(clock, out);
  if (status == 0 && (clock == CLOCK_REALTIME || clock == CLOCK_REALTIME_COARSE)) out->tv_sec += seconds();
  return status;
}

int gettimeofday(struct timeval* restrict out, void* restrict zone) {
  (void)zone;
  struct timespec now;
  clock_gettime(CLOCK_REALTIME, &now);
  out->tv_sec = now.tv_sec;
  out->tv_usec = now.tv_nsec / 1000;
  return 0;
}

time_t time(time_t* out) {
  struct timespec now;
  clock_gettime(CLOCK_REALTIME, &now);
  if (out != NULL) *out = now.tv_sec;
  return now.tv_sec;
}

/* A caller that waits until a wall-clock time has read it from the shifted clock; the kernel's is not shifted.
 * Times of the monotonic clock, which counts from the machine's start, are small. */
int pthread_cond_timedwait(pthread_cond_t* restrict condition, pthread_mutex_t* restrict mutex, const struct timespec* restrict until) {
  if (real_timedwait == NULL) begin();
  struct timespec at = *until;
  if (at.tv_sec > 1000000000) at.tv_sec -= seconds();
  return real_timedwait(condition, mutex, &at);
}
