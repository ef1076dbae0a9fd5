/* Functions on structs: by pointer and by value, nested, in arrays, with holes, of numbers of several types. */
#include "structs.h"
#include <complex.h>

static vec_t plus(vec_t a, vec_t b)
{
    vec_t r = {a.x + b.x, a.y + b.y, a.z + b.z};
    return r;
}

static vec_t times(vec_t a, double s) { return (vec_t){.z = s * a.z, .x = s * a.x, .y = s * a.y}; }

static void put(vec_t *to, vec_t v) { *to = v; }

static double norm1(const vec_t *v) { return v->x + v->y + v->z; }

double total_mass(const body_t *b, int n)
{
    double s = 0;
    for (int i = 0; i < n; i++)
        s += b[i].mass;
    return s;
}

double weighted(const body_t *b, int n)
{
    double s = 0;
    for (int i = 0; i < n; i++)
        s += b[i].id * norm1(&b[i].pos);
    return s;
}

void drift(body_t *b, int n, double dt)
{
    for (int i = 0; i < n; i++)
        b[i].pos = plus(b[i].pos, times(b[i].vel, dt));
}

void shift(body_t *b, int n, vec_t by)
{
    for (body_t *p = b; p < b + n; p++)
        put(&p->pos, plus(by, p->pos));
}

void blend(cell_t *c, int n, float t)
{
    for (int i = 0; i + 1 < n; i++)
        for (int k = 0; k < 3; k++)
            c[i].w[k] = (1 - t) * c[i].w[k] + t * c[i + 1].w[k];
}

void gate(const cell_t *c, int n, float *out)
{
    for (int i = 0; i < n; i++)
        out[i] = c[i].on ? c[i].w[1] * c[i].level + c[i].tag : -1.0f;
}

static void apply(const layer_t *l, const double *x, double *y)
{
    for (int i = 0; i < l->shape.rows; i++) {
        double s = l->bias[i % 4];
        for (int j = 0; j < l->shape.cols; j++)
            s += l->data[i * l->shape.cols + j] * x[j];
        y[i] = s * l->scale;
    }
}

void affine(const layer_t *l, const double *x, double *y) { apply(l, x, y); }

void two_layers(net_t *net, const double *x)
{
    double h[8];
    layer_t *l = &net->first;
    for (int i = 0; i < 8; i++)
        h[i] = 0;
    apply(l, x, h);
    apply(&net->second, h, net->out);
    for (int i = 0; i < net->more->shape.rows; i++)
        net->out[i] += net->more->data[i] * net->more->scale;
}

void grid_sum(net_t *net, float *rows)
{
    for (int i = 0; i < 3; i++) {
        rows[i] = 0;
        for (int j = 0; j < 5; j++) {
            rows[i] += net->grid[i][j];
            net->grid[i][j] *= 2;
        }
    }
}

void counted(net_t *net, const int *flags, int n)
{
    net->count = 0;
    for (int i = 0; i < n; i++)
        net->count += flags[i] > 0;
}

float dot(pair_t a, pair_t b) { return a.x * b.x + a.y * b.y; }

double many(double a, pair_t p, words_t w, mixed_t m, vec_t v, int k, words_t u, words_t t, float c, words_t s)
{
    double r = a + p.x - 2 * p.y + w.a * w.b + m.re - m.im * m.n + v.x - v.y + 3 * v.z;
    return r + k + u.a - 5 * u.b + t.a - 7 * t.b + c + s.a - 11 * s.b;
}

void spread(words_t w, mixed_t m, double *out, int n)
{
    m.re += 1;
    w.b += 2;
    for (int i = 0; i < n; i++)
        out[i] = w.a * i + m.re - m.im;
    for (int i = 0; i < w.b; i++)
        out[i] += m.n;
}

void centre(const body_t *b, int n, double out[3])
{
    vec_t s = {0};
    double mass = 0;
    for (int i = 0; i < n; i++) {
        s = plus(s, times(b[i].pos, b[i].mass));
        mass += b[i].mass;
    }
    out[0] = s.x / mass;
    out[1] = s.y / mass;
    out[2] = s.z / mass;
}

void walk(const body_t *b, int n, double *out)
{
    while (n-- > 0) {
        *out++ = b->vel.z - b->mass;
        b++;
    }
}

void extent(const box_t *b, int n, float *w, float *h)
{
    for (int i = 0; i < n; i++) {
        const pair_t *c = b[i].corner;
        w[i] = c[1].x - c[0].x;
        h[i] = b[i].corner[1].y - b[i].corner->y;
    }
}

void table(double *out, int n)
{
    struct { int at; double w; } taps[3] = {{-1, 0.25}, {0, 0.5}, {.w = 0.125}};
    vec_t points[4];
    for (int k = 0; k < 4; k++) {
        points[k].x = k;
        points[k].y = points[k].x * k;
        points[k].z = 1;
    }
    for (int i = 0; i < n; i++) {
        out[i] = 0;
        for (int k = 0; k < 3; k++)
            out[i] += taps[k].w * points[k + 1].y + points[k].z;
    }
}

void in_order(double *out, const body_t *b, int n)
{
    body_t kept = *b, other = kept;
    kept.mass = 3;
    other.pos.x += 1;
    for (int i = 0; i < n; i++)
        out[i] = kept.mass * other.pos.x - b->mass + kept.pos.x * i;
}

void swap_all(body_t *b, int n)
{
    for (int i = 0; i < n; i++) {
        vec_t t = b[i].pos;
        b[i].pos = b[i].vel;
        b[i].vel = t;
    }
}

void strided(vec_t *v, int n, int m)
{
    for (int i = 0; i < n; i++)
        for (int j = 0; j < m; j++)
            v[i * m + j].y = v[i * m + j].x + i - j;
}

void local_grid(float *out, const float *in)
{
    struct { float sum; float part[2]; } g[3][2];
    for (int i = 0; i < 3; i++)
        for (int j = 0; j < 2; j++) {
            g[i][j].sum = in[i] * in[j];
            for (int k = 0; k < 2; k++)
                g[i][j].part[k] = in[k] - g[i][j].sum;
        }
    for (int i = 0; i < 3; i++)
        out[i] = g[i][0].sum + g[i][1].part[0] * g[i][0].part[1];
}

void clamp_all(layer_t l, double *y)
{
    for (int k = 0; k < 4; k++)
        l.bias[k] = l.bias[k] < l.scale ? l.scale : l.bias[k];
    for (int i = 0; i < l.shape.rows; i++)
        y[i] = l.data[i] + l.bias[i % 4];
}

void second_of(body_t b[3], double *out)
{
    b[1].mass = b[0].mass + b[2].mass;
    out[0] = b[1].mass * b[1].id;
}

/* The seventh integer has no register: floats behind it still have theirs. */
float late(int a, int b, int c, int d, int e, int f, int g, pair_t p, int h, pair_t q)
{
    float s = 0;
    for (int i = a; i < b + c + d; i++)
        s += i * p.x - q.y;
    return s + e * p.y + f * q.x + g - h;
}

/* ---- complex numbers --------------------------------------------------------------------------- */

void times_all(cplx_t *a, const cplx_t *b, int n)
{
    for (int i = 0; i < n; i++)
        a[i] *= b[i];
}

void product(int n, int m, int k, const cplx_t *a, const cplx_t *b, cplx_t *c)
{
    for (int i = 0; i < n; i++)
        for (int j = 0; j < m; j++) {
            cplx_t s = 0;
            for (int p = 0; p < k; p++)
                s += a[i * k + p] * conj(b[p * m + j]);
            c[i * m + j] = 2 * s - c[i * m + j] * 0.5;
        }
}

void parts(int n, const float _Complex a[][4], float _Complex z[4], double *norm)
{
    for (int i = 0; i < n; i++)
        for (int j = 0; j < 4; j++) {
            __real__ z[j] += crealf(a[i][j]);
            __imag__ z[j] -= cimagf(-a[i][j]);
            *norm += creal(a[i][j]) * crealf(a[i][j]) + cimagf(z[j]);
        }
}

static cplx_t square(cplx_t z) { return z * z; }

void iterate(cplx_t *z, const cplx_t *c, const double *r, int n)
{
    cplx_t t[3] = {1, 2 * I}, last = 0;
    for (int i = 0; i < n; i++) {
        cplx_t w = square(z[i]) + c[i];
        z[i] = -w + t[i % 3] - r[i] + r[i] / 2 * I;
        last = z[i] - last;
        z[i] += (float _Complex)last;
    }
}

void rooted(const root_t *r, cplx_t *z, int n)
{
    root_t two = *r;
    for (int i = 0; i < n; i++)
        z[i] = z[i] * r->at + r[0].w[1] - two.w[0];
}

void by_address(const int *n, double a, const long *step, const double *x, double *y)
{
    for (int i = 0; i < *n; i++)
        y[i] += a * x[i * step[0]];
}
