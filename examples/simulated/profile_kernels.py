"""What cuarray runs on a GPU: the kernels of an expression, step by step and fused.

    python -m cuarray --simulate examples/simulated/profile_kernels.py

`explain` says before a computation which kernels it would launch, `profile` which it has launched. The times are those
of the simulator. The kernels, their number and the bytes they touch are those of a GPU.
"""

import cuarray as ca

x = ca.linspace(0, 1, 10_000, dtype="float32")


def soft(x, k):
    return ca.log1p(ca.exp(k * x)) / k


x.tolist()  # is computed: what follows is the plan of soft alone
print(ca.explain(soft(x, 3.0)))

for function in (soft, ca.fuse(soft)):
    function(x, 3.0).tolist()  # compiles the kernels
    with ca.profile() as steps:
        function(x, 3.0).tolist()
    print(steps)
