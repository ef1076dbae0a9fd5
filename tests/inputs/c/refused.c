/* What is not static control: each function stays C, with the place of what is in the way.
   `refused: REASON` stands on the line that is told; the functions between are read all the same. */
#include <math.h>
#include <stdlib.h>

struct particle { double x, y, mass; unsigned alive : 1; };

/* refused function: histogram */
void histogram(const unsigned char *p, int n, int *bins)
{
    for (int i = 0; i < n; i++)
        bins[p[i]]++; // refused: subscript
}

/* refused function: scatter */
void scatter(double *out, const double *in, const int *index, int n)
{
    for (int i = 0; i < n; i++)
        out[index[i]] = in[i]; // refused: subscript
}

// run: kept_between(f64 x[9], i32 n = 9)
void kept_between(double *x, int n)
{
    for (int i = 0; i < n; i++)
        x[i] = 2 * x[i] + 1;
}

/* refused function: spmv */
void spmv(int rows, const int *start, const int *column, const double *value, const double *x, double *y)
{
    for (int i = 0; i < rows; i++)
        for (int k = start[i]; k < start[i + 1]; k++) // refused: depends on data
            y[i] += value[k] * x[column[k]];
}

/* refused function: length */
int length(const char *s)
{
    int n = 0;
    while (s[n]) // refused: while|loop|condition
        n++;
    return n;
}

/* refused function: factorial */
int factorial(int n)
{
    return n < 2 ? 1 : n * factorial(n - 1); // refused: recurs|calls itself
}

/* refused function: jump */
void jump(double *x, int n)
{
    int i = 0;
again: // refused: label
    x[i] *= 2;
    if (++i < n)
        goto again;
}

/* refused function: behind */
int behind(const int *x, int n, int wanted)
{
    for (int i = 0; i < n; i++)
        if (x[i] == wanted)
            return x[i + 1]; // refused: return
    return -1;
}

/* refused function: centre */
double centre(const struct particle *p, int n)
{
    double s = 0;
    for (int i = 0; i < n; i++)
        s += p[i].alive * p[i].x * p[i].mass; // refused: bit-field
    return s;
}

/* refused function: newton */
double newton(double a)
{
    double x = a;
    while (fabs(x * x - a) > 1e-9) // refused: while|loop|condition
        x = 0.5 * (x + a / x);
    return x;
}

/* refused function: apply */
void apply(double (*f)(double), double *x, int n) // refused: pointer to a function
{
    for (int i = 0; i < n; i++)
        x[i] = f(x[i]);
}

/* refused function: noise */
void noise(double *x, int n)
{
    for (int i = 0; i < n; i++)
        x[i] += rand(); // refused: rand
}

/* refused function: diagonal_product */
void diagonal_product(double *x, int n)
{
    for (int i = 0; i < n; i++)
        x[i * i] = 0; // refused: subscript
}

/* refused function: heaviest */
double heaviest(struct particle **p, int n) // refused: pointers or structs
{
    double m = 0;
    for (int i = 0; i < n; i++)
        m = p[i]->mass > m ? p[i]->mass : m;
    return m;
}

// run: kept_at_the_end(f64 x[9], f64 y[9])
void kept_at_the_end(const double x[9], double y[9])
{
    for (int i = 0; i < 9; i++)
        y[i] = x[8 - i];
}
