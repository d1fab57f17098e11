"""Contexts that change a state of the calling thread and are decorators too: the base of `fuse` and `deterministic`."""

import functools
import inspect
import sys
from collections.abc import Callable
from typing import Any, ClassVar, NoReturn, Self, TypeVar

Function = TypeVar("Function", bound=Callable[..., Any])

# A frame with one of these flags can be suspended while the context is open.
SUSPENDABLE = inspect.CO_GENERATOR | inspect.CO_COROUTINE | inspect.CO_ASYNC_GENERATOR


class ThreadContext:
    """A decorator or a context manager. Subclasses have the functions `_begin` and `_end`, which nest.

    `_begin_call` and `_end_call` are those of a decorated function, if they are others.
    """

    _begin: ClassVar[Any]
    _end: ClassVar[Any]
    _begin_call: ClassVar[Any] = None
    _end_call: ClassVar[Any] = None

    def __new__(cls, function: Callable[..., Any] | None = None, **options: object) -> Any:
        if options:
            given = ", ".join(options)
            raise TypeError(
                f"{cls.__name__}() takes a function and no options: {given}; kernels have names of their own"
            )
        if function is None:
            return super().__new__(cls)
        if not callable(function):
            raise TypeError(f"{cls.__name__}: a function is needed, not {type(function).__name__}")
        tests = (inspect.isgeneratorfunction, inspect.iscoroutinefunction, inspect.isasyncgenfunction)
        if any(test(function) for test in tests):
            cls._refuse(getattr(function, "__qualname__", repr(function)))
        begin, end = cls._begin_call or cls._begin, cls._end_call or cls._end

        @functools.wraps(function)
        def within(*args, **kwargs):
            begin()
            try:
                return function(*args, **kwargs)
            finally:
                end()

        return within

    @classmethod
    def _refuse(cls, function: str) -> NoReturn:
        own = cls.__name__
        raise TypeError(f"{own}: {function} is a generator or coroutine; use {own} in the functions that it calls")

    def __call__(self, function: Function) -> Function:
        return type(self)(function)

    def __enter__(self) -> Self:
        caller = sys._getframe(1).f_code
        if caller.co_flags & SUSPENDABLE:
            self._refuse(caller.co_qualname)
        self._begin()
        return self

    def __exit__(self, *exception: object) -> None:
        self._end()
