// Arithmetic that knows how far it may be off, and memory that knows its borders; see checked.py.
//
// A float is its value, the sum `m` of magnitudes that any reordering of its operations stays below, and whether all
// these operations are exact: values are multiples of 2^-u, and m * 2^u fits the significand (Higham, Accuracy and
// Stability of Numerical Algorithms, 2002, chapter 3: an error is at most the number of operations times eps times m).
struct Stop {
  int why;
};
struct Returned {};
enum { FINE, UNDEFINED, LONG, VAGUE };
static long steps, operations;
static int vague;
static volatile int overflown;

static inline void undefined() { throw Stop{UNDEFINED}; }

// What gcc's -fsanitize=undefined calls; the library behind it is not linked. These must not throw.
extern "C" {
void __ubsan_handle_add_overflow(void *, void *, void *) { overflown = 1; }
void __ubsan_handle_sub_overflow(void *, void *, void *) { overflown = 1; }
void __ubsan_handle_mul_overflow(void *, void *, void *) { overflown = 1; }
void __ubsan_handle_negate_overflow(void *, void *) { overflown = 1; }
void __ubsan_handle_divrem_overflow(void *, void *, void *) { overflown = 1; }
void __ubsan_handle_shift_out_of_bounds(void *, void *, void *) { overflown = 1; }
}

static inline void tick() {
  if (++steps > 20000) throw Stop{LONG};
}

template <int P> struct F {
  double v = 0, m = 0;
  int u = 0;
  bool x = true;
  F() {}
  template <class T> explicit F(T t) : v(P == 24 ? (float)t : (double)t) {
    m = __builtin_fabs(v);
    while (u < 10 && __builtin_ldexp(v, u) != __builtin_rint(__builtin_ldexp(v, u))) u++;
    x = u < 10 && (T)v == t;
    settle();
  }
  template <int Q> explicit F(F<Q> o) : v(P == 24 ? (float)o.v : o.v), m(o.m), u(o.u), x(o.x) { settle(); }
  F(double value, double magnitude, int unit, bool exact)
      : v(P == 24 ? (float)value : value), m(magnitude), u(unit), x(exact) {
    operations++;
    settle();
  }
  void settle() { x = x && __builtin_ldexp(m, u) <= __builtin_ldexp(1.0, P); }
  double bound() const { return x ? 0 : 16 * (operations + 4) * __builtin_ldexp(m, -P) + smallest(); }
  // In another order a product may pass through numbers that have fewer digits than others.
  static double smallest() { return __builtin_ldexp(1.0, P == 24 ? -126 : -1022); }
  template <class T> explicit operator T() const {
    if (!x) {
      vague = 1; // a rounded value may be on either side of an integer
    }
    double low = (T)-1 < (T)0 ? -__builtin_ldexp(1.0, 8 * sizeof(T) - 1) : 0;
    double high = __builtin_ldexp(1.0, 8 * sizeof(T) - ((T)-1 < (T)0));
    if (!(v > low - 1 && v < high)) undefined();
    return (T)v;
  }
};
template <> template <> inline F<53>::operator bool() const { return v != 0; }
template <> template <> inline F<24>::operator bool() const { return v != 0; }
typedef F<53> D;
typedef F<24> S;

static inline int larger(int a, int b) { return a > b ? a : b; }
template <int P> F<P> operator+(F<P> a, F<P> b) { return F<P>(a.v + b.v, a.m + b.m, larger(a.u, b.u), a.x && b.x); }
template <int P> F<P> operator-(F<P> a, F<P> b) { return F<P>(a.v - b.v, a.m + b.m, larger(a.u, b.u), a.x && b.x); }
template <int P> F<P> operator-(F<P> a) { return F<P>(-a.v, a.m, a.u, a.x); }
template <int P> F<P> operator*(F<P> a, F<P> b) { return F<P>(a.v * b.v, a.m * b.m, a.u + b.u, a.x && b.x); }
template <int P> F<P> operator/(F<P> a, F<P> b) {
  double size = __builtin_fabs(b.v);
  if (!(size > 2 * b.bound())) throw Stop{VAGUE};
  return F<P>(a.v / b.v, a.m / size * (b.m / size), 0, false);
}
static inline D fabs(D a) { return D(__builtin_fabs(a.v), a.m, a.u, a.x); }
static inline D sqrt(D a) {
  if (!(a.v > 2 * a.bound())) throw Stop{VAGUE};
  return D(__builtin_sqrt(a.v), __builtin_sqrt(a.v) + a.m / __builtin_sqrt(a.v), 0, false);
}
static inline D exp(D a) {
  double e = __builtin_exp(a.v);
  return D(e, e * (1 + a.m), 0, false);
}
template <int P> bool below(F<P> a, F<P> b) {
  if (!(a.x && b.x) && !(__builtin_fabs(a.v - b.v) > a.bound() + b.bound())) vague = 1;
  return a.v < b.v;
}
template <int P> bool same(F<P> a, F<P> b) {
  if (!(a.x && b.x)) vague = 1;
  return a.v == b.v;
}
static inline D fmax(D a, D b) { return below(a, b) ? b : a; }
static inline D fmin(D a, D b) { return below(b, a) ? b : a; }

template <class T> struct Raw {
  typedef T type;
  static double bound(const T &) { return 0; }
};
template <> struct Raw<D> {
  typedef double type;
  static double bound(const D &d) { return d.bound(); }
};
template <> struct Raw<S> {
  typedef float type;
  static double bound(const S &s) { return s.bound(); }
};

// An array: a copy of the elements given, and how far it was used.
template <class T> struct Array {
  T *p;
  long capacity, top = 0;
  Array(const typename Raw<T>::type *raw, long n) : p(new T[n + 1]), capacity(n) {
    for (long k = 0; k < n; k++) p[k] = T(raw[k]);
  }
  ~Array() { delete[] p; }
  T &at(long k) {
    if (k < 0 || k >= capacity) undefined();
    if (k >= top) top = k + 1;
    return p[k];
  }
  void out(double *bounds, long *used) {
    for (long k = 0; k < capacity; k++) bounds[k] = Raw<T>::bound(p[k]);
    *used = top;
  }
};
static inline long inside(long k, long extent) {
  if (k < 0 || k >= extent) undefined();
  return k;
}
template <class T> T chosen(bool c, T a, T b) { return c ? a : b; }
