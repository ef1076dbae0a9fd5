/* What the core cannot say stays a statement of its own, with its reason. */
#include <stdarg.h>
#include <setjmp.h>
#define HOLD(x) __asm__("" : "+r"(x))
volatile int flag;
_Atomic int count;
jmp_buf where;

int refused(int n, int (*f)(int), volatile double *v, ...) {
  va_list list;
  volatile int here = 3;
  double x = v[n];
  for (volatile int i = 0; i < n; i++)
    x += i;
  while (flag)
    n++;
  count++;
  HOLD(n);
  if (n > 3) {
    n = setjmp(where);
    n += f(n);
  }
  va_start(list, v);
  n += va_arg(list, int);
  switch (n) {
  case 1:
    for (n = 0; n < 3; n++) {
    case 2:
      x++;
    }
  }
  static void *jump = &&done;
  goto *jump;
done:
  return here + x;
}

void marked(int n, double *a) {
#pragma scop
  for (int i = 0; i < n; i++) {
#pragma endscop
    a[i] = i;
  }
}
