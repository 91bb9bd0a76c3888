# Part of the lstm-mlir project, under the Apache License v2.0 with LLVM
# Exceptions. See LICENSE for license information.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""What calls must stand besides giving numbers: one function a scenario.

Each takes a Bench and the name of a program, and raises a Failure. SCENARIOS says with which
programs, and whether only a GPU has it."""

import os
import sys
import threading
import time

import numpy as np
import programs
import runner
from calls import Call, check_same
from device import scattered
from lstm_mlir import Error, Session, Status
from runner import Failure


def expect(holds, message):
    if not holds:
        raise Failure(message)


def repeats_bitwise(bench, name):
    """The same inputs a hundred times, of many cases at least ten, give the same bits, from graphs and without them."""
    library, cases = bench.load(name), bench.cases(name)
    sessions = bench.sessions({}, {"graph-after": -1}, {"branches": 1})
    for case in cases:
        call, first = Call(case, bench.where), None
        for session in sessions:
            for number in range(max(bench.repetitions // len(cases), min(bench.repetitions, 10))):
                found = call.run(library, **session).fetch()
                if first is None:
                    first = found
                    call.check(found)
                check_same(f"{case.label}, call {number}", first, found)
        call.check_arguments()


def usual_errors(bench, name):
    """Medians of the errors of large results without infinities and NaN, of each case by result."""
    errors, library = {}, bench.load(name)
    for case in bench.cases(name):
        for found, result in zip(Call(case, bench.where).run(library).fetch(), case.results):
            if result.value.size > 10000 and np.isfinite(result.value).all():
                difference = runner.decode(found, result.type) - result.value
                errors.setdefault(case.label, {})[result.name] = float(np.median(np.abs(difference)))
    return errors


def is_as_exact_as_f32(bench, name):
    """Products of bf16 or TF32 for products of f32: the errors of f32 are those of cuBLAS's.

    The usual ones: a state that feeds back into its gates, as a peephole's, multiplies some, so that a mean says more of
    these few elements than of products. Each element's bound is checked elsewhere."""
    plain = usual_errors(bench, "unsplit/" + name)
    expect(plain, f"{name} has no large result")
    for other in (name, "library/" + name):
        for label, errors in usual_errors(bench, other).items():
            for result, error in errors.items():
                exact = plain[label][result]
                text = f"{other}, {label}, {result}: error {error:.3g}, of f32 {exact:.3g}, {error / exact:.2f} times"
                bench.note(text)
                expect(error <= 1.5 * exact, text)


def takes_strides(bench, name):
    """Arguments and places in which nothing is contiguous."""
    library = bench.load(name)
    for case in bench.cases(name):
        entry = library[case.entry]
        arguments = []
        for value, port in zip(case.arguments, entry.arguments):
            if isinstance(value, np.ndarray):
                place = scattered(bench.where, value.shape, port.dtype)
                bench.where.set(place, value)
                value = place
            arguments.append(value)
        call = Call(case, bench.where, arguments)
        call.places = [scattered(bench.where, r.value.shape, r.type) for r in case.results]
        for _ in range(3):
            call.run(library).check()
        call.check_arguments()


def writes_over_arguments(bench, name):
    """The last states over the first ones."""
    library = bench.load(name)
    entry = library.main
    for case in bench.cases(name):
        for _ in range(3):
            call = Call(case, bench.where)
            call.make_places(entry)
            taken = 0
            for number, port in enumerate(entry.results):
                first = port.name.replace("T", "0", 1)
                if first in case.names and first != port.name:
                    call.places[number] = call.arguments[case.names.index(first)]
                    taken += 1
            expect(taken, f"no result of {name} is a state")
            # No poison: the places hold what is read.
            made = entry(*call.arguments, out=call.places)
            call.made = made if len(entry.results) != 1 else (made,)
            call.check()


def serves_threads(bench, name):
    """Two threads, a session each, with inputs of their own."""
    library, failures = bench.load(name), []
    every = [programs.Cell(name.split("/")[1]).make("thread", 11 + seed, 6 + seed, seed=seed) for seed in range(2)]

    def work(case):
        try:
            with bench.own_stream():
                call, first = Call(case, bench.where), None
                for number in range(40):
                    found = call.run(library).fetch()
                    first = found if first is None else first
                    call.check(found)
                    check_same(f"call {number}", first, found)
        except BaseException as failure:  # Whatever it is, the main thread reports it.
            failures.append(failure)

    threads = [threading.Thread(target=work, args=(case,)) for case in every]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    if failures:
        raise failures[0]


def serves_shapes_in_turn(bench, name):
    """One session, three shapes one after the other, several rounds."""
    library, cell = bench.load(name), programs.Cell(name.split("/")[1])
    calls = [Call(cell.make("in turn", steps, batch), bench.where) for steps, batch in ((5, 3), (12, 1), (2, 33))]
    (options,) = bench.sessions({})
    first = [None] * 3
    for number in range(5):
        for k, call in enumerate(calls):
            found = call.run(library, **options).fetch()
            first[k] = found if first[k] is None else first[k]
            call.check(found)
            check_same(f"round {number}", first[k], found)
    if bench.on_gpu:
        session = options["session"]
        expect(session.get("graphs") == 3 and session.get("replays") >= 6,
               f"{session.get('graphs')} graphs, {session.get('replays')} replays")


def takes_new_pointers(bench, name):
    """Other memory at each call."""
    library, case = bench.load(name), bench.cases(name)[0]
    kept = []
    for _ in range(10):
        kept.append(Call(case, bench.where))
        kept[-1].run(library).check()
    # And the first one again, which wrote nowhere else since.
    kept[0].run(library).check()


def refuses_lengths(bench, name):
    """Lengths outside 0 to T: on a GPU the wait says so, once; and the session goes on."""
    library, case = bench.load(name), bench.cases(name)[0]
    place = case.names.index("len")
    (options,) = bench.sessions({})
    for wrong in (case.arguments[0].shape[0] + 1, -1, 2**31 - 1, -2**31):
        for _ in range(3):
            call = Call(case, bench.where)
            lengths = case.arguments[place].copy()
            lengths[-1] = wrong
            call.arguments[place] = bench.where.place(lengths)
            try:
                call.run(library, **options)
                if bench.on_gpu:
                    options["session"].wait(bench.stream())
            except Error as error:
                expect(error.status == Status.CHECK_FAILED and str(wrong) in str(error), f"{wrong}: {error.status!r} {error}")
            else:
                raise Failure(f"a length of {wrong} is not refused")
            if bench.on_gpu:
                options["session"].wait(bench.stream())
            Call(case, bench.where).run(library, **options).check()


def recovers_from_errors(bench, name):
    """A refused call leaves nothing behind."""
    library, case = bench.load(name), bench.cases(name)[0]
    call = Call(case, bench.where)
    call.run(library).check()
    for wrong, status in ((case.arguments[0].astype(np.float64), Status.WRONG_DTYPE),
                          (case.arguments[0][0], Status.WRONG_RANK), (case.arguments[0][:, :1], Status.WRONG_SHAPE)):
        # The batch of one sequence alone is refused by the program itself.
        try:
            library.main(bench.where.place(wrong), *call.arguments[1:])
        except Error as error:
            expect(error.status in (status, Status.CHECK_FAILED), f"{error.status!r} {error}")
        else:
            raise Failure(f"{wrong.dtype} {wrong.shape} is not refused")
        call.run(library).check()


def makes_results(bench, name):
    """Without places; the shapes are learned from the first call."""
    library, case = bench.load(name), bench.cases(name)[0]
    call = Call(case, bench.where)
    call.make_places(library.main)
    call.places = [None] * len(call.places)
    kept = []
    for _ in range(4):
        made = library.main(*call.arguments)
        call.made = made if len(library.main.results) != 1 else (made,)
        call.check()
        kept.append((call.made, call.fetch()))
    for made, found in kept:
        call.made = made
        check_same("a later call", found, call.fetch())


def joins_a_capture(bench, name):
    """Inside torch.cuda.graph, replayed on other inputs in the same memory."""
    torch, library = bench.where.torch, bench.load(name)
    cell = programs.Cell(name.split("/")[1])
    cases = [cell.make("captured", 9, 6, seed=seed) for seed in range(3)]
    call = Call(cases[0], bench.where)
    with bench.own_stream():
        call.run(library).check()
        graph = torch.cuda.CUDAGraph()
        with torch.cuda.graph(graph):
            library.main(*call.arguments, out=call.places)
        for case in cases:
            call.case = case
            for place, value in zip(call.arguments, case.arguments):
                bench.where.set(place, value)
            for place in call.places:
                bench.where.poison(place)
            graph.replay()
            call.check()
        # Calls outside go on.
        call.run(library).check()


def runs_on_a_stream(bench, name):
    """Behind what the stream was given before, without waiting on the host."""
    torch, library, case = bench.where.torch, bench.load(name), bench.cases(name)[0]
    call = Call(case, bench.where)
    call.make_places(library.main)
    wrong = [place.clone() if hasattr(place, "clone") else place for place in call.arguments]
    with bench.own_stream() as stream:
        for number in range(5):
            for place, at in zip(call.arguments, wrong):
                if hasattr(place, "zero_") and place.is_floating_point():
                    place.zero_()
            torch.cuda._sleep(20_000_000)
            for place, at in zip(call.arguments, wrong):
                if hasattr(place, "copy_"):
                    place.copy_(at)
            call.run(library)
            expect(number < 2 or not stream.query(), "the call waited for the stream")
            call.check()


def takes_a_workspace(bench, name):
    """Memory of the caller; too little of it is refused and says how much is needed."""
    torch, library, case = bench.where.torch, bench.load(name), bench.cases(name)[0]
    call = Call(case, bench.where)
    (options,) = bench.sessions({})
    session = options["session"]
    call.run(library, **options).check()
    needed = session.get("workspace")
    memory = torch.empty(needed + 256, dtype=torch.uint8, device="cuda")
    memory.fill_(255)
    session.set_workspace(memory.data_ptr(), memory.numel())
    for _ in range(3):
        call.run(library, **options).check()
    if needed > 256:
        session.set_workspace(memory.data_ptr(), 256)
        try:
            call.run(library, **options)
        except Error as error:
            expect(error.status == Status.OUT_OF_MEMORY, f"{error.status!r} {error}")
        else:
            raise Failure(f"256 bytes are enough for a workspace of {needed}")
    session.set_workspace(None, 0)
    call.run(library, **options).check()


def allocates_nothing_more(bench, name):
    """From the second call of the same shapes on."""
    library, case = bench.load(name), bench.cases(name)[0]
    (options,) = bench.sessions({})
    call = Call(case, bench.where)
    for _ in range(3):
        call.run(library, **options).check()
    before = options["session"].get("allocations")
    for _ in range(20):
        call.run(library, **options)
    call.check()
    after = options["session"].get("allocations")
    expect(after == before, f"{after - before} more allocations in 20 calls")


def takes_host_arrays(bench, name):
    """NumPy's arrays, copied to the device and back."""
    from device import Host
    library = bench.load(name)
    for case in bench.cases(name):
        call = Call(case, Host())
        call.run(library).check()
        call.check_arguments()
        made = library.main(*call.arguments)
        call.made = made if len(library.main.results) != 1 else (made,)
        call.check()


def runs_beside_others(bench, name):
    """While kernels of others fill the device, from two streams at once: blocks that wait for each other all come to run."""
    torch, library = bench.where.torch, bench.load(name)
    calls = [Call(programs.Cell(name.split("/")[1]).make("beside", 17 + seed, 9, seed=seed), bench.where) for seed in range(2)]
    streams = [torch.cuda.Stream() for _ in calls]
    sessions = [Session(library) for _ in calls]
    busy, load = torch.cuda.Stream(), torch.randn(2048, 2048, device="cuda")
    for call in calls:
        call.run(library).check()
    for _ in range(20):
        with torch.cuda.stream(busy):
            for _ in range(10):
                load @ load
        for _ in range(5):
            for call, stream, session in zip(calls, streams, sessions):
                with torch.cuda.stream(stream):
                    call.run(library, session=session)
        torch.cuda.synchronize()
        for call in calls:
            call.check()


# Calls between two comparisons, and seconds that they may take: a thousand times what they do.
TOGETHER, PATIENCE = 100, 60


def wait_for(torch, stream, done):
    """A kernel that hangs never comes back, and nothing after it: that ends the whole run."""
    event, start = torch.cuda.Event(), time.monotonic()
    event.record(stream)
    while not event.query():
        if time.monotonic() - start > PATIENCE:
            print(f"FAILED: no end within {PATIENCE} s after {done} calls\n0 passed, 1 failed", flush=True)
            sys.stdout.flush()
            os._exit(1)
        time.sleep(1e-4)


def endures(bench, name):
    """As many calls as --endurance says, replayed graphs with a kernel of all steps each, while a stream beside is kept busy:
    the same bits, which the device compares after every hundred calls."""
    torch, library, case = bench.where.torch, bench.load(name), bench.cases(name)[0]
    call = Call(case, bench.where)
    call.run(library).check()
    kept = [place for place in call.places if place is not None]
    same = [place.clone() for place in kept]
    bits = lambda tensor: tensor.contiguous().view(-1).view(torch.uint8)
    wrong, busy, load = torch.zeros((), dtype=torch.int64, device="cuda"), torch.cuda.Stream(), torch.randn(512, 512, device="cuda")
    wanted, done = -(-bench.options.endurance // len(ENDURING)), 0
    (options,) = bench.sessions({})
    start = time.monotonic()
    with bench.own_stream() as stream:
        bound = library[case.entry].bind(*call.arguments, out=call.places, **options)
        while done < wanted:
            with torch.cuda.stream(busy):
                for _ in range(TOGETHER):
                    load @ load
            for place in kept:
                bench.where.poison(place)
            for _ in range(min(TOGETHER, wanted - done)):
                bound()
                done += 1
            for place, before in zip(kept, same):
                wrong += (bits(place) != bits(before)).sum()
            # The host is not far ahead, and sees where it stops.
            wait_for(torch, stream, done)
        different = int(wrong)
    session = options["session"]
    expect(different == 0, f"{different} bytes differ from the first call's in {done} calls")
    expect(session.get("replays") >= done - 10, f"{session.get('replays')} replays in {done} calls")
    bench.note(f"{done} calls of {name} in {time.monotonic() - start:.1f} s, {session.get('replays')} of them replayed, "
               f"compared {-(-done // TOGETHER)} times")


def costs_the_host_little(bench, name):
    """Microseconds of the host for a call with the same tensors; reported."""
    library, case = bench.load(name), bench.cases(name)[0]
    call = Call(case, bench.where)
    call.run(library).check()
    times = []
    for _ in range(200):
        start = time.perf_counter()
        library.main(*call.arguments, out=call.places)
        times.append(time.perf_counter() - start)
        bench.where.finish()
    bound, again = library.main.bind(*call.arguments, out=call.places), []
    for _ in range(200):
        start = time.perf_counter()
        bound()
        again.append(time.perf_counter() - start)
        bench.where.finish()
    call.check()
    bench.note(f"a call of {name} takes the host {1e6 * sorted(times)[100]:.1f} us, a bound one {1e6 * sorted(again)[100]:.1f} us")


CELLS = ["cell/lstm", "cell/gru_reset_before", "cell/bidirectional", "cell/layer_norm_lstm", "cell/two_layer", "cell/sru"]
FEW = CELLS[:3]
STACKED = [program.name for program in programs.Stacked.every()]
ENDURING = ["stacked/lstm/bf16"] + ["persistent/" + name for name in FEW] + [
    f"{layout}/cell/{name}" for layout in ("warp_groups", "clusters", "single_row_clusters", "per_step") for name in ("lstm", "gru_reset_before")]
ENDURING += ["clusters/cell/layer_norm_lstm"]
REDUCING = [f"{layout}/norm/{cell}/{units}/f16" for layout, plans in (("clusters", programs.REDUCING), ("per_step", programs.PER_STEP))
            for cell in ("gates", "softmax") for units in plans]
SPLIT = [f"split/{name}" for name in (*programs.Split.GROWN, "lstm/static", "product")]
# (scenario, programs, needs a GPU)
SCENARIOS = [
    (repeats_bitwise, ["large/" + name for name in programs.Large.GROWN], False),
    (repeats_bitwise, [f"cells/{mode}/{number}" for mode in programs.RandomCells.MODES
                       for number in range(1, programs.RandomCells.LIBRARIES + 1)], True),
    (repeats_bitwise, [program.name for program in programs.PlannedCells.every()]
     + [f"{layout}/large/{name}" for layout, kinds in programs.LAYOUTS.items() for name in kinds[programs.Large]]
     + [f"{layout}/streamed/" + "/".join(map(str, sizes)) for layout, plans in programs.STREAMED.items() for sizes in plans]
     + STACKED + REDUCING, True),
    (is_as_exact_as_f32, SPLIT, True),
    (repeats_bitwise, SPLIT, True),
    (takes_strides, CELLS, False),
    (writes_over_arguments, CELLS, False),
    (serves_threads, FEW, False),
    (serves_shapes_in_turn, CELLS, False),
    (takes_new_pointers, FEW, False),
    (refuses_lengths, CELLS, False),
    (recovers_from_errors, ["cell/lstm"], False),
    (makes_results, CELLS, False),
    (joins_a_capture, CELLS, True),
    (runs_on_a_stream, FEW, True),
    (takes_a_workspace, FEW, True),
    (runs_beside_others, FEW, True),
    (allocates_nothing_more, FEW, True),
    (takes_host_arrays, CELLS, True),
    (costs_the_host_little, ["cell/lstm"], False),
    (endures, ENDURING, True),
]
