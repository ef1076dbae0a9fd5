// C++ as far as it is C, in the manner of numerical code.
#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>
#include <span>
#include <utility>
#include <vector>

#include "functions.h"

namespace NS {
namespace {
template <typename T>
T square(T x) { return x * x; }
template <class T, int N>
void fill_with(T *x, T v) {
  for (int i = 0; i < N; ++i) x[i] = square(v) + T(i);
}
constexpr int half = 4 / 2;
const double weights[] = {0.25, 0.5, 0.25};
double &element(double *x, int i) { return x[i]; }
template <typename T>
const T &larger(const T &a, const T &b) { return a < b ? b : a; }
}  // namespace

namespace inner {
void scale(std::vector<double> &v, double a) {
  for (std::size_t i = 0; i < v.size(); ++i) v[i] *= a;
}
}  // namespace inner

void copy(const std::vector<float> &a, std::vector<float> &b) {
  const float *from = a.data();
  for (std::size_t i = 0; i < a.size(); i++) b[i] = from[i] + 1.0f;
}

double sum(const std::array<double, 4> &a) {
  double s = 0;
  for (double x : a) s += x;
  return s;
}

void rotate(std::array<int, 5> &a) {
  const int front = a.front();
  for (std::size_t i = 0; i + 1 < a.size(); i++) a[i] = a[i + 1];
  a.back() = front;
}

void spans(std::span<const float> a, std::span<float> b) {
  for (size_t i = 0; i < a.size(); i++) b[i] = std::sqrt(a[i]) + std::max(a[i], 0.5f) - std::min(a[i], b[i]);
}

double fixed(std::span<double, 3> a) {
  double s = 0;
  for (std::size_t i = 0; i < a.size(); i++) s += a[i] * weights[i];
  for (auto &x : a) x = s;
  return s;
}

void add(double &x, int n) {
  for (int i = 0; i < n; i++) x += static_cast<double>(i) / half;
}

double over(double x) { return x + 1; }
double over(int x) { return x / 2; }

void fill(double *x) {
  fill_with<double, 8>(x, over(2) + over(2.0));
  element(x, 3) = larger(x[1], x[2]);
}

long total(const std::vector<long> &v) {
  long s = 0;
  for (const auto &x : v) s += x;
  return v.empty() ? -1 : s;
}

void last(std::vector<double> &v) {
  if (!v.empty()) v.back() = v.front() + double(v.size());
}

void table(double (&a)[4], const double (&b)[4]) {
  for (auto &x : a) x *= 2;
  for (int i = 0; i < 4; i++) a[i] += b[3 - i];
}

double first(const Point &p, Point q) {
  Point r = q;
  r.x += p.x;
  Point &s = r;
  s.y = s.x * p.n;
  q = s;
  return q.y + r.x;
}

void move(Point *p, double by) {
  if (p == nullptr) return;
  auto &x = p->x;
  for (int i = 0; i < p->n; ++i) x += by;
}

void bounded(const std::vector<int> &v, std::vector<int> &w, int low, int high) {
  for (std::size_t i = 0; i < v.size(); ++i) w[i] = std::max(low, std::min(v[i], high)) + std::abs(v[i]);
}

void powers(std::span<float> x) {
  for (float &one : x) {
    if (one < 0.25f) continue;
    one = std::fabs(one) * std::abs(one - 1) + (float)std::fmax(one, 0.5);
  }
}

void exchange(std::span<double> a, std::span<double> b) {
  for (std::size_t i = 0; i < a.size(); i++) std::swap(a[i], b[i]);
}

void matrix(const std::vector<double> &a, const std::vector<double> &x, std::vector<double> &y, std::size_t n) {
  for (std::size_t i = 0; i < n; i++) {
    y[i] = 0;
    for (std::size_t j = 0; j < n; j++) y[i] += a[i * n + j] * x[j];
  }
}

void bytes(std::span<unsigned char> x, bool up) {
  for (auto &c : x) c = up ? c + 3 : c >> 1;
}

double dot(std::span<const double> a, std::span<const double> b) {
  double s = 0;
  const std::span<const double> c = b;
  for (std::size_t i = 0; i < a.size(); i++) s += a[i] * c[i];
  return s;
}
}  // namespace NS
