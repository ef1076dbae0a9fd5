"""Stencils over grids."""

import numpy as np

from tests.bench.programs.register import double, program, single


@program(lambda g, n: (20, double(g, n), double(g, n)), 30, 4000)
def jacobi_1d(steps, A, B):
    for _ in range(1, steps):
        B[1:-1] = (A[:-2] + A[1:-1] + A[2:]) / 3
        A[1:-1] = (B[:-2] + B[1:-1] + B[2:]) / 3


@program(lambda g, n: (10, double(g, n, n), double(g, n, n)), 12, 400)
def jacobi_2d(steps, A, B):
    for _ in range(1, steps):
        B[1:-1, 1:-1] = 0.2 * (A[1:-1, 1:-1] + A[1:-1, :-2] + A[1:-1, 2:] + A[2:, 1:-1] + A[:-2, 1:-1])
        A[1:-1, 1:-1] = 0.2 * (B[1:-1, 1:-1] + B[1:-1, :-2] + B[1:-1, 2:] + B[2:, 1:-1] + B[:-2, 1:-1])


@program(lambda g, n: (6, double(g, n, n, n), double(g, n, n, n)), 8, 60)
def heat_3d(steps, A, B):
    for _ in range(steps):
        B[1:-1, 1:-1, 1:-1] = (
            0.125 * (A[2:, 1:-1, 1:-1] - 2.0 * A[1:-1, 1:-1, 1:-1] + A[:-2, 1:-1, 1:-1])
            + 0.125 * (A[1:-1, 2:, 1:-1] - 2.0 * A[1:-1, 1:-1, 1:-1] + A[1:-1, :-2, 1:-1])
            + 0.125 * (A[1:-1, 1:-1, 2:] - 2.0 * A[1:-1, 1:-1, 1:-1] + A[1:-1, 1:-1, :-2])
            + A[1:-1, 1:-1, 1:-1]
        )
        A[1:-1, 1:-1, 1:-1] = B[1:-1, 1:-1, 1:-1]


@program(lambda g, n: (5, double(g, n, n)), 10, 120)
def seidel_2d(steps, A):
    n = A.shape[0]
    for _ in range(steps):
        for i in range(1, n - 1):
            A[i, 1:-1] += A[i - 1, :-2] + A[i - 1, 1:-1] + A[i - 1, 2:] + A[i, 2:] + A[i + 1, :-2]
            A[i, 1:-1] += A[i + 1, 1:-1] + A[i + 1, 2:]
            for j in range(1, n - 1):
                A[i, j] += A[i, j - 1]
                A[i, j] /= 9.0


@program(lambda g, n: (8, double(g, n, n), double(g, n, n), double(g, n, n), double(g, 8)), 12, 300)
def fdtd_2d(steps, ex, ey, hz, source):
    for t in range(steps):
        ey[0, :] = source[t]
        ey[1:, :] -= 0.5 * (hz[1:, :] - hz[:-1, :])
        ex[:, 1:] -= 0.5 * (hz[:, 1:] - hz[:, :-1])
        hz[:-1, :-1] -= 0.7 * (ex[:-1, 1:] - ex[:-1, :-1] + ey[1:, :-1] - ey[:-1, :-1])


@program(lambda g, n: (single(g, n, n, 6), single(g, n - 4, n - 4, 6)), 10, 128)
def horizontal_diffusion(field, coefficient):
    lap = 4.0 * field[1:-1, 1:-1, :] - (
        field[2:, 1:-1, :] + field[:-2, 1:-1, :] + field[1:-1, 2:, :] + field[1:-1, :-2, :]
    )
    step = lap[1:, 1:-1, :] - lap[:-1, 1:-1, :]
    flux_x = np.where(step * (field[2:-1, 2:-2, :] - field[1:-2, 2:-2, :]) > 0, 0, step)
    step_y = lap[1:-1, 1:, :] - lap[1:-1, :-1, :]
    flux_y = np.where(step_y * (field[2:-2, 2:-1, :] - field[2:-2, 1:-2, :]) > 0, 0, step_y)
    return field[2:-2, 2:-2, :] - coefficient * (
        flux_x[1:, :, :] - flux_x[:-1, :, :] + flux_y[:, 1:, :] - flux_y[:, :-1, :]
    )


@program(lambda g, n: (single(g, n, n), single(g, 3, 3)), 9, 400)
def convolved(image, kernel):
    height, width = image.shape[0] - 2, image.shape[1] - 2
    out = np.zeros((height, width), dtype=np.float32)
    for i in range(3):
        for j in range(3):
            out += kernel[i, j] * image[i : i + height, j : j + width]
    return out


@program(lambda g, n: ((g.random((n, n)) < 0.3).astype(np.int32), 4), 10, 300)
def life(grid, steps):
    for _ in range(steps):
        near = (
            grid[:-2, :-2] + grid[:-2, 1:-1] + grid[:-2, 2:] + grid[1:-1, :-2]
            + grid[1:-1, 2:] + grid[2:, :-2] + grid[2:, 1:-1] + grid[2:, 2:]
        )  # fmt: skip
        born = (near == 3) & (grid[1:-1, 1:-1] == 0)
        stays = ((near == 2) | (near == 3)) & (grid[1:-1, 1:-1] == 1)
        grid[:, :] = 0
        grid[1:-1, 1:-1][born | stays] = 1


@program(lambda g, n: (double(g, n), 0.4, 15), 20, 5000)
def upwind(u, courant, steps):
    for _ in range(steps):
        u[1:] = u[1:] - courant * (u[1:] - u[:-1])
        u[0] = u[-1]


@program(lambda g, n: (single(g, n, n), 0.25, 6), 12, 300)
def periodic_heat(T, alpha, steps):
    for _ in range(steps):
        around = np.roll(T, 1, 0) + np.roll(T, -1, 0) + np.roll(T, 1, 1) + np.roll(T, -1, 1)
        T[:] = T + alpha * (around - 4 * T)
