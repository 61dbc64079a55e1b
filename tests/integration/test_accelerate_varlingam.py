"""`accelerate` of causal-learn's VARLiNGAM: the same object, order and numbers."""

import json
import pickle

import numpy as np
import pytest

from arrow_cd import ScreenConfig, accelerate
from arrow_cd.errors import BackendError, InvalidDataError
from arrow_cd.simulate import svar_lingam
from paths import ROOT
from reference_series import ling

pytest.importorskip("causallearn")
from causallearn.search.FCMBased.lingam import DirectLiNGAM, VARLiNGAM


def system(seed, n=4, T=200):
    """Series whose means are far from zero half of the time: the original has no constant in its regressions."""
    return svar_lingam(seed, N=n, T=T).values + 3.0 * (seed % 2)


def both(x, mode="exact", **options):
    given = VARLiNGAM(**options)
    fast = accelerate(given, mode=mode)
    assert fast.fit(x) is fast
    return given.fit(x), fast


@pytest.mark.parametrize("seed", range(30))
def test_the_causal_order_is_that_of_causal_learn(seed):
    own, fast = both(system(seed, n=3 + seed % 4), criterion=None)
    assert fast.causal_order_ == list(own.causal_order_)


@pytest.mark.parametrize(
    "options",
    [{"lags": 3, "criterion": criterion} for criterion in ("aic", "bic", "hqic", "fpe", None)]
    + [{"lags": 2, "criterion": None, "prune": True}],
)
@pytest.mark.parametrize("seed", [0, 1])
def test_every_number_is_that_of_causal_learn(seed, options):
    own, fast = both(system(seed, T=300), **options)
    assert fast._lags == own._lags
    np.testing.assert_allclose(fast.adjacency_matrices_, own.adjacency_matrices_, atol=1e-10)
    np.testing.assert_allclose(fast.residuals_, own.residuals_, atol=1e-10)
    np.testing.assert_allclose(fast._ar_coefs, own._ar_coefs, atol=1e-10)
    assert fast.adjacency_matrices_.shape == (own._lags + 1, 4, 4)


def test_given_coefficients_of_the_autoregression_are_used():
    coefficients = np.array([np.diag([0.3, 0.2, 0.1, 0.4]), np.full((4, 4), 0.02)])
    own, fast = both(system(3), ar_coefs=coefficients)
    assert fast.causal_order_ == list(own.causal_order_)
    np.testing.assert_allclose(fast.adjacency_matrices_, own.adjacency_matrices_, atol=1e-10)
    with pytest.raises(InvalidDataError, match="ar_coefs has shape"):
        accelerate(VARLiNGAM(ar_coefs=coefficients[:, :3, :3]), mode="exact").fit(system(3))


def test_f13_pruning_uses_the_lag_that_was_selected():
    """The original regresses on as many lags as were asked for and keeps the first ones' coefficients."""
    x = system(4, T=400)
    few, many = (accelerate(VARLiNGAM(lags=lags, prune=True), mode="exact").fit(x) for lags in (2, 6))
    assert few._lags == many._lags == 1
    np.testing.assert_array_equal(few.adjacency_matrices_, many.adjacency_matrices_)


def test_it_is_the_same_kind_of_object_and_the_given_one_stays_as_it_was():
    given = VARLiNGAM(lags=2)
    before = dict(vars(given))
    fast = accelerate(given, mode="exact").fit(system(0))
    assert isinstance(fast, VARLiNGAM) and vars(given) == before
    thawed = pickle.loads(pickle.dumps(fast))
    assert type(thawed) is type(fast) and thawed.causal_order_ == fast.causal_order_
    again = accelerate(fast, mode="exact")
    assert type(again) is type(fast)
    assert np.isfinite(fast.estimate_total_effect(system(0), *fast.causal_order_[:2]))
    assert fast.get_error_independence_p_values().shape == (4, 4)


def test_every_fit_starts_anew():
    fast = accelerate(VARLiNGAM(lags=3), mode="exact")
    fast.fit(system(1))
    second = fast.fit(system(2)).adjacency_matrices_
    np.testing.assert_array_equal(
        second, accelerate(VARLiNGAM(lags=3), mode="exact").fit(system(2)).adjacency_matrices_
    )


def test_screened_fits_have_coefficients_on_candidates_only():
    simulated = svar_lingam(5, T=1000)
    fast = accelerate(VARLiNGAM(lags=5, prune=True), screen=ScreenConfig(strategy="forward")).fit(simulated.values)
    found = {(s, tau, t) for tau, t, s in np.argwhere(fast.adjacency_matrices_ != 0).tolist()}
    assert found == set(simulated.links)
    kept = accelerate(VARLiNGAM(lags=5)).fit(simulated.values).adjacency_matrices_
    assert kept.shape == (6, 8, 8) and (kept[1:] == 0).mean() > 0.8
    order = fast.causal_order_
    assert all(order.index(s) < order.index(t) for s, tau, t in found if tau == 0)


def test_copies_and_constants_come_last_with_a_warning():
    x = system(6)
    wide = np.column_stack([x, x[:, 1], np.full(len(x), 2.0)])
    alone = accelerate(VARLiNGAM(lags=2), mode="exact").fit(x)
    for mode in ("exact", "screen"):
        with pytest.warns(UserWarning, match="come last in the order: X4, X5"):
            fast = accelerate(VARLiNGAM(lags=2), mode=mode).fit(wide)
        assert fast.causal_order_[4:] == [4, 5]
        assert mode == "screen" or fast.causal_order_[:4] == alone.causal_order_
        assert not fast.adjacency_matrices_[:, 4:].any() and not fast.adjacency_matrices_[:, :, 4:].any()


@pytest.mark.parametrize("criterion", ["aic", "bic", "hqic", "fpe"])
def test_f30_copies_do_not_stop_the_choice_of_lags(criterion):
    x = system(6)
    alone = accelerate(VARLiNGAM(lags=4, criterion=criterion), mode="exact").fit(x)
    with pytest.warns(UserWarning, match="X4"):
        copied = accelerate(VARLiNGAM(lags=4, criterion=criterion), mode="exact").fit(np.column_stack([x, x[:, 2]]))
    assert copied._lags == alone._lags


class Imitation:
    """lingam's class as far as `accelerate` knows it: name, module and attributes."""

    __module__ = "lingam.var_lingam"
    __qualname__ = "VARLiNGAM"

    def __init__(self, lags=1, criterion="bic", prune=True):
        self._lags, self._criterion, self._prune = lags, criterion, prune
        self._ar_coefs = self._lingam_model = self._random_state = None


def test_lingam_objects_are_known_by_name_and_get_their_own_coefficients():
    reference = json.loads((ROOT / "tests/reference/varlingam.json").read_text(encoding="utf-8"))
    fast = accelerate(Imitation(criterion=None, prune=False), mode="exact").fit(ling())
    assert fast._causal_order == reference["order"] and isinstance(fast, Imitation)
    for tau, name in enumerate(("instant", "lagged")):
        for target, source, b in reference[name]:
            assert fast._adjacency_matrices[tau, target, source] == pytest.approx(b, abs=1e-11)
    assert np.count_nonzero(fast._adjacency_matrices[0]) == len(reference["instant"])


@pytest.mark.parametrize(
    ("given", "options", "error", "message"),
    [
        (VARLiNGAM(lingam_model=DirectLiNGAM(measure="kernel")), {}, BackendError, "lingam_model=DirectLiNGAM"),
        (VARLiNGAM(lingam_model=DirectLiNGAM(prior_knowledge=np.eye(4, k=1) - 1)), {}, BackendError, "prior"),
        (VARLiNGAM(lags=0), {}, InvalidDataError, "lags=0"),
        (VARLiNGAM(ar_coefs=np.zeros((1, 4, 4))), {"mode": "screen"}, BackendError, "nothing to screen"),
        (VARLiNGAM(prune=np.zeros(2)), {}, InvalidDataError, "prune=array"),
        (VARLiNGAM(), {"mode": "fast"}, InvalidDataError, "mode='fast'"),
        (VARLiNGAM(), {"mode": "exact", "screen": ScreenConfig()}, InvalidDataError, "screen="),
    ],
)
def test_what_can_not_be_accelerated_is_refused_by_name(given, options, error, message):
    with pytest.raises(error, match=message):
        accelerate(given, **options)


def test_bad_data_are_refused_by_place():
    fast = accelerate(VARLiNGAM(lags=30), mode="exact")
    with pytest.raises(BackendError, match="no bootstrap"):
        fast.bootstrap(system(0), 3)
    with pytest.raises(InvalidDataError, match="coefficients"):
        fast.fit(system(0, T=100))
    x = system(0)
    x[3, 1] = np.nan
    with pytest.raises(InvalidDataError, match="without missing values"):
        fast.fit(x)


@pytest.mark.filterwarnings("error")
@pytest.mark.parametrize("exponent", [-1010, 1010])
@pytest.mark.parametrize("mode", ["exact", "screen"])
def test_units_at_the_ends_of_the_range_of_floats_do_not_matter(mode, exponent):
    x, scaled = system(0), np.ldexp(system(0), exponent)
    plain, far = (accelerate(VARLiNGAM(lags=2), mode=mode).fit(data) for data in (x, scaled))
    assert plain.causal_order_ == far.causal_order_
    np.testing.assert_array_equal(plain.adjacency_matrices_, far.adjacency_matrices_)
    np.testing.assert_allclose(np.ldexp(far.residuals_, -exponent), plain.residuals_, rtol=1e-6, atol=1e-9)
    given, far = (accelerate(VARLiNGAM(ar_coefs=plain._ar_coefs), mode="exact").fit(data) for data in (x, scaled))
    np.testing.assert_allclose(np.ldexp(far.residuals_, -exponent), given.residuals_, rtol=1e-6, atol=1e-9)


@pytest.mark.parametrize("mode", ["exact", "screen"])
def test_coefficients_beyond_the_largest_float_are_refused_by_link(mode):
    x = system(0)
    with pytest.raises(InvalidDataError, match="units of similar size"):
        accelerate(VARLiNGAM(), mode=mode).fit(x * [1e300, 1e-300, 1e300, 1e-300][: x.shape[1]])


def test_coefficients_that_leave_no_finite_residuals_are_refused():
    x = system(0)
    n = x.shape[1]
    with pytest.raises(InvalidDataError, match="residuals beyond the largest float"):
        accelerate(VARLiNGAM(ar_coefs=np.full((1, n, n), 1e308)), mode="exact").fit(x)
    with pytest.raises(InvalidDataError, match=r"ar_coefs has shape \(2, 3\)"):
        accelerate(VARLiNGAM(ar_coefs=np.zeros((2, 3))), mode="exact").fit(x)


def test_a_criterion_that_is_no_name_means_the_given_lags_as_in_causal_learn():
    x = system(0)
    fast, plain = accelerate(VARLiNGAM(lags=2, criterion=["bic"]), mode="exact"), VARLiNGAM(lags=2, criterion=None)
    assert fast.fit(x)._lags == plain.fit(x)._lags == 2


def test_a_plain_direct_lingam_is_what_is_run_anyway():
    x = system(7)
    fast = accelerate(VARLiNGAM(lingam_model=DirectLiNGAM()), mode="exact").fit(x)
    assert fast.causal_order_ == list(VARLiNGAM().fit(x).causal_order_)
