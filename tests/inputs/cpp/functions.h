// Declared twice: namespace `ours` is compiled from MLIR, namespace `theirs` by the machine's compiler.
#ifndef POINT
#define POINT
struct Point {
  double x, y;
  int n;
};
#endif

namespace NS {
namespace inner {
void scale(std::vector<double> &v, double a);
}
void copy(const std::vector<float> &a, std::vector<float> &b);
double sum(const std::array<double, 4> &a);
void rotate(std::array<int, 5> &a);
void spans(std::span<const float> a, std::span<float> b);
double fixed(std::span<double, 3> a);
void add(double &x, int n);
double over(double x);
double over(int x);
void fill(double *x);
long total(const std::vector<long> &v);
void last(std::vector<double> &v);
void table(double (&a)[4], const double (&b)[4]);
double first(const Point &p, Point q);
void move(Point *p, double by);
void bounded(const std::vector<int> &v, std::vector<int> &w, int low, int high);
void powers(std::span<float> x);
void exchange(std::span<double> a, std::span<double> b);
void matrix(const std::vector<double> &a, const std::vector<double> &x, std::vector<double> &y, std::size_t n);
void bytes(std::span<unsigned char> x, bool up);
double dot(std::span<const double> a, std::span<const double> b);
}  // namespace NS
