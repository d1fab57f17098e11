"""Tensors and cuarray's arrays over the same memory, and rules as nodes of PyTorch's autograd."""

import contextlib
import functools
import threading

import cuarray
from cuarray import _core
from cuarray.interop import _trees as trees
from cuarray.interop._rules import chosen, draws_random_numbers, in_places, is_differentiable

try:
    import torch
    from torch._C._functorch import is_functorch_wrapped_tensor as is_wrapped
    from torch._C._functorch import unwrap_if_dead
    from torch._functorch import eager_transforms
    from torch.autograd import forward_ad
    from torch.nn.modules.module import register_module_forward_pre_hook
except ImportError as error:
    raise ImportError("cuarray.interop.torch needs PyTorch: pip install torch") from error


#: Whether a transform of torch.func is at work; whether torch.compile traces; whether a graph is kept.
is_transformed, is_traced = torch._C._are_functorch_transforms_active, torch.compiler.is_dynamo_compiling
is_grad_enabled = torch.is_grad_enabled


def is_array(x):
    return isinstance(x, torch.Tensor)


def take(tensor):
    """Return a cuarray array over the memory of a tensor, or over its values if it is conj- or neg-lazy.

    The array holds the tensor's storage: assigning to `tensor.data` later leaves it intact.
    """
    return taken((tensor,))[0]


def taken(tensors):
    """Return a list of such arrays."""
    arrays = _core.detached(tensors)
    if arrays is None:
        return [cuarray.from_dlpack(t.detach().resolve_conj().resolve_neg()) for t in tensors]
    return arrays


def _stream_number(device):
    # DLPack's 1 is the legacy default stream, whose handle is 0.
    return None if device.kind == "cpu" else torch.cuda.current_stream(device.index).cuda_stream or 1


def give(x):
    """Return a tensor over the memory of an array, writable even if the array is not; see `check`."""
    return make(x) if x.flags.writeable else _by_capsule(x)


def _by_capsule(x):
    return torch.utils.dlpack.from_dlpack(x.__dlpack__(stream=_stream_number(x.device), max_version=(1, 0)))


def make(x, _like=None):
    """Return a tensor over the memory of an array; a copy of a read-only one, since tensors are writable."""
    tensor = x._as_exchanged(torch.Tensor)  # which copies those
    return _by_capsule(x if x.flags.writeable else x.copy()) if tensor is None else tensor


def check(tensors, name):
    """Raise if a function has changed its arguments."""
    if any(t._version for t in tensors):
        raise RuntimeError(f"{name}: a tensor that it was given was changed in place; write tensor.clone() first")


@contextlib.contextmanager
def forgotten(fn):
    """Run a function without lasting effects: random numbers come again, and modules change copies of their buffers.

    These are the function itself, if it is one, and all that it calls in this thread outside of compiled code. Buffers
    that other modules have set anew meanwhile, as functional_call does, stay as they are.
    """
    kept, copies, thread = {}, {}, threading.get_ident()

    def change_copies(module, *_):
        if is_traced() or threading.get_ident() != thread:
            return
        for part in module.modules():
            if id(part) in kept or not isinstance(part._buffers, dict):  # that of a scripted module is another
                continue
            kept[id(part)] = part, (changed := {})
            for name, x in part._buffers.items():
                if x is None or is_wrapped(x):
                    continue
                if id(x) not in copies:
                    copies[id(x)] = x.detach().clone()
                changed[name] = x, copies[id(x)]
            part._buffers.update({name: copy for name, (_, copy) in changed.items()})

    own = set(map(id, fn.modules())) if isinstance(fn, torch.nn.Module) else ()
    gpus = [torch.cuda.current_device()] if torch.cuda.is_initialized() else []
    hook = register_module_forward_pre_hook(change_copies)
    try:
        if own:
            change_copies(fn)
        with torch.random.fork_rng(gpus):
            yield
    finally:
        hook.remove()
        for part, changed in kept.values():
            for name, (x, copy) in changed.items():
                if id(part) in own or part._buffers.get(name) is copy:
                    part._buffers[name] = x


@contextlib.contextmanager
def repeated(fn, name):
    """Do the same with a function that runs again, for its gradients: random numbers are refused."""
    with forgotten(fn):
        states = _random_states()
        yield
        if not all(map(torch.equal, states, _random_states())):
            raise RuntimeError(draws_random_numbers(name))


def _random_states():
    """Return the states of PyTorch's generators on cpu and the current GPU."""
    return [torch.get_rng_state(), *([torch.cuda.get_rng_state()] if torch.cuda.is_initialized() else [])]


untaped = torch.no_grad


def vjp(function, tensors, wanted):
    """Return the results of a function, and the function of their gradients by autograd.

    The gradients have gradients, too, where grad mode is enabled: the functions of another `vjp` run so.
    """
    with torch.enable_grad():
        tensors = [t.requires_grad_() if is_wanted else t for t, is_wanted in zip(tensors, wanted, strict=True)]
        results = function(tensors)
    leaves = [t for t in tensors if t.requires_grad]

    def pull_back(grads):
        pairs = [(out, g) for out, g in zip(results, grads, strict=True) if g is not None and out.requires_grad]
        found = iter([None] * len(leaves))
        if pairs and leaves:
            outputs, ends = zip(*pairs, strict=True)
            again = is_grad_enabled()
            found = iter(
                torch.autograd.grad(outputs, leaves, ends, retain_graph=True, create_graph=again, allow_unused=True)
            )
        return [next(found) if t.requires_grad else None for t in tensors]

    return results, pull_back


zeros_like = torch.zeros_like


def differentiable(tensor):
    return tensor.is_floating_point() or tensor.is_complex()


def beside(arrays):
    """Make the device of the arrays cuarray's current one, and torch's current stream cuarray's, in a context."""
    if not arrays:
        return contextlib.nullcontext()
    device = arrays[0].device
    return device if device.kind == "cpu" else _beside_gpu(device)


@contextlib.contextmanager
def _beside_gpu(device):
    with device, cuarray.Stream.from_external(torch.cuda.current_stream(device.index), device):
        yield


def is_recorded(tensors):
    """Whether autograd keeps a graph of what is made of tensors."""
    for tensor in tensors:  # any() of a generator takes three times as long
        if tensor.requires_grad:
            return is_grad_enabled()
    return False


def is_dual():
    """Whether tensors may have tangents."""
    return forward_ad._current_level >= 0


def may_have_tangents(tensors):
    """Whether one of the tensors has a tangent at the open level, or torch.func.jvp is at work, which hides them."""
    if getattr(eager_transforms, "JVP_NESTING", 1):
        return True
    return any(forward_ad.unpack_dual(t).tangent is not None for t in tensors)


def step(node, tensors):
    """Evaluate a `Node`, as one of autograd's where that keeps a graph."""
    if is_transformed():
        return FunctionalStep.apply(node, *tensors)
    if is_recorded(tensors) or is_dual():
        return record(node, *map(unwrap_if_dead, tensors))
    if not is_grad_enabled():
        return node.evaluate(tensors)
    torch._C._set_grad_enabled(False)  # torch.no_grad takes 2 us
    try:
        return node.evaluate(tensors)
    finally:
        torch._C._set_grad_enabled(True)


def save(ctx, node, tensors, output):
    ctx.step = node, len(tensors)
    ctx.save_for_backward(*tensors, *output)
    if is_dual():
        ctx.save_for_forward(*tensors, *output)


class Step(torch.autograd.Function):
    """A node of autograd: its first argument is a `Node`, the others are tensors."""

    @staticmethod
    def forward(ctx, node, *tensors):
        output = node.evaluate(tensors)
        save(ctx, node, tensors, output)
        return output

    @staticmethod
    def backward(ctx, *grads):
        saved = ctx.saved_tensors  # raises if one was changed in place since
        node, count = ctx.step
        inputs, outputs = saved[:count], saved[count:]
        if not (is_grad_enabled() or is_dual() or is_transformed()):
            return None, *node.gradients(inputs, outputs, grads, ctx.needs_input_grad[1:])
        pull = node.gradient(count, ctx.needs_input_grad[1:], outputs)
        known = [g for g, out in zip(grads, outputs, strict=True) if differentiable(out)]
        found = iter(step(pull, [*inputs, *outputs, *known]))
        return None, *(next(found) if here else None for here in pull.wanted)

    @staticmethod
    def jvp(ctx, _node, *tangents):
        saved = ctx.saved_tensors
        node, count = ctx.step
        outputs = saved[count:]
        moved = [t is not None for t in tangents]
        push = node.tangent(moved, outputs)
        return tuple(in_places(step(push, [*saved, *chosen(tangents, moved)]), push.are_known))


#: Step.apply without what it does for classes with setup_context, which takes 2 us.
record = super(torch.autograd.Function, Step).apply


class FunctionalStep(torch.autograd.Function):
    """The same for the transforms of `torch.func`; outside of them it takes PyTorch three times as long."""

    @staticmethod
    def forward(node, *tensors):
        return node.evaluate(tensors)

    @staticmethod
    def setup_context(ctx, inputs, output):
        save(ctx, inputs[0], inputs[1:], output)

    backward, jvp = Step.backward, Step.jvp

    @staticmethod
    def vmap(info, in_dims, node, *tensors):
        dims = in_dims[1:]

        def call_with(pick):
            return step(node, [t if d is None else pick(t, d) for t, d in zip(tensors, dims, strict=True)])

        if info.batch_size == 0:
            blanks = call_with(lambda t, d: torch.zeros_like(t.sum(d)).to(t.dtype))
            results = tuple(t.new_empty((0, *t.shape)) for t in blanks)
        else:
            rows = [call_with(lambda t, d, number=number: t.select(d, number)) for number in range(info.batch_size)]
            results = tuple(torch.stack(column) for column in zip(*rows, strict=True))
        return results, (0,) * len(results)


class Node:
    """A rule over tensors; it keeps the framework's tape of the run, if there is one."""

    pull = push = None

    def __init__(self, rule, records=False):
        self.rule, self.records = rule, records

    def evaluate(self, tensors):
        rule = self.rule
        if rule.is_direct and (found := _core.called_on_tensors(rule.fn, tuple(tensors), torch.Tensor, False)):
            if len(found) == 1:
                rule.result = trees.slot(0)
                return found
            result, arrays = found
            return tuple(map(make, rule.taken(rule.arrays_of(result, arrays), arrays)))
        arrays = taken(tensors)
        with beside(arrays):
            if self.records:
                wanted = [differentiable(t) and (t.requires_grad or is_dual()) for t in tensors]
                found, self.pull, self.push = self.rule.linearize(arrays, wanted)
            else:
                found = self.rule.run(arrays)
            return tuple(map(make, found))

    def places(self, count):
        """Return which of the tensors its rule takes."""
        return range(count)

    def pull_back(self, inputs, outputs, grads):
        return self.pull(grads) if self.pull else self.rule.pull_back(inputs, outputs, grads)

    def push_forward(self, inputs, outputs, tangents):
        return self.push(tangents) if self.push else self.rule.push_forward(inputs, outputs, tangents)

    def gradients(self, inputs, outputs, grads, needed):
        """Return the gradients of tensors, where they are needed and nobody asks for their derivatives."""
        rule = self.rule
        rule.require_gradient()
        rule.require_places(needed)
        if rule.is_direct and len(outputs) == 1 and type(rule.result) is trees.Slot:
            given = tuple(inputs), outputs[0], grads[0]
            if found := _core.called_on_tensors(rule.backward, given, torch.Tensor, True):
                return found if len(found) == 1 else self.fitted(found[0], inputs, needed)
        arrays, results = taken(inputs), taken(outputs)
        ends = [take(g) if is_differentiable(x) else None for g, x in zip(grads, results, strict=True)]
        with beside(arrays):
            pairs = zip(self.pull_back(arrays, results, ends), needed, strict=True)
            return [make(g) if here and g is not None else None for g, here in pairs]

    def fitted(self, value, inputs, needed):
        """Return the gradients that a function of arrays has given, which may need another shape or type."""
        arrays = self.rule.fitted(self.rule.in_order(value, len(inputs)), taken(inputs), "gradient")
        return [make(g) if here and g is not None else None for g, here in zip(arrays, needed, strict=True)]

    def gradient(self, count, needed, outputs):
        self.rule.require_gradient()
        self.rule.require_places(needed)
        return Pullback(self, count, needed, outputs)

    def tangent(self, moved, outputs):
        self.rule.require_tangent()
        self.rule.require_places(moved)
        return Pushforward(self, len(moved), moved, outputs)


class Derivative(Node):
    """A derivative of another node. Its arguments are inputs, outputs, and derivatives of some of either."""

    def __init__(self, node, count, wanted, outputs):
        self.node, self.count, self.wanted = node, count, wanted
        self.are_known = [differentiable(out) for out in outputs]

    def evaluate(self, tensors):
        arrays = taken(tensors)
        ends = self.count + len(self.are_known)
        with beside(arrays):
            return tuple(make(x) for x in self.found(arrays[: self.count], arrays[self.count : ends], arrays[ends:]))

    def places(self, count):
        return [*self.node.places(self.count), *range(self.count + len(self.are_known), count)]  # not the outputs

    def pull_back(self, inputs, outputs, grads):
        places = self.places(len(inputs))
        found = dict(zip(places, self.rule.pull_back([inputs[i] for i in places], outputs, grads), strict=True))
        return [found.get(i) for i in range(len(inputs))]

    def push_forward(self, inputs, outputs, tangents):
        places = self.places(len(inputs))
        return self.rule.push_forward([inputs[i] for i in places], outputs, [tangents[i] for i in places])

    def wanted_of_rule(self):
        return [self.wanted[i] for i in self.node.places(self.count)]


class Pullback(Derivative):
    """The gradients of another node: those that are wanted and that there are."""

    def found(self, inputs, outputs, known):
        found = self.node.pull_back(inputs, outputs, in_places(known, self.are_known))
        self.wanted = [g is not None and w for g, w in zip(found, self.wanted, strict=True)]
        return chosen(found, self.wanted)

    @functools.cached_property
    def rule(self):
        return self.node.rule.derived(self.wanted_of_rule(), self.are_known)


class Pushforward(Derivative):
    """The tangents of the outputs of another node from those of the inputs that are wanted."""

    def found(self, inputs, outputs, known):
        found = self.node.push_forward(inputs, outputs, in_places(known, self.wanted))
        pairs = chosen(zip(found, outputs, strict=True), self.are_known)
        return [cuarray.zeros_like(x) if t is None else t for t, x in pairs]

    @functools.cached_property
    def rule(self):
        return self.node.rule.pushed(self.wanted_of_rule(), self.are_known)


def lifted(rule_of, _out_spec=None):
    """Return the call of a function through autograd: `rule_of(skeleton)` is its rule."""

    def lift(args, keywords):
        if is_traced():
            return untraced(args, keywords)
        tensors, skeleton = trees.take_arguments_apart(args, keywords, is_array)
        rule = rule_of(skeleton)
        # Under torch.func the run belongs to no single tape.
        records = rule.has_tape and (is_recorded(tensors) or is_dual()) and not is_transformed()
        results = step(Node(rule, records), tensors)
        return trees.put_together(rule.result, results)

    # torch.compile would trace into the conversions. The wrapper takes 1 us, even where nothing is compiled.
    reason = "a wrapped function; cuarray.interop.torch.custom_op stays in the graph"
    untraced = torch.compiler.disable(lift, reason=reason)
    return lift
