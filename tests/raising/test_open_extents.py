"""Extents that C gives by the parameters of a function: what is read beyond the loops is still inside of an array."""

import re

import pytest

import raising
from affine.c import COptions, convert
from raising.checking import check_modules

TRMM = """
void f(int m, int n, double A[m][m], double B[m][n]) {
  for (int i = 0; i < m; i++)
    for (int j = 0; j < n; j++)
      for (int k = i + 1; k < m; k++) B[i][j] += A[k][i] * B[k][j];
}"""
WINDOW = """
void f(int h, int w, int kh, int kw, float in[h][w], float k[kh][kw], float out[h-kh+1][w-kw+1]) {
  for (int y = 0; y < h - kh + 1; y++)
    for (int x = 0; x < w - kw + 1; x++) {
      float s = 0;
      for (int i = 0; i < kh; i++)
        for (int j = 0; j < kw; j++) s += in[y + i][x + j] * k[i][j];
      out[y][x] = s;
    }
}"""


def _raised(source):
    return raising.raise_module(convert(source, "f.c", COptions(function="f")).mlir)
