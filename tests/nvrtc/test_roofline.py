"""benchmarks/roofline.py: on texts with known answers, and its page against a new count of a few calls."""

import pathlib
import sys

import compiler
import pytest

ROOT = pathlib.Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "benchmarks"))

import roofline
import sass

# One call of each kind of kernel.
pytestmark = pytest.mark.rest
SAMPLE = [
    "add f32",
    "(N,M) + (M,) f32",
    "(K,N,M) + (N,1) f32",
    "x[::2] f32",
    "transpose f32",
    "sum f32",
    "matmul 8 x 8 f32",
]

LISTING = """
.text.k:
        //## File "k.cu", line 1
        /*0000*/                   LDC R1, c[0x0][0x28] ;
        //## File "k.cu", line 2 inlined at "k.cu", line 9
        //## File "k.cu", line 9
.L_x_0:
        /*0010*/                   LDG.E.128 R4, desc[UR4][R2.64] ;
        /*0020*/                   FADD R4, R4, R5 ;
        //## File "k.cu", line 3
        /*0030*/                   ISETP.NE.AND P0, PT, R4, RZ, PT ;
        /*0040*/              @!P0 BRA `(.L_x_0) ;
        /*0050*/                   EXIT ;
        /*0060*/                   NOP ;
"""


@pytest.fixture
def tools():
    if compiler.find_library() is None or sass.find_nvdisasm() is None:
        pytest.skip("nvidia-cuda-nvdisasm is not installed")


def test_machine_code_is_cut_into_blocks():
    blocks = sass.basic_blocks(LISTING)
    assert [[line for _, line in block] for block in blocks] == [[(1,)], [(2, 9), (2, 9), (3,), (3,)], [(3,)]]


def test_blocks_run_as_often_as_their_lines():
    # Two blocks of PTX: the first runs once a thread, the loop 10 times.
    loop = [("ld", (2, 9)), ("add", (2, 9)), ("setp", (3,)), ("bra", (3,))]
    executions = sass.line_executions([[("mov", (1,)), ("add", (2, 8))], loop], [32, 320])
    assert executions == {(1,): 32, (2, 8): 32, (2, 9): 320, (2,): 224, (3,): 320}
    slots = sass.weighted(sass.basic_blocks(LISTING), executions)
    assert slots == {"issue": 32 + 4 * 320 + 320, "lsu": 32 + 4 * 320, "fp32": 320, "alu": 320}
    with pytest.raises(ValueError, match="1 counters of 0 basic blocks"):
        sass.line_executions([], [1])


@pytest.mark.parametrize(
    ("instruction", "pipe"),
    [
        ("IMAD.WIDE R2, R3, R4, R5", ("imad", 1)),
        ("IADD3 R2, R3, R4, RZ", ("alu", 1)),
        ("FMNMX R2, R3, R4, PT", ("alu", 1)),
        ("LDS.64 R2, [R3]", ("lsu", 2)),
        ("STG.E.128 desc[UR4][R2.64], R4", ("lsu", 4)),
        ("LDC.64 R2, c[0x0][0x210]", ("lsu", 2)),
        ("LDGSTS.E.128 [R2], desc[UR4][R4.64]", ("lsu", 4)),
        ("F2FP.BF16.F32.PACK_AB R2, R3, R4", ("xu", 1)),
        ("DMUL R2, R4, R6", ("fp64", 1)),
        ("MUFU.RCP R2, R3", ("xu", 1)),
        ("ULDC.64 UR4, c[0x0][0x208]", ("issue", 1)),
        ("BRA `(.L_x_1)", ("issue", 1)),
    ],
)
def test_pipes(instruction, pipe):
    assert sass.pipe_of(instruction) == pipe


def test_the_slowest_pipe_bounds():
    gpu = roofline.Gpu("sm_90", 1, 1.0, 100)  # a copy moves 90 bytes a nanosecond
    assert roofline.prediction(gpu, {"issue": 128, "alu": 32}, 90) == (1, "memory")
    assert roofline.prediction(gpu, {"issue": 256, "alu": 64}, 90) == (0.5, "issue")
    assert roofline.prediction(gpu, {"issue": 256, "alu": 256}, 90) == (0.25, "alu")


def test_every_architecture_has_its_lanes():
    assert {gpu.arch for gpu in roofline.GPUS.values()} <= roofline.LANES.keys()
    assert roofline.SHEETS.keys() == roofline.GPUS.keys()
    assert len(roofline.documented()) == len(roofline.CALLS)
    text = roofline.DOCUMENT.read_text()
    assert text.startswith(roofline.HEAD.format(copy=100 * roofline.COPY))


def test_executions_are_counted(tools, tmp_path):
    """A thread adds four elements: the first block runs once in each thread, and no block of the other kernels."""
    counts = roofline.count(["add f32"], tmp_path)["add f32"]
    assert list(counts) == ["add_f32_f32_contiguous"]
    assert counts["add_f32_f32_contiguous"][0] == roofline.gpu_calls.COUNTED_SIDE**2 // 4


def compare_with_page(calls):
    """Compare instructions per element, which depend on the compiler."""
    version = "NVRTC {}.{}".format(*roofline.nvrtc().version)
    if f"Compiled by {version}." not in roofline.DOCUMENT.read_text():
        pytest.skip(f"docs/gpu_performance.md was not made with {version}")
    expected = roofline.documented()
    for call, work in roofline.measure(calls, ["sm_90"]).items():
        assert work["sm_90"].slots["issue"] == pytest.approx(expected[call], rel=0.15), call


def test_the_page_is_true(tools):
    compare_with_page(SAMPLE)


@pytest.mark.full
def test_the_whole_page_is_true(tools):
    compare_with_page(list(roofline.CALLS))
