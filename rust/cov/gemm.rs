//! A checked, safe face for `matrixmultiply::dgemm`. Single-threaded, so results never depend on a thread count.
#![allow(unsafe_code)]

/// A read-only matrix view: element (r, c) is `data[start + r * row_stride + c * col_stride]`.
///
/// Strides may be negative or overlap, which is how a window of lagged copies (a Toeplitz matrix) is read in place.
#[derive(Clone, Copy)]
pub struct View<'a> {
    pub data: &'a [f64],
    pub start: usize,
    pub row_stride: isize,
    pub col_stride: isize,
}

impl View<'_> {
    /// Panics unless every element of a `rows` by `cols` matrix lies inside the data.
    fn check(&self, rows: usize, cols: usize) {
        let (rows, cols) = (rows as isize - 1, cols as isize - 1);
        for offset in
            [0, rows * self.row_stride, cols * self.col_stride, rows * self.row_stride + cols * self.col_stride]
        {
            let index = self.start as isize + offset;
            assert!(index >= 0 && (index as usize) < self.data.len(), "matrix view out of bounds");
        }
    }
}

/// `out += a b` with `a` (m, k), `b` (k, n) and `out` row-major, its rows `out_stride` apart.
pub fn multiply_add([m, k, n]: [usize; 3], a: View, b: View, out: &mut [f64], out_stride: usize) {
    if m == 0 || k == 0 || n == 0 {
        return;
    }
    a.check(m, k);
    b.check(k, n);
    assert!(n <= out_stride && (m - 1) * out_stride + n <= out.len(), "output out of bounds");
    // SAFETY: the affine index maps of `a` and `b` take their extremes at the four corners, all checked to lie inside
    // their slices; `out` is exclusively borrowed and its last element was checked; `n <= out_stride` keeps rows apart.
    unsafe {
        matrixmultiply::dgemm(
            m,
            k,
            n,
            1.0,
            a.data.as_ptr().add(a.start),
            a.row_stride,
            a.col_stride,
            b.data.as_ptr().add(b.start),
            b.row_stride,
            b.col_stride,
            1.0,
            out.as_mut_ptr(),
            out_stride as isize,
            1,
        );
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn toeplitz_view_equals_the_plain_sum() {
        let x: Vec<f64> = (0..12).map(f64::from).collect();
        let mut out = vec![1.0; 3];
        let row = View { data: &x, start: 4, row_stride: 0, col_stride: 1 };
        let lagged = View { data: &x, start: 4, row_stride: 1, col_stride: -1 };
        multiply_add([1, 5, 3], row, lagged, &mut out, 3);
        for (lag, value) in out.iter().enumerate() {
            let sum: f64 = (4..9).map(|t| x[t] * x[t - lag]).sum();
            assert!((value - 1.0 - sum).abs() < 1e-12);
        }
    }

    #[test]
    #[should_panic(expected = "out of bounds")]
    fn a_view_past_the_data_is_refused() {
        let x = vec![0.0; 4];
        let view = View { data: &x, start: 0, row_stride: 1, col_stride: 1 };
        multiply_add([2, 4, 1], view, view, &mut [0.0; 2], 1);
    }
}
