# Part of the lstm-mlir project, under the Apache License v2.0 with LLVM
# Exceptions. See LICENSE for license information.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Checks lstm_mlir on programs for CPUs: check_cpu.py FOLDER"""

import gc
import pathlib
import sys
import threading
import time
import weakref

import numpy as np

ROOT = pathlib.Path(__file__).resolve().parents[3]
sys.path[:0] = [str(ROOT / "python_bindings"), str(ROOT / "test/Integration/CPU")]
import examples  # noqa: E402
import lstm_mlir  # noqa: E402
from lstm_mlir import DROPPED, Status  # noqa: E402

folder = pathlib.Path(sys.argv[1])
net, lstm, types = (lstm_mlir.load(folder / name) for name in ("libnet.so", "lstm.so", "types.so"))
f32 = lambda *values: np.array(values, np.float32)  # noqa: E731


def refuses(kind, text, function, *args, **named):
    """Fails unless the call raises an error of this kind, or status, that says so."""
    try:
        function(*args, **named)
    except lstm_mlir.Error as error:
        assert error.status == kind and text in str(error), (error.status, str(error))
    except Exception as error:
        assert type(error) is kind and text in str(error), repr(error)
    else:
        raise AssertionError(f"no error '{text}'")


def scalars():
    made = net.scalars(-5, 7, 0.5, -2.0, 1.5, True)
    assert made == (-4, 8, 1.5, -1.0, 3.0, False), made
    assert net.scalars(np.int64(1), np.array(2), f=np.float32(1), d=1, h=2, on=np.False_)[:2] == (2, 3)
    refuses(OverflowError, "argument 'n': expected an integer of 32 bits, but got 2147483648", net.scalars, 0, 2**31, 0., 0., 0., True)
    refuses(TypeError, "argument 'i': expected an integer, but got float", net.scalars, 1.0, 0, 0., 0., 0., True)
    refuses(TypeError, "argument 'f': expected a number, but got str", net.scalars, 1, 0, "1", 0., 0., True)
    refuses(TypeError, "argument 'on': expected True or False, but got int", net.scalars, 1, 0, 1., 0., 0., 1)
    refuses(TypeError, "result 'i': is a scalar", net.scalars, 0, 0, 0., 0., 0., True, out={"i": f32(1)})


def arguments():
    a, b = f32(1, 2), f32(3)
    for made in (net.swap(a, b), net.swap(a, b=b), net["swap"](b=b, a=a)):
        assert [list(m) for m in made] == [[3], [1, 2]], made
        assert all(m.dtype == np.float32 and m.flags.writeable for m in made)
    assert net.net() is None
    assert net["net_pack"](**{"class": f32(1, 2, 3)})[1].tolist() == [2, 4, 6]
    assert types["odd name"](np.float32(3).reshape(())) == -3
    refuses(TypeError, "'swap' misses 'b'", net.swap, a)
    refuses(TypeError, "'swap' takes 2 arguments, but 3 are given", net.swap, a, b, a)
    refuses(TypeError, "'swap' has no argument 'c'; it has 'a', 'b'", net.swap, a, c=b)
    refuses(TypeError, "argument 'a' of 'swap' is given twice", net.swap, a, a=b)
    refuses(TypeError, "argument 'b': expected an array, but got list", net.swap, a, [1.0])
    refuses(TypeError, "without stream and session", net.swap, a, b, stream=1)
    refuses(AttributeError, "no entry 'none'; there is 'scalars', 'swap'", getattr, net, "none")
    refuses(KeyError, "no entry 'none'", net.__getitem__, "none")
    assert "swap(a: f32[?], b: f32[?]) -> (result0: f32[?], result1: f32[?])" in repr(net)


def element_types():
    bits = np.array([[0x3F80, 0xC000, 0x7F80]], np.uint16)  # 1, -2, infinity
    a, b, s = types.halves(bits, np.array([1.5, -4], np.float16), -0.5)
    assert a.view(np.uint16).tolist() == [[0x4000, 0xC080, 0x7F80]] and b.tolist() == [3, -8] and s == -1
    assert np.isnan(types.halves(bits, b, float("nan"))[2])
    wide, narrow, flags = types.integers(np.array([2**40]), np.array([-3], np.int32), np.array([True]))
    assert (wide[0], narrow[0], flags[0]) == (2**41, -6, True) and flags.dtype == np.bool_
    refuses(Status.WRONG_DTYPE, "argument 'a': expected elements of type f32, but got f64", net.swap, np.ones(2), f32(1))
    refuses(Status.WRONG_RANK, "argument 'a': expected rank 1, but got 2", net.swap, np.ones((2, 2), np.float32), f32(1))
    refuses(Status.WRONG_SHAPE, "argument 'a': expected dim #1 to be 3, but got 4", types.halves,
            np.zeros((1, 4), np.uint16), np.zeros(2, np.float16), 0)
    refuses(TypeError, "argument 'a': elements of type complex64 are not supported", net.swap, np.ones(2, np.complex64), f32(1))
    refuses(TypeError, "elements of type >f4 are not supported", net.swap, np.ones(2, ">f4"), f32(1))
    refuses(ValueError, "argument 'a': expected rank 8 at most, but got 9", net.swap, np.ones((1,) * 9, np.float32), f32(1))
    packed = np.zeros(3, np.dtype([("byte", np.uint8), ("value", np.float32)]))["value"]
    refuses(ValueError, "expects strides in whole elements of 4 bytes", net.swap, packed, f32(1))


def views():
    grid = np.arange(24.0).reshape(4, 6)
    for view in (grid.T, grid[::-1, ::2], grid[1:3, 4:], np.broadcast_to(grid[0], (3, 6)), grid[:0], grid[:, 3:3]):
        before = view.copy()
        made = types.plane(view)
        assert np.array_equal(made, view * view) and made.shape == view.shape and np.array_equal(view, before)
    target = np.zeros((8, 6))
    got = types.plane(grid, out=target[::2])
    assert got.base is target and np.array_equal(target[::2], grid**2) and not target[1::2].any()
    # The same view, and then another one at the same address.
    flat = np.arange(6.0)
    assert np.array_equal(types.plane(flat.reshape(2, 3)), flat.reshape(2, 3)**2)
    assert np.array_equal(types.plane(flat.reshape(3, 2)), flat.reshape(3, 2)**2)


def places():
    a, b, one, two = f32(1, 2), f32(3), np.zeros(1, np.float32), np.zeros(2, np.float32)
    made = net.swap(a, b, out=(one, two))
    assert made[0] is one and made[1] is two and one.tolist() == [3] and two.tolist() == [1, 2]
    made = net.swap(a, b, out={"result1": two})
    assert made[1] is two and made[0].tolist() == [3]
    made = net.swap(a, b, out=[DROPPED, None])
    assert made[0] is None and made[1].tolist() == [1, 2]
    # Over an argument.
    grid = np.arange(6.0).reshape(2, 3)
    assert types.plane(grid, out=grid) is grid and grid.tolist() == [[0, 1, 4], [9, 16, 25]]
    refuses(Status.WRONG_SHAPE, "result 'result0': expected dim #0 to be 1, but got 2", net.swap, a, b, out=(two, None))
    refuses(Status.WRONG_DTYPE, "result 'result0': expected elements of type f32", net.swap, a, b, out=(np.ones(1), None))
    refuses(TypeError, "'swap' has no result 'ys'; it has 'result0', 'result1'", net.swap, a, b, out={"ys": one})
    refuses(TypeError, "'swap' has 2 results, but 'out' has 1 places", net.swap, a, b, out=one)
    one.flags.writeable = False
    refuses(ValueError, "result 'result0': the place is read-only", net.swap, a, b, out=(one, None))


def bound_calls():
    a, b, one, two = f32(1, 2), f32(3), np.zeros(1, np.float32), np.zeros(2, np.float32)
    call = net.swap.bind(a, b=b, out=(one, two))
    for value in (3, 4):
        b[:] = value
        made = call()
        assert made[0] is one and one[0] == value and two.tolist() == [1, 2]
    assert net.swap.bind(a, b, out=(DROPPED, two))()[0] is None
    refuses(TypeError, "result 'result1': a bound call needs its place", net.swap.bind, a, b, out=(one, None))
    refuses(Status.WRONG_SHAPE, "expected dim #0 to be 1, but got 2", net.swap.bind(a, b, out=(two, two)))


def memory():
    """Results are freed once, when nothing needs them; arguments are not kept."""
    freed, free = [], types.free
    types.free = lambda tensor: (freed.append(1), free(tensor))
    try:
        source = np.ones((1000, 1000))
        made = types.plane(source)
        part = made[1:, 1:]
        gone = weakref.ref(source)
        del made, source
        gc.collect()
        assert gone() is None and not freed and part.sum() == 999 * 999
        del part
        gc.collect()
        assert len(freed) == 1
        a = f32(1, 2, 3)
        refs = sys.getrefcount(a)
        for _ in range(100):
            net.swap(a, a)
        assert sys.getrefcount(a) == refs
    finally:
        types.free = free
    resident = lambda: int(pathlib.Path("/proc/self/statm").read_text().split()[1])  # noqa: E731
    block = np.ones((1000, 1000))
    types.plane(block)
    before = resident()
    for _ in range(50):
        types.plane(block)
    assert resident() - before < 20 * 8e6 / 4096, "results are not freed"


def failures():
    refuses(Status.CHECK_FAILED, "there are three or more", net["net_pack"], f32(1, 2))
    assert net["net_pack"](f32(1, 2, 3))[0].tolist() == [2, 4, 6]
    refuses(ValueError, "has no 'lstm_program'", lstm_mlir.load, "/lib/x86_64-linux-gnu/libm.so.6")
    refuses(OSError, "no-such-file", lstm_mlir.load, folder / "no-such-file.so")
    refuses(TypeError, "a session is for programs for 'cuda'", lstm_mlir.Session, net)


def numbers():
    """A cell, its packed form as well, called from several threads."""
    text = open(examples.path("lstm")).read()
    failed = []

    def work(seed):
        try:
            for steps, batch in ((7, 5), (3, 2), (0, 3), (4, 0)):
                given = examples.inputs(text, steps, batch, seed)
                want = examples.REFERENCES["lstm"](given)
                given = {n: a if n == "len" else a.astype(np.float32) for n, a in given.items()}
                packed = lstm.main_pack(given["W"], given["U"])
                rest = [given[p.name] for p in lstm.main_packed.arguments if p.name in given]
                for _ in range(20):
                    made = lstm.main(**given)
                    again = lstm.main_packed(*rest, *packed)
                    for got, same, port in zip(made, again, lstm.main.results):
                        name = {0: "ys", 1: "hT", 2: "cT"}[lstm.main.results.index(port)]
                        assert np.allclose(got, want[name], atol=1e-6) and np.array_equal(got, same), name
        except BaseException as failure:
            failed.append(failure)

    threads = [threading.Thread(target=work, args=(seed,)) for seed in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    if failed:
        raise failed[0]
    lstm.set_num_threads(1)


def host_cost():
    """Microseconds of a call with the same arrays; loosely, as others share the machine."""
    a, b, one, two = f32(1, 2), f32(3), np.zeros(1, np.float32), np.zeros(2, np.float32)
    out, times = (one, two), []
    for _ in range(2000):
        start = time.perf_counter()
        net.swap(a, b, out=out)
        times.append(time.perf_counter() - start)
    cost = 1e6 * sorted(times)[len(times) // 2]
    print(f"a call takes {cost:.1f} us")
    assert cost < 60, cost


for test in (scalars, arguments, element_types, views, places, bound_calls, memory, failures, numbers, host_cost):
    test()
