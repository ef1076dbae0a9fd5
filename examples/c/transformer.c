/* Inference of a small transformer, in one file: weights and the state of a run are structs. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

typedef struct {
    int dim;        /* of the residual stream */
    int hidden;     /* of the feed-forward layers */
    int layers;
    int heads;
    int kv_heads;   /* of keys and values, shared by several heads */
    int vocab;
    int seq;        /* the longest sequence */
} Config;

typedef struct {
    float *embedding;                      /* (vocab, dim) */
    float *norm_att, *norm_ffn;            /* (layers, dim) */
    float *wq, *wk, *wv, *wo;              /* (layers, dim, dim or kv_dim) */
    float *w1, *w2, *w3;                   /* (layers, hidden, dim), (layers, dim, hidden), ... */
    float *norm_final;                     /* (dim) */
    float *classifier;                     /* (vocab, dim) */
} Weights;

typedef struct {
    float *x, *xb, *xb2;                   /* (dim) */
    float *hb, *hb2;                       /* (hidden) */
    float *q;                              /* (dim) */
    float *att;                            /* (heads, seq) */
    float *logits;                         /* (vocab) */
    float *keys, *values;                  /* (layers, seq, kv_dim) */
} State;

typedef struct {
    Config config;
    Weights weights;
    State state;
} Model;

void rmsnorm(float *o, const float *x, const float *weight, int size)
{
    float ss = 0.0f;
    for (int j = 0; j < size; j++)
        ss += x[j] * x[j];
    ss /= size;
    ss += 1e-5f;
    ss = 1.0f / sqrtf(ss);
    for (int j = 0; j < size; j++)
        o[j] = weight[j] * (ss * x[j]);
}

void softmax(float *x, int size)
{
    float max_val = x[0];
    for (int i = 1; i < size; i++)
        if (x[i] > max_val)
            max_val = x[i];
    float sum = 0.0f;
    for (int i = 0; i < size; i++) {
        x[i] = expf(x[i] - max_val);
        sum += x[i];
    }
    for (int i = 0; i < size; i++)
        x[i] /= sum;
}

void matmul(float *xout, const float *x, const float *w, int n, int d)
{
    for (int i = 0; i < d; i++) {
        float val = 0.0f;
        for (int j = 0; j < n; j++)
            val += w[i * n + j] * x[j];
        xout[i] = val;
    }
}

void rope(float *v, int pos, int size, int head_size)
{
    for (int i = 0; i < size; i += 2) {
        int head_dim = i % head_size;
        float freq = 1.0f / powf(10000.0f, head_dim / (float)head_size);
        float val = pos * freq;
        float fcr = cosf(val), fci = sinf(val);
        float v0 = v[i], v1 = v[i + 1];
        v[i] = v0 * fcr - v1 * fci;
        v[i + 1] = v0 * fci + v1 * fcr;
    }
}

void attention(const Config *p, State *s, const float *keys, const float *values, int pos)
{
    int head_size = p->dim / p->heads;
    int kv_dim = p->dim * p->kv_heads / p->heads;
    int kv_mul = p->heads / p->kv_heads;
    for (int h = 0; h < p->heads; h++) {
        const float *q = s->q + h * head_size;
        float *att = s->att + h * p->seq;
        for (int t = 0; t <= pos; t++) {
            const float *k = keys + t * kv_dim + (h / kv_mul) * head_size;
            float score = 0.0f;
            for (int i = 0; i < head_size; i++)
                score += q[i] * k[i];
            att[t] = score / sqrtf(head_size);
        }
        softmax(att, pos + 1);
        float *xb = s->xb + h * head_size;
        for (int i = 0; i < head_size; i++)
            xb[i] = 0.0f;
        for (int t = 0; t <= pos; t++) {
            const float *v = values + t * kv_dim + (h / kv_mul) * head_size;
            for (int i = 0; i < head_size; i++)
                xb[i] += att[t] * v[i];
        }
    }
}

void residual(float *x, const float *y, int size)
{
    for (int i = 0; i < size; i++)
        x[i] += y[i];
}

void swiglu(float *hb, const float *hb2, int size)
{
    for (int i = 0; i < size; i++) {
        float val = hb[i];
        val *= 1.0f / (1.0f + expf(-val));
        val *= hb2[i];
        hb[i] = val;
    }
}

void feed_forward(const Config *p, const Weights *w, State *s, int l)
{
    rmsnorm(s->xb, s->x, w->norm_ffn + l * p->dim, p->dim);
    matmul(s->hb, s->xb, w->w1 + l * p->dim * p->hidden, p->dim, p->hidden);
    matmul(s->hb2, s->xb, w->w3 + l * p->dim * p->hidden, p->dim, p->hidden);
    swiglu(s->hb, s->hb2, p->hidden);
    matmul(s->xb, s->hb, w->w2 + l * p->dim * p->hidden, p->hidden, p->dim);
    residual(s->x, s->xb, p->dim);
}

float *forward(Model *m, int token, int pos)
{
    Config *p = &m->config;
    Weights *w = &m->weights;
    State *s = &m->state;
    int dim = p->dim, kv_dim = p->dim * p->kv_heads / p->heads, head_size = dim / p->heads;

    memcpy(s->x, w->embedding + token * dim, dim * sizeof(float));
    for (int l = 0; l < p->layers; l++) {
        int at = l * p->seq * kv_dim;
        float *k = s->keys + at + pos * kv_dim, *v = s->values + at + pos * kv_dim;
        rmsnorm(s->xb, s->x, w->norm_att + l * dim, dim);
        matmul(s->q, s->xb, w->wq + l * dim * dim, dim, dim);
        matmul(k, s->xb, w->wk + l * dim * kv_dim, dim, kv_dim);
        matmul(v, s->xb, w->wv + l * dim * kv_dim, dim, kv_dim);
        rope(s->q, pos, dim, head_size);
        rope(k, pos, kv_dim, head_size);
        attention(p, s, s->keys + at, s->values + at, pos);
        matmul(s->xb2, s->xb, w->wo + l * dim * dim, dim, dim);
        residual(s->x, s->xb2, dim);
        feed_forward(p, w, s, l);
    }
    rmsnorm(s->x, s->x, w->norm_final, dim);
    matmul(s->logits, s->x, w->classifier, p->dim, p->vocab);
    return s->logits;
}

int argmax(const float *x, int n)
{
    int best = 0;
    for (int i = 1; i < n; i++)
        if (x[i] > x[best])
            best = i;
    return best;
}

static float *numbers(size_t n, unsigned *seed, float scale)
{
    float *x = malloc(n * sizeof(float));
    for (size_t i = 0; x && i < n; i++) {
        *seed = *seed * 1664525u + 1013904223u;
        x[i] = scale * ((int)(*seed >> 9) - (1 << 22)) / (1 << 22);
    }
    return x;
}

int main(void)
{
    Model m = {.config = {16, 24, 2, 4, 2, 40, 12}};
    Config *p = &m.config;
    Weights *w = &m.weights;
    State *s = &m.state;
    unsigned seed = 1;
    int kv = p->dim * p->kv_heads / p->heads, n = p->layers;
    w->embedding = numbers(p->vocab * p->dim, &seed, 1), w->classifier = numbers(p->vocab * p->dim, &seed, 1);
    w->norm_att = numbers(n * p->dim, &seed, 1), w->norm_ffn = numbers(n * p->dim, &seed, 1), w->norm_final = numbers(p->dim, &seed, 1);
    w->wq = numbers(n * p->dim * p->dim, &seed, 1), w->wo = numbers(n * p->dim * p->dim, &seed, 1);
    w->wk = numbers(n * p->dim * kv, &seed, 1), w->wv = numbers(n * p->dim * kv, &seed, 1);
    w->w1 = numbers(n * p->dim * p->hidden, &seed, 1), w->w2 = numbers(n * p->dim * p->hidden, &seed, 1), w->w3 = numbers(n * p->dim * p->hidden, &seed, 1);
    s->x = numbers(p->dim, &seed, 0), s->xb = numbers(p->dim, &seed, 0), s->xb2 = numbers(p->dim, &seed, 0), s->q = numbers(p->dim, &seed, 0);
    s->hb = numbers(p->hidden, &seed, 0), s->hb2 = numbers(p->hidden, &seed, 0), s->att = numbers(p->heads * p->seq, &seed, 0), s->logits = numbers(p->vocab, &seed, 0);
    s->keys = numbers(n * p->seq * kv, &seed, 0), s->values = numbers(n * p->seq * kv, &seed, 0);
    for (int pos = 0, token = 1; pos < p->seq; pos++) {
        float *logits = forward(&m, token, pos);
        token = argmax(logits, p->vocab);
        printf("%d %.6f %.6f\n", token, logits[token], logits[0]);
    }
    return 0;
}
