"""What is done with modules of other libraries once they are imported: their tables learn our classes."""

import sys

from cuarray._ndarray import jax_types, namespaces, torch_tables

#: The functions that are called with modules after they have run, by name.
ACTIONS = {"jax": jax_types.register, "torch": torch_tables.register}


def action_for(name):
    """Return the function that is called with a module of this name after it has run; None for most."""
    if name in ACTIONS:
        return ACTIONS[name]
    if name.endswith(namespaces.MODULES):
        return namespaces.register
    return None


class Watcher:
    """A finder of sys.meta_path: finds these modules as the other finders do, and acts after they have run."""

    def find_spec(self, name, path=None, target=None):
        action = action_for(name)
        if action is None:
            return None
        for finder in sys.meta_path:
            spec = None if finder is self or not hasattr(finder, "find_spec") else finder.find_spec(name, path, target)
            if spec is not None:
                if spec.loader is not None:  # a folder without __init__.py has none
                    self.follow(spec.loader, action)
                return spec
        return None

    def follow(self, loader, action):
        """Call the action after the loader has run the module."""
        run = loader.exec_module

        def exec_module(module):
            run(module)
            action(module)

        loader.exec_module = exec_module


def act_on(name, action):
    """Call a function with a module, now if it has been imported, or when it is."""
    ACTIONS[name] = action
    if name in sys.modules:
        action(sys.modules[name])


def watch():
    """Act on the modules that are imported, and on others when they are."""
    for name, module in list(sys.modules.items()):
        if module is not None and (action := action_for(name)):
            action(module)
    sys.meta_path.insert(0, Watcher())
