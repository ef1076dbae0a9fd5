/* inlining: arguments by value and by address */
static void add(double *to, double by) { *to += by; }
void calls(double *x, int n) { for (int i = 0; i < n; i++) add(&x[i], 2); }
/* statement_order: what follows an early return is its other side */
int early(double *x, int n) { if (n < 1) return -1; x[0] = 1; return n; }
/* record_parameters: each field that is used is a parameter */
struct s { int n; double *w; double bias; };
void fields(const struct s *p, double *x) { for (int i = 0; i < p->n; i++) x[i] = p->w[i] + p->bias; }
/* record_variables: the parts of a struct of its own are variables */
struct v { double x, y; };
double own(double a) { struct v p = {a, 2}, q = p; q.y += p.x; return q.y; }
/* whole_memory: loops */
void clear(double *x, int n) { __builtin_memset(x, 0, n * sizeof *x); }
/* complex_values: pairs */
void turn(double _Complex *z, int n) { for (int i = 0; i < n; i++) z[i] = z[i] * 1.0i; }
/* file_variables: an array and a number of the file */
static int last; double table[4];
void file(void) { for (int i = 0; i < 4; i++) table[i] += last; }
