"""Calls whose kernels are counted on the simulator (roofline.py) and timed on GPUs (scripts/gpu/kernels.py)."""

from dataclasses import dataclass

COUNTED_SIDE, TIMED_SIDE = 512, 8192  # of the matrices; the simulator is slow, and a GPU's cache is large


@dataclass
class Call:
    """A call on arrays that `setup` makes; counts are per element, and `bytes` are those of one element."""

    setup: str
    call: str
    elements: str
    bytes: float

    def size(self, side: int) -> int:
        """Return the number of elements for matrices of side x side."""
        return eval(self.elements, sizes(side))


def sizes(side: int) -> dict[str, int]:
    """Return what the letters of the table stand for: S the side of a square, N its elements, M half a side."""
    return {"S": side, "N": side * side, "M": side // 2}


# name | setup | call | elements | bytes an element that must be read or written
TABLE = """
add f32 | a=ones((S,S),'f4'); b=ones((S,S),'f4') | a + b | N | 12
add f16 | a=ones((S,S),'f2'); b=ones((S,S),'f2') | a + b | N | 6
(N,M) + (M,) f32 | a=ones((S,S),'f4'); b=ones(S,'f4') | a + b | N | 8
(N,M) + (M,) f16 | a=ones((S,S),'f2'); b=ones(S,'f2') | a + b | N | 4
(N,M) + (M,1) f32 | a=ones((S,S),'f4'); b=ones((S,1),'f4') | a + b | N | 8
(N,M) + (M,1) f16 | a=ones((S,S),'f2'); b=ones((S,1),'f2') | a + b | N | 4
outer product f32 | a=ones(S,'f4') | ca.multiply.outer(a, a) | N | 4
where, row mask f32 | a=ones((S,S),'f4'); m=arange(S)%2==0 | ca.where(m, a, 0) | N | 8
x[:, :M] f32 | a=ones((S,2*S),'f4') | a[:, :S].copy() | N | 8
x[:, :M] u8 | a=ones((S,2*S),'u1') | a[:, :S].copy() | N | 2
flip axis 1 f32 | a=ones((S,S),'f4') | a[:, ::-1].copy() | N | 8
pad by 1 f32 | a=ones((S-2,S-2),'f4') | ca.pad(a, 1) | N | 8
concatenate axis 1 f32 | a=ones((S,M),'f4') | ca.concatenate((a, a), axis=1) | N | 8
tile f32 | a=ones(N//16,'f4') | ca.tile(a, 16) | N | 4
(K,N,M) + (N,1) f32 | a=ones((N//16384,128,128),'f4'); b=ones((128,1),'f4') | a + b | N | 8
(N,3) + (3,) f32 | a=ones((N//4,3),'f4'); b=ones(3,'f4') | a + b | 3*N//4 | 8
transpose(1,0,2) f32 | a=ones((N//16384,128,128),'f4') | a.transpose(1, 0, 2).copy() | N | 8
transpose f32 | a=ones((S,S),'f4') | a.T.copy() | N | 8
transpose f16 | a=ones((S,S),'f2') | a.T.copy() | N | 4
a + a.T f32 | a=ones((S,S),'f4') | a + a.T | N | 12
x[::2] f32 | a=ones(2*N,'f4') | a[::2].copy() | N | 12
sum f32 | a=ones(N,'f4') | a.sum() | N | 4
sum f16 | a=ones(N,'f2') | a.sum() | N | 2
sum bool | a=ones(N,'bool') | a.sum() | N | 1
any bool | a=zeros(N,'bool') | a.any() | N | 1
argmax f32 | a=floats(N) | a.argmax() | N | 4
argmax axis 0 f32 | a=floats((S,S)) | a.argmax(axis=0) | N | 4
argmax axis 1 f32 | a=floats((S,S)) | a.argmax(axis=1) | N | 4
sum rows of 8192 f32 | a=ones((N//8192,8192),'f4') | a.sum(axis=1) | N | 4
sum rows of 64 f32 | a=ones((N//64,64),'f4') | a.sum(axis=1) | N | 4.0625
sum rows of 8 f32 | a=ones((N//8,8),'f4') | a.sum(axis=1) | N | 4.5
sum rows of 3 f32 | a=ones((N//4,3),'f4') | a.sum(axis=1) | 3*N//4 | 5.333
sum axis 0 f32 | a=ones((S,S),'f4') | a.sum(axis=0) | N | 4
cumsum f32 | a=ones(N,'f4') | a.cumsum() | N | 8
cumsum axis 0 f32 | a=ones((S,S),'f4') | a.cumsum(axis=0) | N | 8
cumsum rows of 64 f32 | a=ones((N//64,64),'f4') | a.cumsum(axis=1) | N | 8
take axis 1 f32 | a=ones((S,S),'f4'); i=arange(S)[::-1].copy() | ca.take(a, i, axis=1) | N | 8
x[i] = v f32 | a=ones(N,'f4'); i=arange(N)[::-1].copy() | a.__setitem__(i, a) | N | 16
add.at f32 | a=ones(N,'f4'); i=arange(N)[::-1].copy() | ca.add.at(a, i, a) | N | 20
x[mask] f32 | a=ones(N,'f4'); m=arange(N)%2==0 | a[m] | N | 7
sort f32 | a=floats(N) | ca.sort(a) | N | 36
sort rows of 512 f32 | a=floats((N//512,512)) | ca.sort(a, axis=1) | N | 8
percentile f32 | a=floats(N) | ca.percentile(a, 50) | N | 4
unique i64 | a=integers(N) | ca.unique(a) | N | 8
searchsorted f32 | a=ca.sort(floats(1<<16)); v=floats(N) | ca.searchsorted(a, v) | N | 12
histogram f32 | a=floats(N) | ca.histogram(a, bins=100, range=(0, 1)) | N | 4
Philox normal f32 | g=philox() | g.standard_normal(N, dtype='f4') | N | 4
Philox normal f64 | g=philox() | g.standard_normal(N) | N | 8
PCG64 uniform f64 | g=pcg64() | g.random(256*N) | 256*N | 8
PCG64 normal f64 | g=pcg64() | g.standard_normal(128*N) | 128*N | 8
matmul f32 | a=ones((M,M),'f4') | own_matmul(a) | M**3 | 0
matmul 8 x 8 f32 | a=ones((N//1024,8,8),'f4') | own_matmul(a) | N//16 | 12
matmul 8 x 8 i64 | a=ones((N//1024,8,8),'i8') | a @ a | N//16 | 24
"""
CALLS = {
    name: Call(setup, call, elements, float(bytes_))
    for name, setup, call, elements, bytes_ in (map(str.strip, row.split("|")) for row in TABLE.strip().splitlines())
}


def make_names(side: int) -> dict[str, object]:
    """Return what the setups and calls of the table refer to."""
    import numpy as np

    import cuarray as ca

    random = np.random.default_rng(0)

    def own_matmul(a):
        with ca.deterministic():
            return a @ a

    return sizes(side) | {
        "ca": ca,
        "arange": ca.arange,
        "ones": ca.ones,
        "zeros": ca.zeros,
        "floats": lambda shape: ca.asarray(random.random(shape, dtype="f4")),
        "integers": lambda n: ca.asarray(random.integers(0, 1000, n)),
        "pcg64": lambda: ca.random.default_rng(1),
        "philox": lambda: ca.random.Generator(ca.random.Philox(1)),
        "own_matmul": own_matmul,
    }
