// Functions that leave loops early, or go forward to a label. `refused` says why one stays in C.
#include <math.h>
#include <stddef.h>
static int is_bad(double x) { return x < 0; }
static int first_bad(int n, const double *a) {
  for (int i = 0; i < n; i++)
    if (is_bad(a[i])) return i;
  return -1;
}
int checked(int n, int m, double *a, double *b) {
  if (n < 0 || m < 0) return -2;
  for (int i = 0; i < n; i++)
    if (a[i] < 0) return -1;
  for (int i = 0; i < n; i++) b[i] = sqrt(a[i]);
  return 0;
}
int two_checks(int n, int m, double *a, double *b) {
  for (int i = 0; i < n; i++) {
    if (a[i] < 0) return -1;
    if (b[i] < 0) return -2 - i;
  }
  return n;
}
int up_to(int n, int m, double *a, double *b) {
  int i;
  for (i = 0; i < n; i++) {
    if (a[i] < 0) break;
    b[i] = a[i] * 2;
  }
  return i;
}
int in_front(int n, int m, double *a, double *b) {
  for (int i = 0; i < n; i++) {
    b[i] += 1;
    if (a[i] < 0) { m = 7; break; }
    b[i] += a[i];
  }
  return m;
}
int between(int n, int m, double *a, double *b) {
  int seen = 0;
  for (int i = 0; i < n; i++) {
    seen++;
    if (a[i] < 0) return seen;
    b[i] = a[i];
    if (a[i] > 0.9) return -seen;
    b[i] += 1;
  }
  return 0;
}
int in_place(int n, int m, double *a, double *b) {
  for (int i = 0; i < n; i++) {
    double v = a[i] - b[i];
    if (v < -0.5) return i;
    a[i] = v;
  }
  return -1;
}
int from_the_end(int n, int m, double *a, double *b) {
  int last;
  for (last = n - 1; last >= 0; last--)
    if (a[last] < 0) break;
  for (int i = 0; i < n; i++) b[i] = i <= last ? a[i] : 0;
  return last;
}
int down_to(int n, int m, double *a, double *b) {
  int k = n;
  while (k > 0 && a[k - 1] >= 0) k--;
  b[0] = k;
  return k;
}
int trimmed(int n, int m, double *a, double *b) {
  while (n > 0 && fabs(a[n - 1]) < 0.5) n--;
  for (int i = 0; i < m; i++) b[i] = i < n ? a[i] : 0;
  return n;
}
int past_the_search(int n, int m, double *a, double *b) {
  int i = 3;
  if (m > 2) goto out;
  for (i = 0; i < n; i++)
    if (a[i] < 0) break;
  b[0] = i;
out:
  return i;
}
int unsigned_count(int n, int m, double *a, double *b) {
  if (n < 0) return 7;
  size_t count = n, i;
  for (i = 0; i < count; ++i) {
    if (isnan(a[i])) return 5;
    if (a[i] < 0) break;
    b[i] = a[i];
  }
  return (int)i;
}
// refused: from_where_it_was
int from_where_it_was(int n, int m, double *a, double *b) {
  int i = 0;
  while (i < n && a[i] >= 0) i++;
  b[0] = i;
  while (i < n && a[i] < 0) i++;
  return i;
}
int cleaned(int n, int m, double *a, double *b) {
  int rc = -1;
  double sum = 0;
  if (n <= 0) goto done;
  if (m == 1) {
    rc = -2;
    goto done;
  }
  for (int i = 0; i < n; i++) sum += a[i];
  if (m > 2) goto out;
  for (int i = 0; i < n; i++) b[i] += sum;
  rc = 0;
out:
  b[0] = sum;
done:
  return rc;
}
int failed(int n, int m, double *a, double *b) {
  int rc = 0, i;
  for (i = 0; i < n; i++) {
    if (a[i] < 0) {
      rc = -i;
      goto fail;
    }
    b[i] = 1;
  }
  b[0] = 5;
fail:
  return rc;
}
int nested(int n, int m, double *a, double *b) {
  for (int i = 0; i < n; i++)
    for (int j = 0; j < m; j++)
      if (a[i * m + j] < 0) return i * 100 - n;
  return -1;
}
int both_left(int n, int m, double *a, double *b) {
  int found = 0;
  for (int i = 0; i < n; i++) {
    for (int j = 0; j < m; j++)
      if (a[i * m + j] < 0) {
        found = 1;
        goto out;
      }
    b[i] = i;
  }
out:
  return found;
}
int flagged(int n, int m, double *a, double *b) {
  for (int i = 0; i < n; i++) {
    b[i] = 0;
    for (int j = 0; j < m; j++) {
      if (a[i * m + j] < 0) {
        b[i] = 1;
        break;
      }
    }
  }
  return 0;
}
int skipped(int n, int m, double *a, double *b) {
  for (int i = 0; i < n; i++) {
    if (i == 2) continue;
    if (a[i] < 0) return i;
    if (b[i] < 0) continue;
    b[i] = a[i];
  }
  return -1;
}
int next_row(int n, int m, double *a, double *b) {
  for (int i = 0; i < n; i++) {
    for (int j = 0; j < m; j++)
      if (a[i * m + j] < 0) goto next;
    b[i] = 9;
  next:;
  }
  return 0;
}
int next_or_not(int n, int m, double *a, double *b) {
  for (int i = 0; i < n; i++) {
    if (b[i] < 0.1) continue;
    for (int j = 0; j < m; j++)
      if (a[i * m + j] < 0) goto next;
    b[i] = 9;
  next:;
  }
  return 0;
}
int endless(int n, int m, double *a, double *b) {
  int i = 0;
  for (;;) {
    if (i >= n) break;
    if (a[i] < 0) break;
    b[i] = a[i];
    i++;
  }
  return i;
}
int helped(int n, int m, double *a, double *b) { return first_bad(n, a) * 2 + first_bad(n, b); }
// refused: asks_what_it_wrote
int asks_what_it_wrote(int n, int m, double *a, double *b) {
  for (int i = 0; i < n; i++) {
    if (m > 2) {
      if (a[i] < 0) return 1;
      b[i] += 1;
    } else {
      b[i] += 2;
      if (b[i] > 2.5) return 2;
    }
  }
  return 0;
}
int in_branches(int n, int m, double *a, double *b) {
  for (int i = 0; i < n; i++) {
    if (m > 2) {
      if (a[i] < 0) return 1;
      b[i] += 1;
    } else {
      if (b[i] < 0) return 2;
      b[i] += 2;
    }
  }
  return 0;
}
int stops_adding(int n, int m, double *a, double *b) {
  double s = 0;
  for (int i = 0; i <= n - 1; ++i) {
    if (fabs(a[i]) > 0.8) break;
    s += a[i];
  }
  b[0] = s;
  return 0;
}
int all_of(int n, int m, double *a, double *b) {
  int ok = 1;
  for (int i = 0; i < n && ok; i++) {
    if (a[i] < 0) ok = 0;
  }
  return ok;
}
// refused: where_in_two
int where_in_two(int n, int m, double *a, double *b) {
  for (int i = 0; i < n; i++)
    for (int j = 0; j < m; j++)
      if (a[i * m + j] < 0) return i * 100 + j;
  return -1;
}
// refused: depends
int depends(int n, int m, double *a, double *b) {
  double s = 0;
  for (int i = 0; i < n; i++) {
    s += a[i];
    if (s > 1) return i;
  }
  return -1;
}
// refused: neighbour
int neighbour(int n, int m, double *a, double *b) {
  for (int i = 0; i + 1 < n; i++) {
    if (a[i] < 0) return i;
    a[i + 1] = -a[i + 1];
  }
  return -1;
}
// refused: aliased
int aliased(int n, int m, double *a, double *b) {
  double *q = a + 1;
  for (int i = 0; i < n - 1; i++) {
    if (a[i] < 0) return i;
    q[i] = -q[i];
  }
  return -1;
}
// refused: again
int again(int n, int m, double *a, double *b) {
  int k = 0;
more:
  for (int i = 0; i < n; i++) b[i] += a[i];
  if (++k < 3) goto more;
  return k;
}
// refused: into
int into(int n, int m, double *a, double *b) {
  int i = 0;
  if (m > 2) goto inside;
  for (; i < n; i++) {
    b[i] = 1;
  inside:;
  }
  return i;
}
int divides(int n, int m, double *a, double *b) {
  for (int i = 0; i < n; i++) {
    if (a[i] < 0) return i;
    if (10 / (m + 5) > i) b[i] = 1;
  }
  return -1;
}
// Flags as exits.
int flag_of_while(int n, int m, double *a, double *b) {
  int i = 0, done = 0;
  while (i < n && !done) {
    if (a[i] < 0) done = 1;
    else i++;
  }
  return 10 * i + done;
}
int flag_and_place(int n, int m, double *a, double *b) {
  int found = 0, at = -1;
  for (int i = 0; i < n && !found; i++)
    if (a[i] < b[0]) { found = 1; at = i; }
  return at;
}
int flag_in_front(int n, int m, double *a, double *b) {
  int i, ok;
  for (i = 0, ok = 7; ok && i < n; i++)
    if (a[i] < 0) ok = 0;
  return 10 * i + ok;
}
int flag_then_more(int n, int m, double *a, double *b) {
  int done = 0, i;
  for (i = 0; i < n && done == 0; i++) {
    if (a[i] < 0) done = 3;
    b[i] = a[i] + 1;
  }
  return 10 * i + done;
}
int flag_that_was_set(int n, int m, double *a, double *b) {
  int done = m > 1, i = 0;
  while (i < n && !done) {
    if (a[i] < 0) done = 1;
    i++;
  }
  return 10 * i + done;
}
int flag_of_truth(int n, int m, double *a, double *b) {
  _Bool ok = 1;
  int i = 0;
  for (; i + 1 < n && ok; i++) ok = a[i] <= a[i + 1];
  return 10 * i + ok;
}
int flag_of_itself(int n, int m, double *a, double *b) {
  int ok = 1, i;
  for (i = 0; i < n - 1 && ok; i++) ok = ok && a[i] <= 0.75;
  return ok ? -1 : i;
}
int flag_of_two_loops(int n, int m, double *a, double *b) {
  int same = 0;
  for (int i = 0; i < n && !same; i++)
    for (int j = 0; j < m && !same; j++)
      if (a[i * m + j] < 0) same = 1;
  return same;
}
int flag_with_two_reasons(int n, int m, double *a, double *b) {
  int stop = 0, i = 0, sum = 0;
  while (!stop && i < n) {
    if (a[i] < 0) stop = 1;
    else if (b[i] < 0) { stop = 2; sum = i; }
    i++;
  }
  return 100 * sum + 10 * i + stop;
}
int flag_continues(int n, int m, double *a, double *b) {
  int stop = 0, i, sum = 0;
  for (i = 0; i < n && !stop; i++) {
    if (a[i] < 0) { stop = 1; continue; }
    b[i] = 1;
  }
  return 10 * i + stop;
}
// refused: flag_of_last_and_first (the step stands in front)
int flag_of_last_and_first(int n, int m, double *a, double *b) {
  int stop = 0, i = n;
  while (i > 0 && !stop) {
    i--;
    if (a[i] < 0) stop = 1;
  }
  return 10 * i + stop;
}
// refused: flag_read_in_between (asks for the flag behind where it is set)
int flag_read_in_between(int n, int m, double *a, double *b) {
  int stop = 0, i = 0;
  while (i < n && !stop) {
    if (a[i] < 0) stop = 1;
    b[i] = stop;
    i++;
  }
  return i;
}
// refused: flag_set_back (sets the flag to what does not end the loop)
int flag_set_back(int n, int m, double *a, double *b) {
  int stop = 0, i = 0;
  while (i < n && !stop) {
    if (a[i] < 0) stop = 1;
    if (b[i] < 0) stop = 0;
    i++;
  }
  return i;
}
int flag_of_two(int n, int m, double *a, double *b) {
  int neg = 0, big = 0, i;
  for (i = 0; i < n && !neg && !big; i++) {
    if (a[i] < 0) neg = 1;
    else if (a[i] > 0.9) big = 1;
  }
  return 100 * i + 10 * neg + big;
}
// refused: flag_broken_too (may be left with the flag set, or not)
int flag_broken_too(int n, int m, double *a, double *b) {
  int neg = 0, i;
  for (i = 0; i < n && !neg; i++) {
    if (a[i] < 0) neg = 1;
    if (b[i] < 0) break;
  }
  return 10 * i + neg;
}
int flag_continues_twice(int n, int m, double *a, double *b) {
  int stop = 0, i;
  for (i = 0; i < n && !stop; i++) {
    if (a[i] < 0) { stop = 1; continue; }
    if (b[i] < 0) stop = 2;
  }
  return 10 * i + stop;
}
int flag_otherwise(int n, int m, double *a, double *b) {
  int go = 1, i;
  for (i = 0; i < n && go; i++) {
    if (a[i] >= 0) b[i] = 2;
    else go = 0;
  }
  return 10 * i + go;
}
int flag_is_false(int n, int m, double *a, double *b) {
  _Bool ok = m < 3;
  int i = 0;
  for (; ok && i < n; i++)
    if (a[i] < 0) ok = 0;
  return 10 * i + ok;
}
// refused: flag_and_pointed_counter
int flag_and_pointed_counter(int n, int m, double *a, double *b) {
  int i = 0, *at = &i, done = m > 1;
  *at = 1;
  while (!done && i < n) {
    if (a[i] < 0) done = 1;
    i++;
  }
  return 10 * i + done;
}
// refused: from_a_pointed_counter
int from_a_pointed_counter(int n, int m, double *a, double *b) {
  int i = 0, *at = &i;
  *at = 1;
  for (; i < n; i++)
    if (a[i] < 0) break;
  return i;
}
int from_its_own_value(int n, int m, double *a, double *b) {
  int i = 5;
  for (i = i - 3; i < n; i++)
    if (a[i] < 0) break;
  return i;
}
int from_its_own_size(int n, int m, double *a, double *b) {
  int i = m;
  for (i = i + 1; i < n; i++)
    if (a[i] < 0) break;
  return i;
}
