
/// What jemalloc does in every process of this program (docs/decisions/0018-jemalloc.md). Freed
/// pages go back to the system within two seconds, by a thread of jemalloc's own, so that an idle
/// process gives back what a load needed. jemalloc reads it before `main`.
extern "C" {
extern const char* malloc_conf;
const char* malloc_conf = "background_thread:true,max_background_threads:1,dirty_decay_ms:2000";
}
