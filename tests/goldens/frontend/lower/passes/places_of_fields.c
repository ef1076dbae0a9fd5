// RUN: typed --with-places-of-fields %s | filecheck %s

struct s { int n; float *x; };
struct t { struct s *s; };

// A field that is read once is assumed not to change: so that it can be asked for, its address is a parameter, too.
// CHECK-LABEL: function counted(
// CHECK-NEXT: parameters p_n: i32 = %{{.*}}, x: i32, p_n_at: i32
void counted(struct s *p, int *x) { for (int i = 0; i < p->n; i++) x[i] = i; }

// Bytes may be those of the pointer on the way to it.
// CHECK-LABEL: function behind(
// CHECK-NEXT: parameters p_s_n: i32 = %{{.*}}, x: i8, p_s_n_at: i64, p_s_n_at_: i32
void behind(struct t *p, unsigned char *x) { for (int i = 0; i < p->s->n; i++) x[i] = i; }

// Floats are no integers, and change none.
// CHECK-LABEL: function others(
// CHECK-NOT: p_n_at
void others(struct s *p, float *x) { for (int i = 0; i < p->n; i++) x[i] = i; }
