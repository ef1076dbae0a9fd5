// Calls every function of both namespaces on the same values; prints how many results differ.
#include <array>
#include <cstdio>
#include <cstring>
#include <span>
#include <vector>
#undef NS
#define NS ours
#include "functions.h"
#undef NS
#define NS theirs
#include "functions.h"

static int differ = 0;
static unsigned state = 1;

template <class T>
void draw(T &x) { state = state * 1103515245u + 12345u, x = T((state >> 16) % 1000) / T(997) + T(state >> 28); }
template <class C>
C drawn(C x) {
  for (auto &one : x) draw(one);
  return x;
}
template <class C>
void compare(const char *name, std::size_t n, const C &a, const C &b) {
  if (std::memcmp(a.data(), b.data(), a.size() * sizeof a[0]) == 0) return;
  std::printf("%s differs at %zu\n", name, n), differ++;
}
#define NUMBER(name, ...) \
  { std::array<double, 1> a{double(ours::name(__VA_ARGS__))}, b{double(theirs::name(__VA_ARGS__))}; compare(#name, n, a, b); }
// what is done to a copy of `value`, which the call knows as `it`
#define CHANGED(name, value, call) \
  { auto a = value, b = value; { using namespace ours; auto &it = a; call; } \
    { using namespace theirs; auto &it = b; call; } compare(#name, n, a, b); }

int main() {
  for (std::size_t n : {0, 1, 2, 3, 7, 16, 33}) {
    const auto d = drawn(std::vector<double>(n)), e = drawn(std::vector<double>(n)), m = drawn(std::vector<double>(n * n));
    const auto f = drawn(std::vector<float>(n)), g = drawn(std::vector<float>(n));
    const auto k = drawn(std::vector<int>(n)), l = drawn(std::vector<int>(n));
    const auto w = drawn(std::vector<long>(n));
    const auto c = drawn(std::vector<unsigned char>(n));
    const auto a4 = drawn(std::array<double, 4>()), b4 = drawn(std::array<double, 4>());
    const auto i5 = drawn(std::array<int, 5>());
    const auto d3 = drawn(std::array<double, 3>());
    const auto d8 = drawn(std::array<double, 8>());
    const std::vector<Point> p = {{1.5, 2.5, int(n)}, {0.25, -1, 3}};
    CHANGED(scale, d, inner::scale(it, 1.7))
    CHANGED(copy, g, copy(f, it))
    NUMBER(sum, a4)
    CHANGED(rotate, i5, rotate(it))
    CHANGED(spans, g, spans(f, it))
    CHANGED(fixed, d3, fixed(it))
    CHANGED(add, a4, add(it[1], int(n)))
    NUMBER(over, 2.5)
    NUMBER(over, 7)
    CHANGED(fill, d8, fill(it.data()))
    NUMBER(total, w)
    CHANGED(last, d, last(it))
    CHANGED(table, a4, table(*reinterpret_cast<double(*)[4]>(it.data()), *reinterpret_cast<const double(*)[4]>(b4.data())))
    NUMBER(first, p[0], p[1])
    CHANGED(move, (std::array<double, 1>{p[0].x}), Point q = p[0]; move(&q, 0.5); it[0] = q.x)
    CHANGED(bounded, l, bounded(k, it, 2, 7))
    CHANGED(powers, f, powers(it))
    CHANGED(exchange, d, auto other = e; exchange(it, other); it.insert(it.end(), other.begin(), other.end()))
    CHANGED(matrix, e, matrix(m, d, it, n))
    CHANGED(bytes, c, bytes(it, n % 2 == 1))
    NUMBER(dot, d, e)
  }
  std::printf("%d\n", differ);
}
