/* Layers of a network: convolution by im2col and matrix products, its gradient, normalisation, pooling, activations. */
#include <float.h>
#include <math.h>

typedef enum { LINEAR, RELU, LEAKY, LOGISTIC } activation_t;

typedef struct {
    int batch, c, h, w;              /* of the input */
    int n, size, stride, pad;        /* filters */
    int out_h, out_w;
    float *weights, *biases;
    float *scales, *mean, *variance;
    float *output, *delta;
} layer_t;

static float pixel(const float *im, int height, int width, int row, int col, int channel, int pad)
{
    row -= pad;
    col -= pad;
    if (row < 0 || col < 0 || row >= height || col >= width)
        return 0;
    return im[col + width * (row + height * channel)];
}

void im2col(const float *im, int channels, int height, int width, int ksize, int stride, int pad, float *col)
{
    int height_col = (height + 2 * pad - ksize) / stride + 1;
    int width_col = (width + 2 * pad - ksize) / stride + 1;
    int channels_col = channels * ksize * ksize;
    for (int c = 0; c < channels_col; ++c) {
        int w_offset = c % ksize;
        int h_offset = (c / ksize) % ksize;
        int c_im = c / ksize / ksize;
        for (int h = 0; h < height_col; ++h)
            for (int w = 0; w < width_col; ++w) {
                int im_row = h_offset + h * stride;
                int im_col = w_offset + w * stride;
                col[(c * height_col + h) * width_col + w] =
                    pixel(im, height, width, im_row, im_col, c_im, pad);
            }
    }
}

/* The same for 3 x 3 filters with a border of 1, as most networks have them. */
void im2col_3x3(const float *im, int channels, int height, int width, float *col)
{
    for (int c = 0; c < channels; ++c)
        for (int kh = 0; kh < 3; ++kh)
            for (int kw = 0; kw < 3; ++kw)
                for (int h = 0; h < height; ++h)
                    for (int w = 0; w < width; ++w)
                        col[(((c * 3 + kh) * 3 + kw) * height + h) * width + w] =
                            pixel(im, height, width, h + kh, w + kw, c, 1);
}

void col2im_3x3(const float *col, int channels, int height, int width, float *im)
{
    for (int c = 0; c < channels; ++c)
        for (int kh = 0; kh < 3; ++kh)
            for (int kw = 0; kw < 3; ++kw)
                for (int h = 0; h < height; ++h)
                    for (int w = 0; w < width; ++w) {
                        int row = h + kh - 1, column = w + kw - 1;
                        if (row < 0 || column < 0 || row >= height || column >= width)
                            continue;
                        im[(c * height + row) * width + column] +=
                            col[(((c * 3 + kh) * 3 + kw) * height + h) * width + w];
                    }
}

void gemm_nn(int M, int N, int K, float ALPHA, const float *A, int lda, const float *B, int ldb, float *C, int ldc)
{
    for (int i = 0; i < M; ++i)
        for (int k = 0; k < K; ++k) {
            float part = ALPHA * A[i * lda + k];
            for (int j = 0; j < N; ++j)
                C[i * ldc + j] += part * B[k * ldb + j];
        }
}

void gemm_nt(int M, int N, int K, float ALPHA, const float *A, int lda, const float *B, int ldb, float *C, int ldc)
{
    for (int i = 0; i < M; ++i)
        for (int j = 0; j < N; ++j) {
            float sum = 0;
            for (int k = 0; k < K; ++k)
                sum += ALPHA * A[i * lda + k] * B[j * ldb + k];
            C[i * ldc + j] += sum;
        }
}

void gemm_tn(int M, int N, int K, float ALPHA, const float *A, int lda, const float *B, int ldb, float *C, int ldc)
{
    for (int i = 0; i < M; ++i)
        for (int k = 0; k < K; ++k) {
            float part = ALPHA * A[k * lda + i];
            for (int j = 0; j < N; ++j)
                C[i * ldc + j] += part * B[k * ldb + j];
        }
}

void gemm_tt(int M, int N, int K, float ALPHA, const float *A, int lda, const float *B, int ldb, float *C, int ldc)
{
    for (int i = 0; i < M; ++i)
        for (int j = 0; j < N; ++j) {
            float sum = 0;
            for (int k = 0; k < K; ++k)
                sum += ALPHA * A[i + k * lda] * B[k + j * ldb];
            C[i * ldc + j] += sum;
        }
}

void mean_of(const float *x, int batch, int filters, int spatial, float *mean)
{
    float scale = 1.f / (batch * spatial);
    for (int i = 0; i < filters; ++i) {
        mean[i] = 0;
        for (int j = 0; j < batch; ++j)
            for (int k = 0; k < spatial; ++k)
                mean[i] += x[j * filters * spatial + i * spatial + k];
        mean[i] *= scale;
    }
}

void variance_of(const float *x, const float *mean, int batch, int filters, int spatial, float *variance)
{
    float scale = 1.f / (batch * spatial - 1);
    for (int i = 0; i < filters; ++i) {
        variance[i] = 0;
        for (int j = 0; j < batch; ++j)
            for (int k = 0; k < spatial; ++k) {
                float d = x[j * filters * spatial + i * spatial + k] - mean[i];
                variance[i] += d * d;
            }
        variance[i] *= scale;
    }
}

void normalize(float *x, const float *mean, const float *variance, int batch, int filters, int spatial)
{
    for (int b = 0; b < batch; ++b)
        for (int f = 0; f < filters; ++f)
            for (int i = 0; i < spatial; ++i) {
                int index = b * filters * spatial + f * spatial + i;
                x[index] = (x[index] - mean[f]) / (sqrtf(variance[f]) + .000001f);
            }
}

void scale_bias(layer_t *l)
{
    for (int b = 0; b < l->batch; ++b)
        for (int i = 0; i < l->n; ++i)
            for (int j = 0; j < l->out_h * l->out_w; ++j)
                l->output[(b * l->n + i) * l->out_h * l->out_w + j] *= l->scales[i];
}

void add_bias(layer_t l)
{
    int size = l.out_h * l.out_w;
    for (int b = 0; b < l.batch; ++b)
        for (int i = 0; i < l.n; ++i)
            for (int j = 0; j < size; ++j)
                l.output[(b * l.n + i) * size + j] += l.biases[i];
}

void backward_bias(float *bias_updates, const float *delta, int batch, int n, int size)
{
    for (int b = 0; b < batch; ++b)
        for (int i = 0; i < n; ++i) {
            float sum = 0;
            for (int j = 0; j < size; ++j)
                sum += delta[j + size * (i + b * n)];
            bias_updates[i] += sum;
        }
}

void maxpool_2x2(const layer_t *l, const float *input)
{
    for (int b = 0; b < l->batch; ++b)
        for (int k = 0; k < l->c; ++k)
            for (int i = 0; i < l->out_h; ++i)
                for (int j = 0; j < l->out_w; ++j) {
                    float max = -FLT_MAX;
                    for (int n = 0; n < 2; ++n)
                        for (int m = 0; m < 2; ++m) {
                            float v = input[((b * l->c + k) * (2 * l->out_h) + 2 * i + n) * (2 * l->out_w) + 2 * j + m];
                            max = v > max ? v : max;
                        }
                    l->output[((b * l->c + k) * l->out_h + i) * l->out_w + j] = max;
                }
}

void avgpool(const layer_t *l, const float *input)
{
    for (int b = 0; b < l->batch; ++b)
        for (int k = 0; k < l->c; ++k) {
            int out = k + b * l->c;
            l->output[out] = 0;
            for (int i = 0; i < l->h * l->w; ++i)
                l->output[out] += input[i + l->h * l->w * (k + b * l->c)];
            l->output[out] /= l->h * l->w;
        }
}

void upsample(const float *in, int w, int h, int c, float scale, float *out)
{
    for (int k = 0; k < c; ++k)
        for (int j = 0; j < h * 2; ++j)
            for (int i = 0; i < w * 2; ++i)
                out[k * w * h * 4 + j * w * 2 + i] = scale * in[k * w * h + (j / 2) * w + i / 2];
}

void leaky(float *x, int n)
{
    for (int i = 0; i < n; ++i)
        x[i] = x[i] > 0 ? x[i] : .1f * x[i];
}

static float activate(float x, activation_t a)
{
    switch (a) {
    case LINEAR: return x;
    case RELU: return x * (x > 0);
    case LEAKY: return x > 0 ? x : .1f * x;
    case LOGISTIC: return 1.f / (1.f + expf(-x));
    }
    return 0;
}

void activate_array(float *x, const int n, const activation_t a)
{
    for (int i = 0; i < n; ++i)
        x[i] = activate(x[i], a);
}

void l2_cpu(int n, const float *pred, const float *truth, float *delta, float *error)
{
    for (int i = 0; i < n; ++i) {
        float diff = truth[i] - pred[i];
        error[i] = diff * diff;
        delta[i] = diff;
    }
}

void axpy_cpu(int N, float ALPHA, const float *X, int INCX, float *Y, int INCY)
{
    for (int i = 0; i < N; ++i)
        Y[i * INCY] += ALPHA * X[i * INCX];
}

void softmax_rows(const float *input, int n, int batch, float temp, float *output)
{
    for (int b = 0; b < batch; ++b) {
        float sum = 0, largest = -FLT_MAX;
        for (int i = 0; i < n; ++i)
            if (input[b * n + i] > largest)
                largest = input[b * n + i];
        for (int i = 0; i < n; ++i) {
            float e = expf(input[b * n + i] / temp - largest / temp);
            sum += e;
            output[b * n + i] = e;
        }
        for (int i = 0; i < n; ++i)
            output[b * n + i] /= sum;
    }
}

/* ---- a small run --------------------------------------------------------------------------------- */

#include <stdio.h>
#include <stdlib.h>

static float *numbers(int n, unsigned *seed)
{
    float *x = malloc(n * sizeof(float));
    for (int i = 0; x && i < n; i++) {
        *seed = *seed * 1664525u + 1013904223u;
        x[i] = (float)((int)(*seed >> 9) - (1 << 22)) / (1 << 22);
    }
    return x;
}

static void show(const char *name, const float *x, int n)
{
    double sum = 0, weighted = 0;
    for (int i = 0; i < n; i++)
        sum += x[i], weighted += x[i] * (i % 17);
    printf("%-14s %.9g %.9g\n", name, sum, weighted);
}

int main(void)
{
    unsigned seed = 7;
    int c = 3, h = 8, w = 6, n = 5, k = c * 9, size = h * w;
    layer_t l = {.batch = 2, .c = n, .h = h, .w = w, .n = n, .out_h = h, .out_w = w};
    float *image = numbers(c * size, &seed), *col = numbers(k * size, &seed), *back = numbers(c * size, &seed);
    float *filters = numbers(n * k, &seed), *out = numbers(l.batch * n * size, &seed), *grad = numbers(n * k, &seed);
    l.output = out, l.biases = numbers(n, &seed), l.scales = numbers(n, &seed);
    l.mean = numbers(n, &seed), l.variance = numbers(n, &seed);

    im2col_3x3(image, c, h, w, col), show("im2col_3x3", col, k * size);
    im2col(image, c, h, w, 3, 1, 1, col), show("im2col", col, k * size);
    gemm_nn(n, size, k, 1, filters, k, col, size, out, size), show("gemm_nn", out, n * size);
    gemm_nt(n, k, size, 0.5f, out, size, col, size, grad, k), show("gemm_nt", grad, n * k);
    gemm_tn(k, size, n, 1, filters, k, out, size, col, size), show("gemm_tn", col, k * size);
    gemm_tt(k, n, n, 1, filters, k, out, n, col, n), show("gemm_tt", col, k * size);
    col2im_3x3(col, c, h, w, back), show("col2im_3x3", back, c * size);
    mean_of(out, l.batch, n, size, l.mean), show("mean_of", l.mean, n);
    variance_of(out, l.mean, l.batch, n, size, l.variance), show("variance_of", l.variance, n);
    normalize(out, l.mean, l.variance, l.batch, n, size), show("normalize", out, l.batch * n * size);
    scale_bias(&l), show("scale_bias", out, l.batch * n * size);
    add_bias(l), show("add_bias", out, l.batch * n * size);
    backward_bias(l.biases, out, l.batch, n, size), show("backward_bias", l.biases, n);
    for (int a = LINEAR; a <= LOGISTIC; a++)
        activate_array(out, l.batch * n * size, a), show("activate_array", out, l.batch * n * size);
    leaky(out, size), show("leaky", out, size);
    softmax_rows(out, n, size, 1.5f, col), show("softmax_rows", col, n * size);
    l.out_h = h / 2, l.out_w = w / 2, l.c = n, l.output = col;
    maxpool_2x2(&l, out), show("maxpool_2x2", col, l.batch * n * l.out_h * l.out_w);
    avgpool(&l, out), show("avgpool", col, l.batch * n);
    upsample(image, w / 2, h / 2, c, 0.5f, col), show("upsample", col, c * size);
    l2_cpu(size, image, out, col, back), show("l2_cpu", back, size);
    axpy_cpu(size / 2, 0.25f, image, 2, out, 1), show("axpy_cpu", out, size);
    return 0;
}
