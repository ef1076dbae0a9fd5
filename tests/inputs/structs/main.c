#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "structs.h"

static double next(void) { static unsigned s = 1; s = s * 1103515245u + 12345u; return (int)(s >> 16 & 1023) / 64.0 - 8; }
static void fill(void *p, size_t n) { for (size_t i = 0; i < n; i++) ((unsigned char *)p)[i] = (unsigned char)(37 * i + 11); }
static void numbers(double *x, int n) { for (int i = 0; i < n; i++) x[i] = next(); }
static void floats(float *x, int n) { for (int i = 0; i < n; i++) x[i] = (float)next(); }

enum { N = 6 };
static double a[2][64];
static float f[2][64], g[2][64];
static body_t b[2][N];
static int bad;

static void same(const char *name, const void *x, const void *y, size_t n)
{
    if (memcmp(x, y, n)) { bad++; printf("%s differs\n", name); }
}

static void bodies(void)
{
    fill(b[0], sizeof b[0]);
    for (int i = 0; i < N; i++) { b[0][i].id = i - 2; b[0][i].mass = next(); numbers(&b[0][i].pos.x, 3); numbers(&b[0][i].vel.x, 3); }
    memcpy(b[1], b[0], sizeof b[0]);
    for (int i = 0; i < 64; i++) { a[0][i] = a[1][i] = i; f[0][i] = f[1][i] = (float)i; g[0][i] = g[1][i] = 1; }
}

#define BODY(name, ...) do { bodies(); { const int k = 0; (void)k; name(__VA_ARGS__); } { const int k = 1; (void)k; ref_##name(__VA_ARGS__); } \
    same(#name, b[0], b[1], sizeof b[0]); same(#name, a[0], a[1], sizeof a[0]); same(#name, f[0], f[1], sizeof f[0]); same(#name, g[0], g[1], sizeof g[0]); } while (0)
#define VALUE(name, ...) do { double x = name(__VA_ARGS__), y = ref_##name(__VA_ARGS__); same(#name, &x, &y, sizeof x); } while (0)

int main(void)
{
    for (int n = -1; n <= N; n++) {
        bodies();
        VALUE(total_mass, b[0], n); VALUE(weighted, b[0], n);
        BODY(drift, b[k], n, 0.25);
        BODY(shift, b[k], n, (vec_t){1, -2, 0.5});
        BODY(walk, b[0], n, a[k]);
        BODY(centre, b[0], n > 0 ? n : 1, a[k]);
        BODY(table, a[k], n);
        BODY(in_order, a[k], b[0], n);
        BODY(swap_all, b[k], n);
        words_t w = {1.5, n}; mixed_t m = {0.5f, 2, 9};
        BODY(spread, w, m, a[k], n > 0 ? n : 0);
        cell_t c[2][N]; fill(c[0], sizeof c[0]);
        for (int i = 0; i < N; i++) { c[0][i].tag = (short)(i * 1000 - 2500); c[0][i].on = i % 3 != 1; floats(c[0][i].w, 3); }
        memcpy(c[1], c[0], sizeof c[0]);
        BODY(gate, c[0], n, f[k]);
        BODY(blend, c[k], n, 0.25f); same("blend", c[0], c[1], sizeof c[0]);
        box_t x[N]; for (int i = 0; i < N; i++) floats(&x[i].corner[0].x, 4);
        BODY(extent, x, n, f[k], g[k]);
    }
    VALUE(dot, (pair_t){1, 2}, (pair_t){3, -4});
    VALUE(many, 1, (pair_t){2, 3}, (words_t){4, 5}, (mixed_t){6, 7, 8}, (vec_t){9, 10, 11}, 12, (words_t){13, 14}, (words_t){15, 16}, 17, (words_t){18, 19});
    bodies(); BODY(second_of, b[k], a[k]);
    vec_t v[2][12]; numbers(&v[0][0].x, 36); memcpy(v[1], v[0], sizeof v[0]);
    for (int n = -1; n < 4; n++) { BODY(strided, v[k], n, 3); same("strided", v[0], v[1], sizeof v[0]); }
    floats(g[0], 8); memcpy(g[1], g[0], sizeof g[0]); local_grid(f[0], g[0]); ref_local_grid(f[1], g[1]); same("local_grid", f[0], f[1], sizeof f[0]);

    double data[64], in[8]; numbers(data, 64); numbers(in, 8);
    for (int rows = -1; rows <= 8; rows++) {
        layer_t l = {{rows, 5}, data, {1, 2, 3, 4}, 0.5}, more = {{rows, 1}, data + 3, {0}, 2};
        BODY(affine, &l, in, a[k]);
        BODY(clamp_all, l, a[k]);
        net_t net[2]; memset(net, 0, sizeof net);
        for (int k = 0; k < 2; k++) {
            net[k].count = 7; net[k].first = l; net[k].second = l; net[k].second.shape.cols = 8; net[k].second.shape.rows = 3; net[k].more = &more; net[k].out = a[k];
            for (int i = 0; i < 15; i++) (&net[k].grid[0][0])[i] = (float)i / 3;
        }
        BODY(two_layers, &net[k], in);
        BODY(grid_sum, &net[k], f[k]);
        int flags[6] = {1, -1, 0, 5, 2, -7};
        BODY(counted, &net[k], flags, rows < 6 ? rows : 6);
        net[0].out = net[1].out; same("net", &net[0], &net[1], sizeof net[0]);
    }
    cplx_t u[3][12], t[12]; numbers((double *)u[0], 24), numbers((double *)t, 24);
    for (int n = -1; n < 12; n++) {
        memcpy(u[1], u[0], sizeof t), memcpy(u[2], u[0], sizeof t);
        times_all(u[1], t, n), ref_times_all(u[2], t, n), same("times_all", u[1], u[2], sizeof t);
        if (n < 4) product(3, n, 2, u[0], t, u[1]), ref_product(3, n, 2, u[0], t, u[2]), same("product", u[1], u[2], sizeof t);
        iterate(u[1], t, data, n), ref_iterate(u[2], t, data, n), same("iterate", u[1], u[2], sizeof t);
        float _Complex v[3][4]; floats((float *)v, 24);
        if (n < 4) parts(n, v, (float _Complex *)u[1], a[0]), ref_parts(n, v, (float _Complex *)u[2], a[1]), same("parts", u[1], u[2], sizeof t), same("parts", a[0], a[1], sizeof a[0]);
        root_t r = {t[1], {v[0][0], v[1][1]}, 3};
        rooted(&r, u[1], n), ref_rooted(&r, u[2], n), same("rooted", u[1], u[2], sizeof t);
        long step = n % 3;
        if (n < 6) by_address(&n, 2, &step, (double *)t, (double *)u[1]), ref_by_address(&n, 2, &step, (double *)t, (double *)u[2]), same("by_address", u[1], u[2], sizeof t);
    }
    { pair_t p = {1.5f, -2}, q = {3, 0.25f};
      if (late(1, 2, 3, 4, 5, 6, 7, p, 8, q) != ref_late(1, 2, 3, 4, 5, 6, 7, p, 8, q)) bad++, puts("late"); }
    affine(&(layer_t){{0, 3}, 0, {0}, 1}, 0, 0);       /* nothing is used of a null pointer */
    drift(0, 0, 1); blend(0, -3, 1);
    { double z = total_mass(0, 0); if (z != 0) bad++; }
    { layer_t *none = 0; (void)none; net_t n = {0}; n.more = &(layer_t){0}; two_layers(&n, 0); }
    printf("%d\n", bad);
    return bad != 0;
}
