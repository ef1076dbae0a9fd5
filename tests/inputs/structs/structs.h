/* What tests/inputs/c/structs.c works on, and its functions, each beside one that gcc has compiled. */
#include <stdbool.h>
#include <stddef.h>

typedef struct { float x, y; } pair_t;
typedef struct { double x, y, z; } vec_t;
typedef struct { int id; double mass; vec_t pos, vel; } body_t;             /* a hole behind id */
typedef struct { short tag; float w[3]; bool on; unsigned char level; } cell_t; /* holes, numbers of four types */
typedef struct { int rows, cols; } shape_t;
typedef struct { shape_t shape; const double *data; double bias[4]; double scale; } layer_t;
typedef struct { int count; layer_t first, second; layer_t *more; double *out; float grid[3][5]; } net_t;
typedef struct { float re, im; int n; } mixed_t;
typedef struct { double a; long b; } words_t;
typedef struct { pair_t corner[2]; int rank; } box_t;

typedef double _Complex cplx_t;
typedef struct { cplx_t at; float _Complex w[2]; int n; } root_t;

#define BOTH(name, ...) name(__VA_ARGS__), ref_##name(__VA_ARGS__)
double BOTH(total_mass, const body_t *b, int n);
double BOTH(weighted, const body_t *b, int n);
void BOTH(drift, body_t *b, int n, double dt);
void BOTH(shift, body_t *b, int n, vec_t by);
void BOTH(blend, cell_t *c, int n, float t);
void BOTH(gate, const cell_t *c, int n, float *out);
void BOTH(affine, const layer_t *l, const double *x, double *y);
void BOTH(two_layers, net_t *net, const double *x);
void BOTH(grid_sum, net_t *net, float *rows);
void BOTH(counted, net_t *net, const int *flags, int n);
float BOTH(dot, pair_t a, pair_t b);
double BOTH(many, double a, pair_t p, words_t w, mixed_t m, vec_t v, int k, words_t u, words_t t, float c, words_t s);
void BOTH(spread, words_t w, mixed_t m, double *out, int n);
float BOTH(late, int a, int b, int c, int d, int e, int f, int g, pair_t p, int h, pair_t q);
void BOTH(centre, const body_t *b, int n, double out[3]);
void BOTH(walk, const body_t *b, int n, double *out);
void BOTH(extent, const box_t *b, int n, float *w, float *h);
void BOTH(table, double *out, int n);
void BOTH(in_order, double *out, const body_t *b, int n);
void BOTH(swap_all, body_t *b, int n);
void BOTH(strided, vec_t *v, int n, int m);
void BOTH(local_grid, float *out, const float *in);
void BOTH(clamp_all, layer_t l, double *y);
void BOTH(second_of, body_t b[3], double *out);
void BOTH(times_all, cplx_t *a, const cplx_t *b, int n);
void BOTH(product, int n, int m, int k, const cplx_t *a, const cplx_t *b, cplx_t *c);
void BOTH(parts, int n, const float _Complex a[][4], float _Complex z[4], double *norm);
void BOTH(iterate, cplx_t *z, const cplx_t *c, const double *r, int n);
void BOTH(rooted, const root_t *r, cplx_t *z, int n);
void BOTH(by_address, const int *n, double a, const long *step, const double *x, double *y);
