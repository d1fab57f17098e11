"""scikit-learn with Array API dispatch: estimators compute with our arrays, on every device, what they compute with NumPy's."""

import peers

test_check = peers.test_of(__file__, "sklearn", environment=(("SCIPY_ARRAY_API", "1"),))


def agree(compute):
    """Compare what a function of (features, labels, targets) returns for arrays of each device and for NumPy's."""
    wanted = [np.asarray(x) for x in compute(*DATA)]
    for device in DEVICES:
        with cuarray.device(device):
            got = compute(*[cuarray.asarray(x, device=device) for x in DATA])
        for one, other in zip(got, wanted, strict=True):
            if isinstance(one, cuarray.ndarray):
                assert str(one.device) == device, (one.device, device)
                one = one.numpy()
            else:
                assert other.ndim == 0, f"a {type(one).__name__} on {device}"
            np.testing.assert_allclose(one, other, rtol=1e-7, atol=1e-9)


def check_principal_components():
    for options in (
        {"svd_solver": "full"},
        {"svd_solver": "covariance_eigh"},
        {"svd_solver": "randomized", "power_iteration_normalizer": "QR", "random_state": 0},
    ):
        # The signs of components are not determined.
        agree(lambda x, y, t: (lambda m: (abs(m.transform(x)), m.explained_variance_))(PCA(2, **options).fit(x)))


def check_linear_discriminant_analysis():
    agree(lambda x, y, t: (lambda m: (m.predict(x), m.decision_function(x)))(LinearDiscriminantAnalysis().fit(x, y)))


def check_ridge():
    agree(lambda x, y, t: (lambda m: (m.coef_, m.predict(x)))(Ridge(solver="svd").fit(x, t)))
    agree(lambda x, y, t: (lambda m: (m.coef_, m.predict(x)))(RidgeCV().fit(x, t)))


def check_gaussian_mixture():
    def fitted(x, y, t):
        mixture = GaussianMixture(2, init_params="random", random_state=0, max_iter=50).fit(x)
        return mixture.predict(x), mixture.means_, mixture.score_samples(x)

    agree(fitted)


def check_naive_bayes():
    agree(lambda x, y, t: (GaussianNB().fit(x, y).predict(x),))


def check_preprocessing():
    steps = (StandardScaler(), MinMaxScaler(), MaxAbsScaler(), Normalizer(), Binarizer(), PolynomialFeatures(2))
    for step in steps:
        agree(lambda x, y, t, step=step: (clone(step).fit_transform(x),))
    agree(lambda x, y, t: (KernelCenterer().fit_transform(x @ x.T),))
    agree(lambda x, y, t: (LabelEncoder().fit_transform(y),))


def check_distances_and_scores():
    pairwise = metrics.pairwise
    agree(lambda x, y, t: (pairwise.euclidean_distances(x[:5], x[5:]), pairwise.rbf_kernel(x[:5], x)))
    agree(lambda x, y, t: (pairwise.cosine_similarity(x[:5], x),))
    agree(lambda x, y, t: (metrics.accuracy_score(y, 1 - y), metrics.f1_score(y, y)))
    agree(lambda x, y, t: (metrics.mean_squared_error(t, t * 1.1), metrics.r2_score(t, t * 1.1)))


def check_values_are_arrays_of_this_namespace():
    """Sums and elements, too, which are floats: scikit-learn, and SciPy behind it, took them for numbers of no library."""
    from scipy._lib._array_api import array_namespace
    from scipy.stats import kurtosistest, normaltest, ttest_1samp
    from sklearn.metrics import average_precision_score
    from sklearn.utils._array_api import get_namespace

    x = cuarray.asarray(DATA[0][:, 0])
    for value in (x.sum(), x[0], x.astype("c16").sum(), x.astype("f4")[0], (x > 0).sum(), cuarray.asarray(2.0)):
        assert array_namespace(value) is array_namespace(x, value, 1.0) is get_namespace(value)[0] is cuarray
    for test in (kurtosistest, normaltest):
        ours, theirs = test(x), test(x.numpy())
        assert isinstance(ours.pvalue, cuarray.ndarray)
        np.testing.assert_allclose([ours.statistic, ours.pvalue], [theirs.statistic, theirs.pvalue], rtol=1e-12)
    limits = ttest_1samp(x, 0.0).confidence_interval()
    np.testing.assert_allclose(list(map(float, limits)), list(ttest_1samp(x.numpy(), 0.0).confidence_interval()))
    labels, scores = x > 0, abs(x)
    found = average_precision_score(labels, scores)
    np.testing.assert_allclose(found, average_precision_score(labels.numpy(), scores.numpy()))
    assert get_namespace(1.0, x.numpy())[0] is not cuarray and array_namespace(1.0, np.float64(2)) is not cuarray


def check_the_order_of_imports():
    for first, second in (("cuarray", "scipy.stats"), ("scipy.stats", "cuarray"), ("scipy._lib._array_api", "cuarray")):
        code = f"import {first}, {second}\nfrom scipy._lib._array_api import array_namespace\n"
        code += "assert array_namespace(cuarray.ones(3, device='cpu').sum()) is cuarray"
        subprocess.run([sys.executable, "-c", code], check=True)
    for extra in ("scipy._lib.array_api_extra", "sklearn.externals.array_api_extra"):
        for order in (f"import {extra} as xpx, cuarray", f"import cuarray, {extra} as xpx"):
            code = f"""{order}
v = cuarray.ones(3, device="cpu").sum()
assert xpx.isclose(v, v) and xpx.isclose(v, 2.0).shape == ()
if hasattr(xpx, "lazy_apply"):
    assert xpx.lazy_apply(lambda a: a + 1, v) == 4
"""
            subprocess.run([sys.executable, "-c", code], check=True)


def check_generators_as_random_state():
    """A seeded generator of ours draws what NumPy's draws."""
    x, y, _ = DATA
    kinds = (np.random, cuarray.random)
    for fit in (lambda r: KMeans(3, n_init=2, random_state=r).fit(x).labels_,
                lambda r: train_test_split(x, y, random_state=r)[0],
                lambda r: RandomForestClassifier(3, random_state=r).fit(x, y).predict_proba(x)):  # fmt: skip
        ours, theirs = (fit(kind.RandomState(5)) for kind in reversed(kinds))
        np.testing.assert_array_equal(np.asarray(ours), theirs)


def check_caches_can_be_cleared():
    from scipy._lib import _array_api_override
    from scipy._lib.array_api_compat.common import _helpers

    for lookup in (_helpers._cls_to_namespace, _array_api_override._validate_array_cls):
        cached = lookup.__wrapped__
        assert lookup.cache_info() == cached.cache_info()
        lookup.cache_clear()
        assert cached.cache_info().currsize == 0


if __name__ == "__main__":
    import subprocess
    import sys

    import numpy as np
    import sklearn
    from sklearn import metrics
    from sklearn.base import clone
    from sklearn.cluster import KMeans
    from sklearn.decomposition import PCA
    from sklearn.discriminant_analysis import LinearDiscriminantAnalysis
    from sklearn.ensemble import RandomForestClassifier
    from sklearn.linear_model import Ridge, RidgeCV
    from sklearn.mixture import GaussianMixture
    from sklearn.model_selection import train_test_split
    from sklearn.naive_bayes import GaussianNB
    from sklearn.preprocessing import (
        Binarizer,
        KernelCenterer,
        LabelEncoder,
        MaxAbsScaler,
        MinMaxScaler,
        Normalizer,
        PolynomialFeatures,
        StandardScaler,
    )

    import cuarray

    sklearn.set_config(array_api_dispatch=True)
    rng = np.random.default_rng(0)
    features = rng.normal(size=(200, 5))
    DATA = (
        features,
        (features[:, 0] + features[:, 1] > 0).astype(int),
        features @ np.arange(5.0) + rng.normal(size=200),
    )
    DEVICES = [str(device) for device in cuarray.__array_namespace_info__().devices()]
    peers.main(globals())
