"""Physics and related numbers."""

import numpy as np

from tests.bench.programs.register import double, program, single


@program(lambda g, n: (double(g, n, 3), double(g, n, 3), double(g, n), 0.01, 3), 8, 120)
def n_body(pos, vel, mass, dt, steps):
    for _ in range(steps):
        d = pos[None, :, :] - pos[:, None, :]
        r2 = np.sum(d * d, axis=2) + 0.01
        acc = np.sum(d * (mass[None, :] / (r2 * np.sqrt(r2)))[:, :, None], axis=1)
        vel += dt * acc
        pos += dt * vel


@program(lambda g, n: (double(g, n, 3) * n,), 8, 150)
def lennard_jones(pos):
    n = pos.shape[0]
    energy = 0.0
    for i in range(n):
        for j in range(i + 1, n):
            d = pos[i] - pos[j]
            s = 1.0 / (d[0] * d[0] + d[1] * d[1] + d[2] * d[2])
            s3 = s * s * s
            energy += 4.0 * (s3 * s3 - s3)
    return energy


@program(lambda g, n: (double(g, n), double(g, n), double(g, n), double(g, n)), 10, 100000)
def arc_distance(theta_1, phi_1, theta_2, phi_2):
    t = np.sin((theta_2 - theta_1) / 2) ** 2 + np.cos(theta_1) * np.cos(theta_2) * np.sin((phi_2 - phi_1) / 2) ** 2
    return 2 * np.arctan2(np.sqrt(t), np.sqrt(1 - t))


@program(lambda g, n: (double(g, n, n),), 8, 500)
def go_fast(a):
    trace = 0.0
    for i in range(a.shape[0]):
        trace += np.tanh(a[i, i])
    return a + trace


@program(lambda g, n: (single(g, n) * 100 + 1, single(g, n) * 100 + 1, single(g, n) + 0.1, 0.05, 0.2), 10, 100000)
def option_price(spot, strike, time, rate, volatility):
    root = volatility * np.sqrt(time)
    d1 = (np.log(spot / strike) + (rate + 0.5 * volatility**2) * time) / root
    d2 = d1 - root
    n1 = 0.5 * (1 + np.tanh(0.7978845608 * (d1 + 0.044715 * d1**3)))
    n2 = 0.5 * (1 + np.tanh(0.7978845608 * (d2 + 0.044715 * d2**3)))
    return spot * n1 - strike * np.exp(-rate * time) * n2


@program(lambda g, n: (double(g, n) * 3 - 1.5, double(g, n) * 3 - 1.5, 20), 10, 5000)
def mandelbrot(re, im, limit):
    count = np.zeros(re.shape[0], dtype=np.int64)
    for i in range(re.shape[0]):
        x, y, k = 0.0, 0.0, 0
        while k < limit and x * x + y * y <= 4.0:
            x, y = x * x - y * y + re[i], 2 * x * y + im[i]
            k += 1
        count[i] = k
    return count


@program(lambda g, n: (double(g, n), double(g, n), 8), 20, 20000)
def azimuthal_mean(radius, intensity, bins):
    top = np.max(radius)
    out = np.zeros(bins)
    for b in range(bins):
        inside = (top * b / bins <= radius) & (radius < top * (b + 1) / bins)
        out[b] = np.sum(np.where(inside, intensity, 0.0)) / np.sum(inside)
    return out


@program(lambda g, n: (double(g, n, n), double(g, n, n), 5, 0.3), 10, 200)
def wave(now, before, steps, c):
    for _ in range(steps):
        lap = now[2:, 1:-1] + now[:-2, 1:-1] + now[1:-1, 2:] + now[1:-1, :-2] - 4 * now[1:-1, 1:-1]
        after = now.copy()
        after[1:-1, 1:-1] = 2 * now[1:-1, 1:-1] - before[1:-1, 1:-1] + c * lap
        before[:] = now
        now[:] = after


@program(lambda g, n: (double(g, n), 0.1, 0.002, 0.05, 20), 12, 5000)
def burgers(u, dx, dt, nu, steps):
    for _ in range(steps):
        old = u.copy()
        u[1:-1] = (
            old[1:-1]
            - dt / dx * old[1:-1] * (old[1:-1] - old[:-2])
            + nu * dt / dx**2 * (old[2:] - 2 * old[1:-1] + old[:-2])
        )


@program(lambda g, n: (single(g, n), single(g, n)), 10, 100000)
def quarter_circle(x, y):
    return 4.0 * np.sum(x * x + y * y < 1.0) / x.shape[0]


@program(lambda g, n: (single(g, n, n), single(g, n, n)), 8, 300)
def compute(a, b):
    return np.clip(a, 0.2, 0.8) * 4 + b * 3 + 9


@program(lambda g, n: (double(g, 9, n, n) + 0.5, 0.6, 3), 8, 100)
def lattice_boltzmann(f, tau, steps):
    for _ in range(steps):
        rho = np.sum(f, axis=0)
        ux = (f[1] - f[3] + f[5] - f[6] - f[7] + f[8]) / rho
        uy = (f[2] - f[4] + f[5] + f[6] - f[7] - f[8]) / rho
        square = 1.5 * (ux * ux + uy * uy)
        f[0] += (4 / 9 * rho * (1 - square) - f[0]) / tau
        f[1] += (1 / 9 * rho * (1 + 3 * ux + 4.5 * ux * ux - square) - f[1]) / tau
        f[2] += (1 / 9 * rho * (1 + 3 * uy + 4.5 * uy * uy - square) - f[2]) / tau
        f[3] += (1 / 9 * rho * (1 - 3 * ux + 4.5 * ux * ux - square) - f[3]) / tau
        f[4] += (1 / 9 * rho * (1 - 3 * uy + 4.5 * uy * uy - square) - f[4]) / tau
        f[1] = np.roll(f[1], 1, axis=1)
        f[2] = np.roll(f[2], 1, axis=0)
        f[3] = np.roll(f[3], -1, axis=1)
        f[4] = np.roll(f[4], -1, axis=0)


@program(lambda g, n: (g.integers(0, 256, n).astype(np.uint8), 4129), 20, 5000)
def crc16(data, poly):
    crc = 65535
    for i in range(data.shape[0]):
        b = np.int64(data[i])
        for _ in range(8):
            if (b & 1) ^ (crc & 1):  # noqa: SIM108 (as people write it)
                crc = (crc >> 1) ^ poly
            else:
                crc = crc >> 1
            b = b >> 1
    return crc
