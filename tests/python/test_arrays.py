"""Arrays go in and out without copies if possible; the rest is copied or raises an error."""

from __future__ import annotations

import array
import copy
import ctypes
import gc
import pickle
import sys
import unittest
from typing import Any

import numpy as np
import torch

import rwa
from rwa._arrays import borrow, give
from support import resident_bytes


def values_of(borrowed: Any, ctype: Any = ctypes.c_float) -> list[Any]:
    size = int(np.prod(borrowed.shape))
    return list((ctype * size).from_address(borrowed.address))


class In(unittest.TestCase):
    def test_the_same_memory_is_read(self) -> None:
        n = np.arange(6, dtype=np.float32).reshape(2, 3)
        readonly = n.copy()
        readonly.flags.writeable = False
        t = torch.arange(6, dtype=torch.float32).reshape(2, 3)
        own = rwa.Array((2, 3))
        a = array.array("f", range(6))
        for value, address, shape, kind in [
            (n, n.ctypes.data, (2, 3), "numpy"),
            (readonly, readonly.ctypes.data, (2, 3), "numpy"),
            (n[1:], n.ctypes.data + 12, (1, 3), "numpy"),
            (t, t.data_ptr(), (2, 3), "torch"),
            (t[1], t.data_ptr() + 12, (3,), "torch"),
            (own, own.address, (2, 3), ""),
            (own[1], own.address + 12, (3,), ""),
            (a, a.buffer_info()[0], (6,), ""),
            (memoryview(a).cast("B").cast("f", (3, 2)), a.buffer_info()[0], (3, 2), ""),
            (memoryview(readonly), readonly.ctypes.data, (2, 3), ""),
        ]:
            with self.subTest(kind=type(value).__name__, shape=shape):
                found = borrow(value, "float32", "x")
                self.assertEqual((found.address, found.shape, found.kind), (address, shape, kind))
        whole = torch.tensor([3, 1], dtype=torch.int32)
        self.assertEqual(borrow(whole, "int32", "x").address, whole.data_ptr())

    def test_other_producers_of_dlpack(self) -> None:
        class Producer:
            def __init__(self, tensor: torch.Tensor, device: tuple[int, int] = (1, 0)) -> None:
                self.tensor, self.device = tensor, device

            def __dlpack__(self, stream: Any = None) -> Any:
                return self.tensor.__dlpack__()

            def __dlpack_device__(self) -> tuple[int, int]:
                return self.device

        t = torch.arange(6, dtype=torch.float32).reshape(2, 3)
        found = borrow(Producer(t), "float32", "x")
        self.assertEqual((found.address, found.shape, found.kind), (t.data_ptr(), (2, 3), ""))
        for words, producer in [
            ("x is on device cuda:1, expected cpu", Producer(t, (2, 1))),
            ("x is float64, expected float32", Producer(t.double())),
            ("x is not contiguous, expected row-major", Producer(t.T)),
        ]:
            with self.assertRaisesRegex(rwa.InputError, words):
                borrow(producer, "float32", "x")

    def test_the_owner_lives_as_long_as_it_is_borrowed(self) -> None:
        found = borrow(torch.full((1000,), 2.5), "float32", "x")
        gc.collect()
        torch.full((1000,), 1.0)
        self.assertEqual(set(values_of(found)), {2.5})

    def test_other_types_and_layouts_are_copied(self) -> None:
        n = np.arange(6.0).reshape(2, 3)
        t = torch.arange(6.0, dtype=torch.float64).reshape(2, 3)
        expected = [0.0, 1.0, 2.0, 3.0, 4.0, 5.0]
        swapped = [0.0, 3.0, 1.0, 4.0, 2.0, 5.0]
        for value, numbers in [
            (n, expected),
            (n.astype(np.float32).T, swapped),
            (n.astype(">f4"), expected),
            (n.astype(np.int64), expected),
            (n.astype(object), expected),
            (t, expected),
            (t.float().T, swapped),
            (t.long(), expected),
            (t.half(), expected),
            (array.array("d", range(6)), expected),
            (array.array("f", range(12))[::2], [0.0, 2.0, 4.0, 6.0, 8.0, 10.0]),
            (memoryview(array.array("f", range(12)))[::2], [0.0, 2.0, 4.0, 6.0, 8.0, 10.0]),
            ([[0, 1, 2], (3, 4.0, np.float32(5))], expected),
            ([np.arange(3), np.arange(3, 6)], expected),
            (b"\x00\x01\x02\x03\x04\x05", expected),
        ]:
            with self.subTest(kind=type(value).__name__):
                self.assertEqual(values_of(borrow(value, "float32", "x")), numbers)

    def test_a_negated_view_is_read_as_it_looks(self) -> None:
        x = torch.arange(6, dtype=torch.float32)
        for view in (torch._neg_view(x), torch._neg_view(x).reshape(2, 3).T):
            self.assertTrue(view.is_neg())
            expected = view.reshape(-1).tolist()
            self.assertEqual(values_of(borrow(view, "float32", "x")), expected)

    def test_what_is_not_aligned_is_copied(self) -> None:
        content = bytearray(1) + np.arange(3, dtype=np.float32).tobytes()
        for value in (
            np.frombuffer(content, np.float32, offset=1),
            memoryview(content)[1:].cast("f"),
            torch.frombuffer(content, dtype=torch.float32, offset=1),
        ):
            with self.subTest(kind=type(value).__name__):
                found = borrow(value, "float32", "x")
                self.assertEqual(found.address % 4, 0)
                self.assertEqual(values_of(found), [0.0, 1.0, 2.0])

        class Producer:
            def __dlpack__(self, stream: Any = None) -> Any:
                return torch.frombuffer(content, dtype=torch.float32, offset=1).__dlpack__()

            def __dlpack_device__(self) -> tuple[int, int]:
                return 1, 0

        with self.assertRaisesRegex(rwa.InputError, "x is not aligned, expected"):
            borrow(Producer(), "float32", "x")

    def test_whole_numbers(self) -> None:
        for value in [
            np.array([1, 2]),
            np.array([1, 2], np.uint8),
            torch.tensor([1, 2]),
            [1, np.int64(2)],
            b"\x01\x02",
        ]:
            with self.subTest(kind=type(value).__name__):
                self.assertEqual(values_of(borrow(value, "int32", "x"), ctypes.c_int32), [1, 2])
        self.assertEqual(borrow(3, "int32", "x").shape, ())
        for value in [np.array([1.0]), torch.tensor([1.0]), [1.0], array.array("d", [1])]:
            with self.subTest(kind=type(value).__name__):
                with self.assertRaisesRegex(rwa.InputError, "expected int32"):
                    borrow(value, "int32", "x")
        for value in [np.array([2**31]), torch.tensor([-(2**40)]), [2**31]]:
            with self.subTest(kind=type(value).__name__), self.assertRaises(rwa.InputError):
                borrow(value, "int32", "x")

    def test_what_is_refused(self) -> None:
        for words, value in [
            ("x is complex64, expected float32", np.zeros(2, np.complex64)),
            ("x is complex64, expected float32", torch.zeros(2, dtype=torch.complex64)),
            ("x is <U1, expected float32", np.array(["a"])),
            ("x requires a gradient: use x.detach", torch.zeros(2).requires_grad_()),
            ("x is on device meta, expected cpu: use x.cpu", torch.zeros(2, device="meta")),
            ("x has the str 'ab', expected numbers", "ab"),
            ("x has the str 'ab', expected numbers", ["ab"]),
            ("NoneType.*expected float32 of shape", [1.0, None]),
            (r"found the row \[1\], expected float32 of shape \(2, 2\)", [[1, 2], [1]]),
            ("found the row 3, expected", [[1, 2], 3]),
            ("NoneType", None),
        ]:
            with self.subTest(words=words), self.assertRaisesRegex(rwa.InputError, words):
                borrow(value, "float32", "x")


class Out(unittest.TestCase):
    def test_others_share_the_memory(self) -> None:
        a = rwa.Array((2, 3))
        n, t, v = a.numpy(), torch.from_dlpack(a), a.data
        shared = np.from_dlpack(a)
        self.assertEqual(
            {n.ctypes.data, shared.ctypes.data, t.data_ptr(), np.asarray(v).ctypes.data},
            {a.address},
        )
        n[1, 2] = 5
        t[0, 1] = 3
        v[0, 0] = 1
        self.assertEqual(a.tolist(), [[1, 3, 0], [0, 0, 5]])
        self.assertEqual(shared.tolist(), a.tolist())
        self.assertEqual((t.dtype, n.dtype, v.format), (torch.float32, np.float32, "f"))

    def test_the_memory_lives_as_long_as_somebody_has_it(self) -> None:
        for take in (
            lambda a: a.numpy(),
            torch.from_dlpack,
            np.from_dlpack,
            lambda a: a.data,
            lambda a: a[0:],
            lambda a: memoryview(a[0:].data),
        ):
            taken = take(rwa.Array((1000,), "int32"))
            gc.collect()
            others = [rwa.Array((1000,), "int32") for _ in range(10)]
            for other in others:
                other.numpy()[:] = 1
            self.assertEqual(set(np.asarray(taken).tolist()), {0})

    def test_parts_are_of_the_same_memory(self) -> None:
        a = rwa.Array((3, 2))
        a.numpy()[:] = [[1, 2], [3, 4], [5, 6]]
        self.assertEqual((len(a), a.size, a.ndim), (3, 6, 2))
        self.assertEqual(a[1].tolist(), [3, 4])
        self.assertEqual(a[-1][0], 5)
        self.assertEqual(a[1:].tolist(), [[3, 4], [5, 6]])
        self.assertEqual([row.tolist() for row in a], a.tolist())
        self.assertEqual(torch.from_dlpack(a[1:]).tolist(), [[3, 4], [5, 6]])
        self.assertEqual(torch.from_dlpack(a[1:]).data_ptr(), a.address + 8)
        self.assertEqual(a.reshape((2, 3))[1].tolist(), [4, 5, 6])
        copy = a.copy()
        a.numpy()[:] = 0
        self.assertEqual(copy[0].tolist(), [1, 2])
        for words, wrong in [("row 3 is", 3), ("row -4 is", -4), ("step 2", slice(0, 3, 2))]:
            with self.assertRaisesRegex(IndexError, words):
                a[wrong]
        with self.assertRaisesRegex(rwa.InputError, "expected one of size 6"):
            a.reshape((4, 2))

    def test_shapes_without_numbers_or_dimensions(self) -> None:
        empty, single = rwa.Array((2, 0, 3)), rwa.Array(())
        self.assertEqual(empty.tolist(), [[], []])
        self.assertEqual(empty.numpy().shape, (2, 0, 3))
        self.assertEqual(tuple(torch.from_dlpack(empty).shape), (2, 0, 3))
        self.assertEqual(single.tolist(), 0)
        self.assertEqual(single.numpy().shape, ())
        with self.assertRaises(TypeError):
            len(single)

    def test_what_is_refused(self) -> None:
        with self.assertRaisesRegex(rwa.InputError, "dtype is 'float64', expected one of: float32"):
            rwa.Array((2,), "float64")
        for words, shape in [
            ("expected sizes of 0 or more", (2, -1)),
            ("size of the shape is 2.5, expected a whole number", (2.5,)),
            ("expected a 64-bit integer", (0, 2**64 + 1)),
            (rf"expected at most {sys.maxsize} bytes", (2**62 + 4,)),
            (rf"expected at most {sys.maxsize} bytes", (np.int64(2**31), np.int64(2**31))),
            (rf"expected at most {sys.maxsize} bytes", (2**40, 0, 2**40)),
        ]:
            with self.subTest(shape=shape), self.assertRaisesRegex(rwa.InputError, words):
                rwa.Array(shape)
        with self.assertRaisesRegex(BufferError, "cpu"):
            rwa.Array((2,)).__dlpack__(dl_device=(2, 0))
        with self.assertRaisesRegex(rwa.InputError, "stream is 1"):
            rwa.Array((2,)).__dlpack__(stream=1)

    def test_new_readers_of_dlpack(self) -> None:
        a = rwa.Array((2,))
        capsule = a.__dlpack__(max_version=(1, 0), dl_device=(1, 0), copy=True)
        self.assertNotEqual(torch.utils.dlpack.from_dlpack(capsule).data_ptr(), a.address)

    def test_a_capsule_that_nobody_takes_leaves_exceptions_alone(self) -> None:
        a = rwa.Array((2,))
        with self.assertRaisesRegex(TypeError, "int"):
            int(a.__dlpack__())
        with self.assertRaisesRegex(ValueError, "not in list"):
            [].index(a.__dlpack__())

    def test_copies_and_pickles(self) -> None:
        a = rwa.Array((2, 3), "int32")
        a.numpy()[:] = [[1, 2, 3], [4, 5, 6]]
        for array in (a, a[1], a[2:], rwa.Array(())):
            for other in (pickle.loads(pickle.dumps(array)), copy.deepcopy(array)):
                self.assertEqual((other.shape, other.dtype), (array.shape, array.dtype))
                self.assertEqual(other.tolist(), array.tolist())
                self.assertNotEqual(other.address, array.address)

    def test_results_are_what_came_in(self) -> None:
        for kind, expected in [("numpy", np.ndarray), ("torch", torch.Tensor), ("", rwa.Array)]:
            a = rwa.Array((2,))
            found = give(a, kind)
            self.assertIsInstance(found, expected)
            self.assertEqual(np.asarray(found).ctypes.data, a.address)

    def test_looks(self) -> None:
        a = rwa.Array((2,), "int32")
        self.assertEqual(repr(a), "rwa.Array([0, 0], shape=(2,), dtype='int32')")
        self.assertIn("…", repr(rwa.Array((200,))))


class Leaks(unittest.TestCase):
    def test_twenty_thousand_exchanges(self) -> None:
        t, n = torch.zeros(5000), np.zeros(5000, np.float32)

        def exchange(times: int) -> None:
            for _ in range(times):
                borrow(t, "float32", "x")
                borrow(n, "float32", "x")
                a = rwa.Array((5000,))
                torch.from_dlpack(a)
                np.from_dlpack(a)
                a.__dlpack__()  # nobody takes it
                a.numpy()
                a.data

        exchange(2000)
        before = resident_bytes()
        exchange(20000)
        self.assertLess(resident_bytes() - before, 4 << 20)  # a leaked array per call is 400 MB


if __name__ == "__main__":
    unittest.main()
