/* Layers of neural networks, written the way that small C runtimes write them. */
#include <float.h>
#include <math.h>

/* In place over one row. */
// run: softmax(f32 x[12], i32 size = 12)
void softmax(float *x, int size)
{
    float max_val = x[0];
    for (int i = 1; i < size; i++) {
        if (x[i] > max_val) {
            max_val = x[i];
        }
    }
    float sum = 0.0f;
    for (int i = 0; i < size; i++) {
        x[i] = expf(x[i] - max_val);
        sum += x[i];
    }
    for (int i = 0; i < size; i++) {
        x[i] /= sum;
    }
}

/* All rows of a matrix, not in place. */
// run: softmax_rows(f64 in[4][9], f64 out[4][9])
void softmax_rows(double in[4][9], double out[4][9])
{
    for (int r = 0; r < 4; r++) {
        double m = -DBL_MAX, s = 0;
        for (int c = 0; c < 9; c++)
            m = in[r][c] > m ? in[r][c] : m;
        for (int c = 0; c < 9; c++)
            s += out[r][c] = exp(in[r][c] - m);
        for (int c = 0; c < 9; c++)
            out[r][c] /= s;
    }
}

// run: log_softmax(f32 x[10], f32 y[10])
void log_softmax(const float x[10], float y[10])
{
    float m = x[0], s = 0;
    for (int i = 1; i < 10; i++)
        m = fmaxf(m, x[i]);
    for (int i = 0; i < 10; i++)
        s += expf(x[i] - m);
    float shift = m + logf(s);
    for (int i = 0; i < 10; i++)
        y[i] = x[i] - shift;
}

// run: rmsnorm(f32 o[16], f32 x[16], f32 weight[16], i32 size = 16)
void rmsnorm(float *o, float *x, float *weight, int size)
{
    float ss = 0.0f;
    for (int j = 0; j < size; j++) {
        ss += x[j] * x[j];
    }
    ss /= size;
    ss += 1e-5f;
    ss = 1.0f / sqrtf(ss);
    for (int j = 0; j < size; j++) {
        o[j] = weight[j] * (ss * x[j]);
    }
}

// run: layernorm(f32 x[5][12], f32 g[12], f32 b[12], f32 y[5][12])
void layernorm(float x[5][12], const float g[12], const float b[12], float y[5][12])
{
    for (int r = 0; r < 5; r++) {
        float mean = 0, var = 0;
        for (int c = 0; c < 12; c++)
            mean += x[r][c];
        mean /= 12;
        for (int c = 0; c < 12; c++)
            var += (x[r][c] - mean) * (x[r][c] - mean);
        var /= 12;
        float inv = 1 / sqrtf(var + 1e-5f);
        for (int c = 0; c < 12; c++)
            y[r][c] = (x[r][c] - mean) * inv * g[c] + b[c];
    }
}

/* y = W x, W of d rows and n columns. */
// run: matvec(f32 xout[7], f32 x[9], f32 w[7][9], i32 n = 9, i32 d = 7)
void matvec(float *xout, float *x, float *w, int n, int d)
{
    int i;
#pragma omp parallel for private(i)
    for (i = 0; i < d; i++) {
        float val = 0.0f;
        for (int j = 0; j < n; j++) {
            val += w[i * n + j] * x[j];
        }
        xout[i] = val;
    }
}

// run: linear(f32 x[4][10], f32 W[6][10], f32 bias[6], f32 y[4][6])
void linear(float x[4][10], float W[6][10], float bias[6], float y[4][6])
{
    for (int b = 0; b < 4; b++)
        for (int o = 0; o < 6; o++) {
            float acc = bias[o];
            for (int i = 0; i < 10; i++)
                acc += x[b][i] * W[o][i];
            y[b][o] = acc > 0 ? acc : 0;
        }
}

// run: relu(f32 x[20], i32 n = 20)
void relu(float *x, int n)
{
    for (int i = 0; i < n; i++)
        if (x[i] < 0)
            x[i] = 0;
}

// run: leaky_relu(f32 x[20], f32 y[20], f32 slope)
void leaky_relu(const float *x, float *y, float slope)
{
    for (int i = 0; i < 20; i++)
        y[i] = x[i] > 0 ? x[i] : slope * x[i];
}

// run: sigmoid(f64 x[15], i32 n = 15)
void sigmoid(double *x, int n)
{
    for (int i = 0; i < n; ++i)
        x[i] = 1.0 / (1.0 + exp(-x[i]));
}

// run: gelu(f32 x[15], f32 y[15], i32 n = 15)
void gelu(const float *x, float *y, int n)
{
    const float c = 0.7978845608f;
    for (int i = 0; i < n; i++) {
        float cube = 0.044715f * x[i] * x[i] * x[i];
        y[i] = 0.5f * x[i] * (1.0f + tanhf(c * (x[i] + cube)));
    }
}

// run: swiglu(f32 hb[14], f32 hb2[14], i32 hidden = 14)
void swiglu(float *hb, const float *hb2, int hidden)
{
    for (int i = 0; i < hidden; i++) {
        float val = hb[i];
        val *= (1.0f / (1.0f + expf(-val)));
        val *= hb2[i];
        hb[i] = val;
    }
}

/* Rotates pairs of channels by angles from tables. */
// run: rope(f32 q[6][8], f32 c[6][4], f32 s[6][4])
void rope(float q[6][8], float c[6][4], float s[6][4])
{
    for (int t = 0; t < 6; t++)
        for (int i = 0; i < 4; i++) {
            float v0 = q[t][2 * i];
            float v1 = q[t][2 * i + 1];
            q[t][2 * i] = v0 * c[t][i] - v1 * s[t][i];
            q[t][2 * i + 1] = v0 * s[t][i] + v1 * c[t][i];
        }
}

/* Scores of one head: queries times keys, scaled. */
// run: attention_scores(f32 q[5][8], f32 k[6][8], f32 att[5][6])
void attention_scores(float q[5][8], float k[6][8], float att[5][6])
{
    const float scale = 0.35355339f;
    for (int i = 0; i < 5; i++)
        for (int j = 0; j < 6; j++) {
            float score = 0.0f;
            for (int d = 0; d < 8; d++)
                score += q[i][d] * k[j][d];
            att[i][j] = score * scale;
        }
}

/* A causal mask: later positions get minus infinity's stand-in. */
// run: causal_scores(f32 q[6][8], f32 k[6][8], f32 att[6][6])
void causal_scores(float q[6][8], float k[6][8], float att[6][6])
{
    for (int i = 0; i < 6; i++)
        for (int j = 0; j < 6; j++) {
            if (j > i) {
                att[i][j] = -1e30f;
                continue;
            }
            float score = 0.0f;
            for (int d = 0; d < 8; d++)
                score += q[i][d] * k[j][d];
            att[i][j] = score / sqrtf(8);
        }
}

// run: attention_mix(f32 att[4][5][6], f32 v[4][6][8], f32 out[5][4][8])
void attention_mix(float att[4][5][6], float v[4][6][8], float out[5][4][8])
{
    for (int h = 0; h < 4; h++)
        for (int t = 0; t < 5; t++)
            for (int d = 0; d < 8; d++) {
                float s = 0;
                for (int u = 0; u < 6; u++)
                    s += att[h][t][u] * v[h][u][d];
                out[t][h][d] = s;
            }
}

// run: residual(f32 x[18], f32 x2[18], i32 dim = 18)
void residual(float *x, const float *x2, int dim)
{
    for (int i = 0; i < dim; i++) x[i] += x2[i];
}

// run: batchnorm(f32 x[2][3][20], f32 mean[3], f32+ var[3], f32 g[3], f32 b[3])
void batchnorm(float *x, const float *mean, const float *var, const float *g, const float *b)
{
    for (int n = 0; n < 2; n++)
        for (int c = 0; c < 3; c++)
            for (int i = 0; i < 20; i++) {
                float *p = &x[(n * 3 + c) * 20 + i];
                *p = (*p - mean[c]) / sqrtf(var[c] + 1e-5f) * g[c] + b[c];
            }
}

// run: mse(f64 y[20], f64 t[20], i32 n = 20) -> f64
double mse(const double *y, const double *t, int n)
{
    double loss = 0.0;
    for (int i = 0; i < n; i++) {
        double d = y[i] - t[i];
        loss += d * d;
    }
    return loss / n;
}

// run: sgd(f32 w[15], f32 g[15], f32 m[15], f32 lr, f32 mu)
void sgd(float w[15], const float g[15], float m[15], float lr, float mu)
{
    for (int i = 0; i < 15; i++) {
        m[i] = mu * m[i] + g[i];
        w[i] -= lr * m[i];
    }
}
