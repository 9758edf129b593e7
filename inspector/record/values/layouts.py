"""Finds where the attributes of an object are stored, without running any code of its class.

A normal attribute lookup may run a property, ``__getattr__`` or a metaclass. The functions here read namespaces through
the slots of ``type``, and instance dictionaries and ``__slots__`` through the descriptors that Python made for them.
"""

# The values are of any type, and read through unbound methods of builtins, whose type arguments pyright cannot know:
# pyright: reportUnknownArgumentType=false, reportUnknownMemberType=false, reportUnknownVariableType=false

import weakref
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from itertools import islice
from types import GetSetDescriptorType, MappingProxyType, MemberDescriptorType
from typing import Any, Final

from inspector.plain import well_formed

_NAMESPACE: Final = type.__dict__["__dict__"].__get__
_MRO: Final = type.__dict__["__mro__"].__get__
_QUALNAME: Final = type.__dict__["__qualname__"].__get__

dict_items: Final = dict[Any, Any].items
"""Returns the entries of a dictionary, even of a subclass, with the method of ``dict``."""
dict_get: Final = dict[Any, Any].get
"""Looks up a key in a dictionary, even of a subclass, with the method of ``dict``."""

GIVEN_BACK: Final = "given_back"
"""A mark in the metadata of dataclass fields that ``repr`` leaves out because they are long, not because they are
secret."""
_UNUSED: Final = {"langchain_core.messages.tool:ToolMessage": ("additional_kwargs", "response_metadata")}
"""Fields that ``repr`` leaves out because their class makes no use of them; handoffs between agents are noted there."""
_ANSWERS: Final = frozenset(("anthropic.BaseModel", "openai.BaseModel"))
"""The classes of everything that the servers of these SDKs answer."""
_FIELD_MARKS: Final = ("__dataclass_fields__", "__pydantic_fields__", "__attrs_attrs__", "__struct_fields__")
_MOST_NAME: Final = 200
"""The most characters of the name of a class, and of its module."""
_MAX_LAYOUTS: Final = 2048
_MAX_NAMES: Final = 5000
"""The most names of a class that are read."""


@dataclass(frozen=True, slots=True)
class Layout:
    """Where a class stores the attributes of its objects, and which of them may be shown."""

    type_name: str
    bases: tuple[type, ...]
    """The class itself and all its bases, in the order of attribute lookup."""
    slots: tuple[tuple[str, MemberDescriptorType], ...]
    """Public attributes in slots."""
    dictionary: GetSetDescriptorType | MemberDescriptorType | None
    """Returns the instance dictionary."""
    is_record: bool
    """Whether the class declares its fields: a dataclass, a pydantic or attrs model, a msgspec struct."""
    hidden: frozenset[str]
    """Fields that the class excludes from its ``repr`` or its serialized form."""
    given_back: frozenset[str]
    """Hidden fields that a replay returns nevertheless: those marked so, and those of `_UNUSED`."""
    extra: object
    """The slot of a pydantic model for attributes that are not fields."""
    sent: object
    """The slot of an SDK's answer for the names of the fields that the server sent; all others have their default."""
    is_secret: bool
    """Whether it is one of pydantic's classes for secrets."""
    is_mock: bool


_layouts: dict[int, tuple["weakref.ref[type]", Layout]] = {}


def namespace(cls: type) -> Mapping[str, Any]:
    """Return the attributes that a class itself defines."""
    attributes: MappingProxyType[str, Any] = _NAMESPACE(cls)
    return attributes


def mro(cls: type) -> tuple[type, ...]:
    """Return the class and its bases, in the order of attribute lookup."""
    classes: tuple[type, ...] = _MRO(cls)
    return classes


def type_name(cls: type) -> str:
    """Return ``module.Class``, or ``Class`` alone for builtins."""
    module, _, name = class_path(cls).partition(":")
    return name if module == "builtins" else f"{module}.{name}"


def class_path(cls: type) -> str:
    """Return ``module:Class``, the form that entry points use."""
    module = namespace(cls).get("__module__")
    if type(module) is not str:
        # Types written in C have their module only in tp_name, which the repr of `type` shows.
        module = type.__repr__(cls)[8:-2].rpartition(".")[0] or "builtins"
    return f"{well_formed(module[:_MOST_NAME])}:{well_formed(_QUALNAME(cls)[:_MOST_NAME])}"


def static(cls: type, name: str) -> Any:
    """Return a class attribute without running descriptors; None if there is none."""
    for base in mro(cls):
        attributes = namespace(base)
        if name in attributes:
            return attributes[name]
    return None


def layout_of(cls: type) -> Layout:
    """Return the layout of a class, cached while the class exists."""
    cached = _layouts.get(id(cls))
    if cached is not None and cached[0]() is cls:
        return cached[1]
    if len(_layouts) >= _MAX_LAYOUTS:
        _layouts.clear()
    layout = _layout(cls)
    _layouts[id(cls)] = (weakref.ref(cls), layout)
    return layout


def _layout(cls: type) -> Layout:
    bases = mro(cls)
    is_record = any(mark in namespace(base) for base in bases for mark in _FIELD_MARKS)
    slots: dict[str, MemberDescriptorType] = {}
    dictionary = None
    for base in reversed(bases):
        has_slots = is_record or "__slots__" in namespace(base)
        for name, found in islice(namespace(base).items(), _MAX_NAMES):
            if name == "__dict__" and isinstance(found, GetSetDescriptorType | MemberDescriptorType):
                dictionary = found
            elif has_slots and type(found) is MemberDescriptorType and not name.startswith("_"):
                slots[name] = found
    names = {type_name(base) for base in bases}
    return Layout(
        type_name=type_name(cls),
        bases=bases,
        slots=tuple(slots.items()),
        dictionary=dictionary,
        is_record=is_record,
        hidden=frozenset(_hidden(cls)),
        given_back=frozenset(_given_back(cls)),
        extra=static(cls, "__pydantic_extra__"),
        sent=None if _ANSWERS.isdisjoint(names) else static(cls, "__pydantic_fields_set__"),
        is_secret="pydantic.types._SecretBase" in names or type_name(cls).startswith("pydantic.types.Secret"),
        is_mock=any(name.startswith(("unittest.mock.", "mock.mock.")) for name in names),
    )


def _hidden(cls: type) -> Iterator[str]:
    for mark in ("__dataclass_fields__", "__pydantic_fields__"):
        fields = static(cls, mark)
        for name, found in dict_items(fields) if type(fields) is dict else ():
            if slot_of(found, "repr") is False or slot_of(found, "exclude") is True:
                yield name
    attributes = static(cls, "__attrs_attrs__")
    for found in attributes if isinstance(attributes, tuple) else ():
        if slot_of(found, "repr") is False:
            yield str(slot_of(found, "name"))


def _given_back(cls: type) -> Iterator[str]:
    fields = static(cls, "__dataclass_fields__")
    for name, found in dict_items(fields) if type(fields) is dict else ():
        metadata = slot_of(found, "metadata")
        if type(metadata) is MappingProxyType and metadata.get(GIVEN_BACK) is True:
            yield name
    for each in mro(cls):
        yield from _UNUSED.get(class_path(each), ())


def slot_of(value: object, name: str) -> Any:
    """Return the value in a slot of an object, even a private one; None if it has no such slot."""
    return held(static(type(value), name), value)


def held(slot: object, value: object) -> Any:
    """Return what an object has in a slot of its class; None if nothing, or if it is no slot."""
    try:
        return slot.__get__(value) if isinstance(slot, MemberDescriptorType) else None
    except AttributeError:
        return None


def instance_dict(value: object, layout: Layout) -> dict[Any, Any] | None:
    """Return the instance dictionary of an object, not a copy; None if it has none."""
    if layout.dictionary is None:
        return None
    try:
        attributes: Any = layout.dictionary.__get__(value)
    except AttributeError:
        return None
    return attributes if isinstance(attributes, dict) else None


def attributes(value: object, layout: Layout, most: int) -> Iterator[tuple[str, Any]]:
    """Yield an object's attributes: at most ``most`` entries of its dictionary, and its public slots."""
    dictionary = instance_dict(value, layout)
    if dictionary is not None:
        for name, item in list(islice(dict_items(dictionary), most)):
            if type(name) is str:
                yield name, item
    for name, slot in layout.slots:
        try:
            yield name, slot.__get__(value)
        except AttributeError:
            continue
    extra = held(layout.extra, value)
    if isinstance(extra, dict):
        yield from dict_items(extra)
