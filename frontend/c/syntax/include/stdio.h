#ifndef RAISE_STDIO_H
#define RAISE_STDIO_H
#include <stddef.h>
typedef struct raise_file FILE;
extern FILE *stdin;
extern FILE *stdout;
extern FILE *stderr;
int printf(const char *format, ...);
int fprintf(FILE *stream, const char *format, ...);
int snprintf(char *text, size_t size, const char *format, ...);
int puts(const char *text);
int putchar(int c);
int fflush(FILE *stream);
#endif
