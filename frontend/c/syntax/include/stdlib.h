#ifndef RAISE_STDLIB_H
#define RAISE_STDLIB_H
#include <stddef.h>
#define EXIT_SUCCESS 0
#define EXIT_FAILURE 1
#define RAND_MAX 2147483647
void *malloc(size_t size);
void *calloc(size_t count, size_t size);
void *realloc(void *memory, size_t size);
void *aligned_alloc(size_t alignment, size_t size);
int posix_memalign(void **memory, size_t alignment, size_t size);
void free(void *memory);
void exit(int status);
void abort(void);
int abs(int x);
long labs(long x);
long long llabs(long long x);
int atoi(const char *text);
double atof(const char *text);
int rand(void);
void srand(unsigned seed);
#endif
