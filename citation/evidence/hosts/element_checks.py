"""Which elements of a host's prompt can be cited; see `ambiguity`."""

from collections.abc import Mapping, Sequence
from typing import NamedTuple

from .ambiguity import Checked, check_labels, check_order, only_first, repeats, without
from .element_formats import ElementFormat
from .prompt_evidence import HostPassage, Refusal


class Element(NamedTuple):
    """The attributes and the body of an element, and the fields of its group."""

    attributes: Mapping[str, str]
    body: str
    fields: Mapping[str, str]


class Siblings(NamedTuple):
    """The elements in a host's wrapper, and what is between and after them."""

    elements: tuple[Element, ...]
    broken: bool  # an opening tag does not end, or there are elements or a second end after the end of the wrapper
    gaps: tuple[str, ...]  # white space between the elements of a group
    groups: int
    total: int | None  # how many groups there are according to the host, or elements in formats without groups
    after: str  # the text after the wrapper


def check_elements(form: ElementFormat, siblings: Siblings, passages: Sequence[HostPassage]) -> Checked:
    """Return the passages that can be cited. `passages`: those of the elements, which may be empty."""
    labels = [passage.label for passage in passages]
    if not _is_as_the_host_writes(form, siblings, passages):
        return only_first(passages, Refusal.UNEXPECTED_FORMAT, form.first_label)
    if form.counter and (refusal := _check_counter(form, siblings)):
        return only_first(passages, refusal)
    if not form.label:
        return without(passages, _repeated_sources(form, passages), Refusal.REPEATED_LABELS)
    if not form.shared_by:
        return only_first(passages, check_labels(labels, form.first_label), form.first_label)
    if refusal := check_order(labels, form.first_label) or _check_tags(labels, siblings.elements):
        return only_first(passages, refusal, form.first_label)
    is_proven = [_is_generated(element.attributes, form.shared_by) for element in siblings.elements]
    doubtful = {index for index in repeats(labels) if not is_proven[index]}
    return without(passages, doubtful, Refusal.REPEATED_LABELS)


def _is_as_the_host_writes(form: ElementFormat, siblings: Siblings, passages: Sequence[HostPassage]) -> bool:
    """Return whether the elements have the form and the number of the host's own."""
    if siblings.broken or len(set(siblings.gaps)) > 1 or (form.gap and {*siblings.gaps} - {form.gap}):
        return False
    count = siblings.groups if form.group else len(passages)
    if siblings.total is not None and count > siblings.total:
        return False
    if form.label and not all(passage.label for passage in passages):
        return False
    pairs = [*zip(siblings.elements, passages, strict=True)]
    if any(passage.fields[name] != value for element, passage in pairs for name, value in element.fields.items()):
        return False
    shapes = {tuple(element.attributes) for element, passage in pairs if passage.text}
    return not form.uniform or len(shapes) <= 1


def _check_counter(form: ElementFormat, siblings: Siblings) -> Refusal | None:
    """Return what is wrong with an attribute that counts elements. Its first value is the host's own."""
    counted = [element.attributes.get(form.counter, "") for element in siblings.elements]
    first = counted[0] if counted else ""
    return check_labels(counted, int(first)) if first.isascii() and first.isdigit() else None


def _repeated_sources(form: ElementFormat, passages: Sequence[HostPassage]) -> set[int]:
    """Return the positions of passages without labels whose source has the name or address of another one."""
    return {
        index
        for name in form.identity
        for index in repeats([str(passage.fields.get(name) or "") for passage in passages])
    }


def _check_tags(labels: Sequence[str], elements: Sequence[Element]) -> Refusal | None:
    """Return a refusal if two elements with the same label differ in an attribute: the host writes the same tag."""
    tags = {(label, *element.attributes.items()) for label, element in zip(labels, elements, strict=True)}
    return Refusal.REPEATED_LABELS if len(tags) > len(set(labels)) else None


def _is_generated(attributes: Mapping[str, str], name: str) -> bool:
    """Return whether an id is one that the host generated, unlike an address or a name, which anyone can know."""
    value = attributes.get(name, "")
    return bool(value) and "://" not in value and value != attributes.get("name")
