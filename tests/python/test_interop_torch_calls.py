"""PyTorch's functions, its tensors' methods and operators with arrays of ours in each position."""

import peers
from peers import error_of

test_check = peers.test_of(__file__, "torch")

UNARY = """abs acos angle asin asinh atan atanh ceil conj cos cosh deg2rad digamma erf erfc erfinv exp exp2 expm1 fix floor frac
i0 isfinite isinf isnan lgamma log log10 log1p log2 logit neg positive rad2deg reciprocal relu round rsqrt sigmoid sign
signbit sin sinc sinh sqrt square tan tanh trunc argmax argmin argsort cumsum(0) cumprod(0) diff flatten flip([0])
logsumexp(0) max mean median min nonzero norm numel prod ravel roll(1) softmax(0) sort squeeze std sum t tril triu
unique var vander""".split()

BINARY = """add atan2 bitwise_and(int) cross div dist dot eq equal floor_divide fmax fmin fmod gcd(int) ge gt hypot inner
isclose le logaddexp logical_and logical_or lt maximum minimum mul ne nextafter outer pow remainder sub vdot where(mask)
kron lerp(0.5) copysign heaviside ldexp searchsorted allclose""".split()

#: a and b are vectors of float32, m a matrix, k integers, p a mask, e an element; each in turn is ours, and all of them.
CALLS = """
torch.addcmul(a, a, b) | torch.addmv(a, m, b) | torch.bmm(m[None], m[None]) | torch.broadcast_to(a, (2, 3)) | torch.cat([a, b])
torch.cat((a, b), dim=0) | torch.chunk(a, 3) | torch.clamp(a, min=b) | torch.clamp(a, max=e) | torch.cov(m) | torch.det(m)
torch.einsum("i,ij->j", a, m) | torch.fft.fft(a) | torch.full((2, 2), e) | torch.full_like(a, e) | torch.gather(a, 0, k)
torch.index_select(a, 0, k) | torch.linalg.norm(a) | torch.linalg.inv(m) | torch.masked_select(a, p) | torch.matmul(m, a)
torch.meshgrid(a, b, indexing="ij") | torch.mm(m, m) | torch.movedim(m, 0, 1) | torch.ones_like(a) | torch.reshape(m, (-1,))
torch.scatter_add(a, 0, k, b) | torch.special.expit(a) | torch.split(a, 1) | torch.stack([a, b]) | torch.stack([e, e])
torch.take(m, k) | torch.tensordot(m, m, dims=1) | torch.topk(a, 2) | torch.transpose(m, 0, 1) | torch.where(p, a, b)
torch.where(p, a, e) | torch.zeros_like(m) | torch.bincount(k) | torch.add(a, b, alpha=2) | torch.broadcast_tensors(a, m)
F.relu(a) | F.gelu(a) | F.linear(a, m, b) | F.softmax(m, dim=1) | F.mse_loss(a, b) | F.l1_loss(a, b) | F.pad(a, (1, 1)) | F.elu(a)
F.layer_norm(a, (3,)) | F.one_hot(k, 4) | F.embedding(k, m) | F.cosine_similarity(a, b, dim=0) | F.normalize(a, dim=0)
F.conv1d(a[None, None], b[None, None]) | F.cross_entropy(m, k) | F.binary_cross_entropy_with_logits(a, b) | F.silu(a)
F.max_pool1d(a[None], 2) | F.interpolate(a[None, None], size=6) | F.leaky_relu(a, 0.2) | F.log_softmax(a, 0) | F.glu(m[:, :2])
F.batch_norm(m, a * 0, a * 0 + 1) | F.scaled_dot_product_attention(m, m, m) | F.huber_loss(a, b) | F.dropout(a, 0.0) | F.dropout(T, e * 0)
T.add(b) | T.sub(b, alpha=2) | T.mul(e) | T.dot(b) | T.copy_(b) | T.fill_(e) | T.clamp(min=a, max=b) | T.clamp(max=e) | T.add_(b)
T.index_add(0, k, b) | T.index_fill(0, k, 7.0) | T.masked_fill(p, e) | T.masked_scatter(p, b) | T.gather(0, k) | T.where(p, b)
T.scatter(0, k, b) | T.index_copy(0, k, b) | T.outer(b) | T.eq(b) | T.allclose(b) | T.pow(e) | T.lerp(b, e) | T.expand_as(m)
T.take(k) | T.index_put((k,), b) | T.addcdiv(a, b) | T.maximum(b) | T.view_as(a) | T.type_as(m) | T.addmv(m, b)
T[p] | T[k] | T[k, None] | T[p, None] | M[k, k] | M[..., k] | M[k[1]] | M[k[:2], 1:] | M[p] | M[:, p]
put(T, p, 5.0) | put(T, k, b) | put(T, slice(1, None), b[1:]) | put(T, 1, e) | put(M, p, a) | put(M, (k, k), e) | put(T, ..., b)
T + b | T - b | T * b | T / b | T // b | T % b | T ** b | T @ b | T == b | T != b | T < b | T >= b | T + e | T * e | (T > 0) & p
""".replace("\n", "|").split("|")


def operands():
    return {"a": cuarray.asarray([1.0, 2, 3], dtype="float32"), "b": cuarray.asarray([2.0, 0.5, 4], dtype="float32"),
            "m": cuarray.asarray([[2.0, 1, 0], [1, 3, 1], [0, 1, 4]], dtype="float32"), "k": cuarray.asarray([2, 0, 1]),
            "p": cuarray.asarray([True, False, True]), "e": cuarray.asarray([0.25, 1], dtype="float32")[0]}  # fmt: skip


def put(tensor, key, value):
    tensor[key] = value
    return tensor


def evaluated(call, values):
    M = torch.arange(9.0).reshape(3, 3)
    return eval(
        call, {"torch": torch, "F": torch.nn.functional, "T": torch.tensor([3.0, 1, 2]), "M": M, "put": put, **values}
    )


def calls():
    from re import findall

    found = [call.strip() for call in CALLS if call.strip()]
    for entry in UNARY:
        name, _, rest = entry.rstrip(")").partition("(")
        found.append(
            f"torch.{name}(" + ("m" if name in ("t", "tril", "triu") else "a") + (f", {rest})" if rest else ")")
        )
    for entry in BINARY:
        name, _, rest = entry.rstrip(")").partition("(")
        first, second = ("k", "k") if rest == "int" else ("p, a", "b") if rest == "mask" else ("a", "b")
        found.append(f"torch.{name}({first}, {second}" + (f", {rest})" if rest not in ("", "int", "mask") else ")"))
    return {call: sorted(set(findall(r"\b[abmkpe]\b", call))) for call in found}


def same(found, expected):
    if isinstance(expected, tuple | list):
        return len(found) == len(expected) and all(map(same, found, expected))
    if not isinstance(expected, torch.Tensor):
        return type(found) is type(expected) and found == expected
    return (type(found) is torch.Tensor and found.dtype == expected.dtype and found.shape == expected.shape
            and torch.equal(torch.nan_to_num(found), torch.nan_to_num(expected)))  # fmt: skip


def check_every_function_takes_arrays_in_every_position():
    ours = operands()
    assert len(calls()) > 250
    faults = []
    for call, names in calls().items():
        theirs = {name: x.torch() for name, x in operands().items()}
        expected = evaluated(call, theirs)
        for some in [names, *([name] for name in names)]:
            try:
                found = evaluated(call, {**theirs, **{name: ours[name] for name in some}})
            except Exception as error:
                faults.append(f"{call} with {some}: {type(error).__name__}: {error}")
                continue
            if not same(found, expected):
                faults.append(f"{call} with {some}: {found} instead of {expected}")
    assert not faults, "\n".join(faults)
    assert all((x == y).all() for x, y in zip(ours.values(), operands().values(), strict=True)), (
        "an argument has changed"
    )


def check_views_share_memory():
    m = cuarray.arange(6.0).reshape(2, 3)
    for view in (torch.reshape(m, (-1,)), torch.transpose(m, 0, 1), torch.ravel(m), torch.squeeze(m), torch.split(m, 1)[0],
                 torch.movedim(m, 0, 1), torch.flatten(m), torch.broadcast_tensors(m)[0]):  # fmt: skip
        assert view.data_ptr() == m.data_ptr()
    torch.ravel(m)[0] = 7
    assert m[0, 0] == 7


def check_what_functions_write_arrives():
    """In the array, or they raise: PyTorch has no read-only tensors and no negative strides."""
    ones = torch.ones(3)
    writes = [lambda x: torch.add(ones, ones, out=x), lambda x: torch.nn.init.constant_(x, 2), lambda x: torch._foreach_add_([x], 2),
              lambda x: torch.stack([ones[0] * 2] * 3, out=x), lambda x: torch.exp2_(x).mul_(2),
              lambda x: torch.nn.functional.elu(x, inplace=True).fill_(2)]  # fmt: skip
    modes = (contextlib.nullcontext, torch.no_grad, torch.inference_mode)
    for make in (lambda: cuarray.zeros(3, "f4"), lambda: cuarray.zeros(6, "f4")[::2]):
        for write, mode in itertools.product(writes, modes):
            x = make()
            with mode():
                write(x)
            assert x.tolist() == [2, 2, 2], x
    constant = cuarray.zeros(3, "f4")
    constant.flags.writeable = False
    for x, word in ((constant, "read-only"), (cuarray.zeros(3, "f4")[::-1], "negative strides")):
        for write, mode in itertools.product(writes, modes):
            with mode():
                assert word in str(error_of(lambda: write(x), ValueError))
        for mode in modes:
            with mode():
                assert x.tolist() == [0, 0, 0] and torch.add(x, 1).tolist() == [1, 1, 1]
    for wrong, mode in itertools.product((torch.ones(2), torch.ones(4)), modes):
        with mode():
            error = error_of(lambda: torch.add(wrong, 1, out=cuarray.zeros(3, "f4")))
        assert isinstance(error, (ValueError, RuntimeError)), error


def check_the_library_of_the_left_operand_computes():
    x, t = cuarray.arange(1, 4, dtype="f4"), torch.ones(3)
    operators = [operator.add, operator.sub, operator.mul, operator.truediv, operator.floordiv, operator.mod, operator.pow,
                 operator.eq, operator.ne, operator.lt, operator.le, operator.gt, operator.ge, operator.matmul]  # fmt: skip
    for mine in (x, x[1], x.mean(), x.mean(dtype="f8")):
        for op in operators:
            if op is operator.matmul and not mine.ndim:
                continue
            assert isinstance(op(mine, t), cuarray.ndarray) and type(op(t, mine)) is torch.Tensor, (op, mine)
            assert (
                op(mine, t).tolist() == op(mine.torch(), t).tolist()
                and op(t, mine).tolist() == op(t, mine.torch()).tolist()
            )
    assert type(np.add(x, t)) is type(np.add(t, x)) is type(cuarray.add(t, x)) is cuarray.ndarray
    assert type(torch.add(x, t)) is type(torch.add(t, x)) is torch.Tensor
    for mean in (x.mean(), x.mean(dtype="f8")):
        assert (t + mean).dtype == (t * mean).dtype == torch.float32
    both = x, t
    x += t
    t += x
    assert x is both[0] and t is both[1]
    assert x.tolist() == [2, 3, 4] and t.tolist() == [3, 4, 5]


def check_modules_gradients_and_compile():
    x = cuarray.arange(3, dtype="f4")
    net = torch.nn.Sequential(torch.nn.Linear(3, 4), torch.nn.ReLU(), torch.nn.Dropout(0.0), torch.nn.Linear(4, 1))
    assert torch.equal(net(x), net(x.torch()))
    assert torch.nn.MSELoss()(net(x), x[:1]).requires_grad
    weights = torch.ones(3, requires_grad=True)
    torch.dot(weights, x).backward()
    assert weights.grad.tolist() == x.tolist()
    assert torch.compile(lambda a: torch.sin(a) + 1, backend="eager")(x).tolist() == (torch.sin(x) + 1).tolist()


def check_other_functions_go_by_dlpack():
    """`torch.tensor`, `as_tensor` and `from_dlpack` do not ask for __torch_function__."""
    x = cuarray.arange(6.0).reshape(2, 3)
    for y in (x, x[0], x.sum(), x[0, 1]):
        for make in (torch.tensor, torch.as_tensor, torch.from_dlpack):
            if make is not torch.from_dlpack or y.ndim:
                assert make(y).tolist() == y.tolist() and make(y).dtype == torch.float64
    assert torch.as_tensor(x).data_ptr() == x.data_ptr() != torch.tensor(x).data_ptr()
    assert torch.stack([x.mean(), x.std()]).tolist() == [x.mean(), x.std()]


def check_containers_of_arguments():
    """Arrays inside become tensors in a copy; what has no arrays arrives as it is."""
    x, t = cuarray.ones(3, "f4"), torch.ones(3)
    seen = []

    def depth_left(n=0):
        try:
            return depth_left(n + 1)
        except RecursionError:
            return n

    depth = depth_left()

    def function(*args, **keywords):
        seen[:] = [args, keywords]
        return torch.ones(1)

    def called(*args, **keywords):
        return type(x).__torch_function__(function, (), args, keywords)

    options, plain, named = {"a": [x, (x, t)], 1: t}, [t, {"b": 2}], {"k": (x[0], 3)}
    assert type(called(x, options, plain, other=named, same=plain)) is torch.Tensor
    (first, changed, same), keywords = seen
    assert type(first) is type(changed["a"][0]) is type(changed["a"][1][0]) is torch.Tensor
    assert type(keywords["other"]["k"][0]) is torch.Tensor and keywords["other"]["k"][1] == 3
    assert changed["a"][1][1] is changed[1] is t and same is keywords["same"] is plain
    assert options["a"][0] is x and options["a"][1][0] is x
    assert isinstance(named["k"][0], cuarray.ndarray) and list(changed) == ["a", 1]
    endless, endless_list, endless_dict = [x], [], {}
    endless.append(endless), endless_list.append(endless_list), endless_dict.update(itself=endless_dict)
    for given in (endless, endless_list, endless_dict):
        assert "recursion" in str(error_of(lambda given=given: called(x, given), RecursionError))
        assert depth_left() == depth
    assert "kwargs must be a dict" in str(
        error_of(lambda: type(x).__torch_function__(function, (), (x,), [1]), TypeError)
    )
    assert called(t) is called() is NotImplemented


def check_calls_without_arrays_of_ours():
    """As another class's sees them: not ours to answer."""
    assert cuarray.ndarray.__torch_function__(torch.sin, (), (torch.ones(1),)) is NotImplemented
    assert cuarray.ndarray.__torch_function__(torch.add, (), (torch.ones(1),), {"other": 1}) is NotImplemented


def check_calls_do_not_leak():
    ours = operands()
    some = [
        "torch.sin(a)",
        "torch.cat([a, b])",
        "T[k]",
        "T + b",
        "put(T, p, 5.0)",
        "F.linear(a, m, b)",
        "torch.add(a, b, out=b[::-1])",
    ]

    def round_of(count):
        for number in range(count):
            with contextlib.suppress(ValueError):
                evaluated(some[number % len(some)], ours)
        gc.collect()
        return (
            cuarray.memory.stats("cpu")["current"],
            [sys.getrefcount(x) for x in ours.values()],
            len(gc.get_objects()),
        )

    first = round_of(200)
    last = round_of(2000)
    assert last[:2] == first[:2] and last[2] - first[2] < 20, (first, last)


def check_batches_of_a_data_loader():
    items = [{"x": ca.full(2, i), "n": i} for i in range(4)]
    batch = torch.utils.data.default_collate(items)
    assert batch["x"].tolist() == [[i, i] for i in range(4)] and batch["n"].tolist() == [0, 1, 2, 3]
    for workers in (0, 1):
        loader = torch.utils.data.DataLoader([item["x"] for item in items], batch_size=2, num_workers=workers)
        assert [b.tolist() for b in loader] == [[[0, 0], [1, 1]], [[2, 2], [3, 3]]]


def check_files():
    for x in (ca.arange(3.0), ca.ones((2, 3), "bfloat16"), ca.asfortranarray(ca.ones((2, 3))), ca.zeros((0, 2)),
              ca.arange(3).sum(), ca.asarray([True, False]), ca.arange(4)[::2]):  # fmt: skip
        file = io.BytesIO()
        torch.save({"x": x, "t": torch.ones(2)}, file)
        file.seek(0)
        loaded = torch.load(file)
        assert isinstance(loaded["x"], ca.ndarray) and loaded["x"].dtype == x.dtype
        assert loaded["x"].shape == x.shape and loaded["x"].astype("c16").tolist() == x.astype("c16").tolist()


if __name__ == "__main__":
    import contextlib
    import gc
    import io
    import itertools
    import operator
    import sys
    import warnings

    import numpy as np
    import torch

    import cuarray
    import cuarray as ca

    cuarray.set_default_device("cpu")
    # PyTorch warns of indices that it takes for lists before it asks us.
    warnings.filterwarnings("ignore", "Using a non-tuple sequence")
    warnings.filterwarnings("ignore", "(?s).*(torch.cross|was resized)")
    peers.main(globals())
