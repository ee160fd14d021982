//! One module per processor level: its float vector, the operations on it, and the kernels built from them.
//!
//! The kernels are written once, as macros in `ops`, in terms of names that every level defines, because functions
//! compiled for particular instructions cannot be passed as arguments.

#[cfg(target_arch = "x86_64")]
pub(crate) mod avx2;
#[cfg(target_arch = "x86_64")]
pub(crate) mod avx512;
pub(crate) mod portable;

/// 2^f on [-0.5, 0.5] as a polynomial, highest power first; the last 1 is its constant. Relative error below 2e-7.
pub(crate) const EXP2: [f32; 7] =
    [1.535_336_2e-4, 1.339_887_4e-3, 9.618_437e-3, 5.550_332_5e-2, 2.402_264_7e-1, 6.931_472e-1, 1.0];
/// Lower bound of the argument of e^x; the result is still a normal number.
pub(crate) const EXP_LOWEST: f32 = -87.0;
/// Upper bound of the argument of e^x.
pub(crate) const EXP_HIGHEST: f32 = 88.0;
/// erf(x / sqrt 2) on [-[`ERF_FLAT`], `ERF_FLAT`] as x times a quotient of polynomials in x^2, highest powers first;
/// beyond that it is 1 within 2e-7. Fitted to minimize the largest error times x: 1.2e-8 before rounding.
pub(crate) const ERF_OVER: [f32; 6] =
    [4.677_464e-8, 1.293_634_6e-5, 3.407_341_4e-4, 9.375_45e-3, 6.779_352e-2, 0.797_884_2];
/// See [`ERF_OVER`].
pub(crate) const ERF_UNDER: [f32; 6] = [1.224_645_6e-6, 7.469_94e-5, 1.892_487_3e-3, 2.869_158_2e-2, 0.251_631_44, 1.0];
/// See [`ERF_OVER`].
pub(crate) const ERF_FLAT: f32 = 5.3;
